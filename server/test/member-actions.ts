import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { findAccountByEmail } from '../src/shops/account.ts';
import { type Invitation, listInvitations } from '../src/shops/invitation.ts';
import { findMember, type Member } from '../src/shops/member.ts';
import { signInAs, type Person } from './browser-person.ts';
import { mailsTo } from './mails.ts';
import { MAIL_FOLDER } from './service.ts';

const INVITE = '/members/invite';

export async function invite(person: Person, email: string): Promise<string> {
  const before = existsSync(MAIL_FOLDER) ? mailsTo(email).length : 0;
  await person.open('/members');
  await person.follow(INVITE);
  await person.field('email').fill(email);
  await person.send(INVITE);
  // Tests have no SMTP server: mails are written to files, and the page shows the link.
  await person.expectFlash('invited_by_link');
  assert.equal(mailsTo(email).length, before + 1);
  const invited = (await invitationsOf(person)).find((each) => each.email === email);
  assert.deepEqual(invited?.permissions.toSorted(), [
    'inventory.read',
    'inventory.write',
    'purchases.read',
    'purchases.write',
  ]);
  return invited.id;
}

/** Does everything that can be done with members. */
export async function runMemberActions(person: Person): Promise<void> {
  const { shop } = person.scene;
  await person.open(INVITE);
  await person.field('email').fill(shop.email);
  await person.send(INVITE);
  await person.expectError();
  await person.checkPage(422);
  const email = `aoi@${person.language}.example`;
  const withdrawn = await invite(person, email);
  await person.send(`/members/invitations/${withdrawn}/withdraw`);
  await person.expectFlash('invitation_withdrawn');
  assert.deepEqual(await invitationsOf(person), []);
  await person.page.goto(linkTo(email));
  await person.checkPage(404);
  const id = await invite(person, email);
  await person.send(`/members/invitations/${id}/again`);
  await person.expectFlash('invited_by_link');
  await accept(person, email);
  await signInAs(person, shop.member.account.id);
  await changeMember(person, email);
}

/**
 * Opens the link of an invitation while another account is signed in, signs out, and joins as a new
 * person.
 */
async function accept(person: Person, email: string): Promise<void> {
  await person.page.goto(linkTo(email));
  await person.checkPage(200);
  await person.send('/console/invitations/sign-out');
  await person.checkPage(200);
  await person.field('name').fill('葵');
  await person.field('new').fill('a password of words');
  await person.field('again').fill('a password of words');
  await person.send('/console/invitations/accept');
  await person.expectFlash('joined');
  const member = await memberOf(person, email);
  assert.deepEqual([member?.account.name, member?.isActive], ['葵', true]);
}

async function changeMember(person: Person, email: string): Promise<void> {
  const id = (await memberOf(person, email))?.account.id ?? '';
  const path = `/members/${id}`;
  await person.open(path);
  await person.field('permissions.inventory.write').uncheck();
  await person.send(`${path}/permissions`);
  await person.expectFlash('saved');
  const changed = await memberOf(person, email);
  assert.equal(changed?.permissions.includes('inventory.write'), false);
  const reset = `${path}/password-reset`;
  await person.send(reset, { hidden: { way: 'mail' } });
  await person.expectFlash('reset_filed');
  await person.send(reset, { hidden: { way: 'link' } });
  await person.checkPage(200);
  const link = await person.page.locator('main code').filter({ hasText: 'cpp_' }).textContent();
  assert.match(link ?? '', /\/console\/reset\/cpp_\w{43}$/);
  await person.follow(`${path}/deactivate`);
  await person.send(`${path}/deactivate`);
  await person.expectFlash('member_deactivated');
  assert.equal((await memberOf(person, email))?.isActive, false);
  await person.open(path);
  await person.send(`${path}/activate`);
  await person.expectFlash('member_activated');
  assert.equal((await memberOf(person, email))?.isActive, true);
}

/** Returns the link in the newest mail to an address. */
function linkTo(email: string): string {
  const link = /https?:\/\/\S+\/console\/invitations\/\S+/.exec(mailsTo(email).at(-1) ?? '')?.[0];
  assert.ok(link !== undefined);
  return link;
}

async function invitationsOf({ scene }: Person): Promise<readonly Invitation[]> {
  return await listInvitations(scene.base.db, scene.shop.shop.id, new Date());
}

async function memberOf(person: Person, email: string): Promise<Member | undefined> {
  const { base, shop } = person.scene;
  const account = await findAccountByEmail(base.db, email);
  return account === undefined ? undefined : await findMember(base.db, shop.shop.id, account.id);
}
