import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { findAccountByEmail } from '../src/shops/account.ts';
import { listInvitations } from '../src/shops/invitation.ts';
import { findMember, type Member } from '../src/shops/member.ts';
import { becomes, type Person, type Said } from './act-person.ts';
import { mailsTo } from './mails.ts';
import { MAILS } from './service.ts';

const SEND: Said = ['Send the invitation', '招待を送信'];
const EMAIL: Said = ['E-mail address', 'メールアドレス'];
const CHANGE_STOCK: Said = ['Change stock', '在庫の編集'];
const ACCEPT: Said = ['Accept the invitation', '招待を承諾する'];

/** Invites somebody as a member does; a mail is sent. */
export async function invite(person: Person, email: string): Promise<void> {
  const { base, shop } = person.scene;
  const before = existsSync(MAILS) ? mailsTo(email).length : 0;
  await person.open('/members');
  await person.follow(['Invite somebody', 'メンバーを招待']);
  await person.field(EMAIL).fill(email);
  await person.press(SEND);
  await person.reads(['The invitation was sent.', '招待を送信しました。']);
  assert.equal(mailsTo(email).length, before + 1);
  const waiting = await listInvitations(base.db, shop.shop.id, new Date());
  assert.deepEqual(waiting.find((each) => each.email === email)?.permissions.toSorted(), [
    'inventory.read',
    'inventory.write',
    'purchases.read',
    'purchases.write',
  ]);
}

/** Everything that can be done with members. */
export async function actOnMembers(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  await person.open('/members/invite');
  await person.field(EMAIL).fill(shop.email);
  await person.press(SEND);
  await person.reads(['The invitation was not sent', '招待は送信されませんでした']);
  await person.examine(422);
  const email = `aoi@${person.language}.example`;
  await invite(person, email);
  await person.press([`Withdraw ${email}`, `取り消す ${email}`]);
  await person.reads(['The invitation was withdrawn', '招待を取り消しました。']);
  assert.deepEqual(await listInvitations(base.db, shop.shop.id, new Date()), []);
  await person.page.goto(linkTo(email));
  await person.reads(['This invitation is not valid', 'この招待は使えません']);
  await person.examine(404);
  await invite(person, email);
  await person.press([`Send again ${email}`, `再送信 ${email}`]);
  await person.reads(['The invitation was sent.', '招待を送信しました。']);
  await accept(person, email);
  await becomes(person, shop.member.account.id);
  await changeMember(person, email);
}

/** Opens the link as somebody else, signs out there, and joins as a new person. */
async function accept(person: Person, email: string): Promise<void> {
  await person.page.goto(linkTo(email));
  await person.examine(200);
  await person.press(['Sign out', 'ログアウト']);
  await person.examine(200);
  await person.field(['Your name', 'お名前']).fill('葵');
  await person.field(['New password', '新しいパスワード']).fill('a password of words');
  await person
    .field(['New password again', '新しいパスワード（確認）'])
    .fill('a password of words');
  await person.press(ACCEPT);
  await person.reads(['Welcome! You are a member', 'ようこそ。']);
  const member = await memberOf(person, email);
  assert.deepEqual([member?.account.name, member?.isActive], ['葵', true]);
}

async function changeMember(person: Person, email: string): Promise<void> {
  const id = (await memberOf(person, email))?.account.id ?? '';
  await person.open(`/members/${id}`);
  await person.field(CHANGE_STOCK).uncheck();
  await person.press(['Save the permissions', '権限を保存']);
  await person.reads(['Saved.', '保存しました。']);
  const changed = await memberOf(person, email);
  assert.equal(changed?.permissions.includes('inventory.write'), false);
  await person.follow(['Deactivate…', '利用を停止する…']);
  await person.press(['Deactivate', '利用を停止する']);
  await person.reads(['The member was deactivated.', 'メンバーの利用を停止しました。']);
  assert.equal((await memberOf(person, email))?.isActive, false);
  await person.open(`/members/${id}`);
  await person.press(['Activate', '利用を再開する']);
  await person.reads(['The member was activated.', 'メンバーの利用を再開しました。']);
  assert.equal((await memberOf(person, email))?.isActive, true);
}

/** The link of the newest mail to an address. */
function linkTo(email: string): string {
  const link = /https?:\/\/\S+\/console\/invitations\/\S+/.exec(mailsTo(email).at(-1) ?? '')?.[0];
  assert.ok(link !== undefined);
  return link;
}

async function memberOf(person: Person, email: string): Promise<Member | undefined> {
  const { base, shop } = person.scene;
  const account = await findAccountByEmail(base.db, email);
  return account === undefined ? undefined : await findMember(base.db, shop.shop.id, account.id);
}
