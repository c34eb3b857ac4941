import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../../test/app-client.ts';
import { assertSays, says } from '../../../test/console-pages.ts';
import {
  formTo,
  hasFormTo,
  type PageForm,
  type PlainBrowser,
  type VisitedPage,
} from '../../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { listInvitations } from '../../shops/invitation.ts';
import { addMember, findMember, type Member, setMember } from '../../shops/member.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { renameAccount } from '../../shops/rename-account.ts';
import { flashText } from '../flash.ts';
import { permissionMessages, permissionSetMessages } from '../messages.ts';
import { permissionName, summarizePermissions } from '../permission-text.ts';
import { memberActivityMessages, memberListMessages, memberMessages } from './messages.ts';

describe('the pages of a shop’s members', () => {
  let base: TestDatabase;
  let service: TestService;
  /** The shop under test. The seeded member is the only manager. */
  let seeded: SeededShop;
  let browser: PlainBrowser;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    seeded = await seedShop(base);
    browser = await openSignedIn(service, base.db, seeded.member.account.id);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  const at = (sub: string, { shop } = seeded): string =>
    `${service.publicUrl}/console/shops/${shop.slug}${sub}`;
  const visit = async (sub: string): Promise<VisitedPage> => await browser.visit(at(sub));

  let added = 0;
  const add = async (
    permissions: readonly Permission[],
    { shop } = seeded,
    name = `Member ${++added}`,
  ): Promise<Member> =>
    await base.db.transaction(async (tx) => {
      const email = `member-${++added}@kumo.example`;
      const person = { email, name, permissions, passwordHash: 'x' };
      const result = await addMember(tx, shop.id, person, new Date(), OPERATOR);
      if (result.kind !== 'added') throw new Error(result.kind);
      return result.member;
    });
  const find = async ({ account }: Member): Promise<Member | undefined> =>
    await findMember(base.db, seeded.shop.id, account.id);
  const boxes = (permissions: readonly Permission[]): Record<string, string> =>
    Object.fromEntries(permissions.map((each) => [`permissions.${each}`, 'on']));
  /** Returns the permissions that the form's boxes can change. */
  const freeBoxes = ({ text }: VisitedPage): readonly string[] =>
    [...text.matchAll(/<input\s[^>]*type="checkbox"[^>]*name="permissions\.([a-z.]+)"[^>]*>/g)]
      .filter(([box]) => !/\sdisabled(?=[\s/>])/.test(box))
      .map(([, permission = '']) => permission);
  /**
   * Builds a form as the manager's browser would send it, to submit actions that a page may not
   * offer.
   */
  const formFor = async (path: string): Promise<PageForm> => {
    const { fields } = formTo(await visit('/members'), '/sign-out');
    return { action: path, fields };
  };

  it('the list shows all members with their permissions, status and last activity', async () => {
    const clerk = await add(['inventory.read', 'purchases.read'], seeded, '<i>蓮</i>');
    const page = await visit('/members');
    assert.equal(page.text.includes('<i>蓮'), false);
    assert.match(page.text, /&lt;i&gt;蓮/);
    const held = ['purchases.read', 'inventory.read'] as const;
    assertSays(page, summarizePermissions(held, 'en'));
    assertSays(page, permissionSetMessages.en.all);
    assertSays(page, memberListMessages.en.you);
    assertSays(page, memberListMessages.en.notKnown);
    const japanese = await openSignedIn(service, base.db, seeded.member.account.id, {
      language: 'ja',
    });
    const shown = await japanese.visit(at('/members'));
    assertSays(shown, summarizePermissions(held, 'ja'));
    assert.match(shown.text, /<html lang="ja">/);
    assertSays(await visit(`/members/${clerk.account.id}`), memberMessages.en.save);
  });

  it('the pages of members require members.manage, and answer 404 to members of other shops', async () => {
    const clerk = await add(['inventory.read']);
    const other = await seedShop(base);
    const clerks = await openSignedIn(service, base.db, clerk.account.id);
    const strangers = await openSignedIn(service, base.db, other.member.account.id);
    const { id } = seeded.member.account;
    for (const sub of [
      '/members',
      '/members/invite',
      `/members/${id}`,
      `/members/${id}/deactivate`,
    ]) {
      const refused = await clerks.visit(at(sub));
      assert.equal(refused.status, 403);
      assertSays(refused, permissionMessages.en['members.manage'].name);
      assert.equal((await strangers.visit(at(sub))).status, 404);
      // This shop's member is also not found under the other shop's address.
      if (sub.includes(id)) assert.equal((await strangers.visit(at(sub, other))).status, 404);
    }
    const own = formTo(await strangers.visit(at('/members', other)), '/sign-out');
    const page = await strangers.visit(at('/members', other));
    for (const action of [
      `/members/${id}/permissions`,
      `/members/${id}/deactivate`,
      `/members/${id}/activate`,
    ]) {
      for (const shop of [seeded, other]) {
        const answer = await strangers.submit(page, { ...own, action: at(action, shop) });
        assert.equal(answer.status, 404, action);
      }
    }
    assert.deepEqual((await find(seeded.member))?.permissions, PERMISSIONS);
    for (const bad of ['x', '00000000-0000-4000-8000-000000000000', '%00']) {
      assert.equal((await visit(`/members/${bad}`)).status, 404);
      const form = await formFor(at(`/members/${bad}/permissions`));
      assert.equal((await browser.submit(page, form)).status, 404);
    }
  });

  it('exactly the ticked permissions are saved, and a stale form gets a 409', async () => {
    const clerk = await add(['inventory.read', 'inventory.write']);
    const page = await visit(`/members/${clerk.account.id}`);
    const form = formTo(page, '/permissions');
    assert.deepEqual(
      Object.keys(form.fields).filter((name) => name.startsWith('permissions.')),
      ['permissions.inventory.read', 'permissions.inventory.write'],
    );
    const { form_token } = form.fields;
    const seen = 'inventory.read inventory.write';
    assert.equal(form.fields['seen'], seen);
    const fields = {
      form_token: form_token ?? '',
      seen,
      ...boxes(['purchases.read', 'inventory.cost']),
    };
    const saved = await browser.submit(page, { ...form, fields });
    assertSays(saved, flashText('saved', 'en'));
    assert.deepEqual(
      new Set((await find(clerk))?.permissions),
      new Set(['purchases.read', 'inventory.cost']),
    );
    // The form is stale: it shows the permissions from before the change above.
    const less = {
      ...form,
      fields: { form_token: form_token ?? '', seen, ...boxes(['members.manage']) },
    };
    const stale = await browser.submit(page, less);
    assert.equal(stale.status, 409);
    assertSays(
      stale,
      memberMessages.en.meanwhile(summarizePermissions(['purchases.read', 'inventory.cost'], 'en')),
    );
    assert.equal((await find(clerk))?.permissions.includes('members.manage'), false);
    const again = formTo(stale, '/permissions');
    assert.equal(again.fields['permissions.members.manage'], 'on');
    assertSays(await browser.submit(stale, again), flashText('saved', 'en'));
    assert.deepEqual((await find(clerk))?.permissions, ['members.manage']);
    const empty = { form_token: form_token ?? '', seen: 'members.manage' };
    const none = await browser.submit(page, { ...form, fields: empty });
    assert.equal(none.status, 200);
    assert.deepEqual((await find(clerk))?.permissions, []);
  });

  it('the last member who manages members cannot be deactivated', async () => {
    const { id } = seeded.member.account;
    const page = await visit(`/members/${id}`);
    assertSays(page, memberMessages.en.you);
    const confirm = await visit(`/members/${id}/deactivate`);
    const kept = await browser.submit(confirm, formTo(confirm, '/deactivate'));
    assert.equal(kept.status, 422);
    assertSays(kept, memberActivityMessages.en.lastManager);
    assert.deepEqual((await find(seeded.member))?.permissions, PERMISSIONS);
    assert.equal((await find(seeded.member))?.isActive, true);
  });

  it('members cannot change their own permissions', async () => {
    const second = await add(['members.manage', 'inventory.read']);
    const theirs = await openSignedIn(service, base.db, second.account.id);
    const path = at(`/members/${second.account.id}`);
    const page = await theirs.visit(path);
    assert.equal(hasFormTo(page, '/permissions'), false);
    assert.deepEqual(freeBoxes(page), []);
    const { fields } = formTo(page, '/sign-out');
    const seen = 'inventory.read members.manage';
    for (const wanted of [PERMISSIONS, ['members.manage'], []] as const) {
      const form = { action: `${path}/permissions`, fields: { ...fields, seen, ...boxes(wanted) } };
      const refused = await theirs.submit(page, form);
      assert.equal(refused.status, 403);
      assert.match(refused.text, /role="alert"/);
      assert.equal(hasFormTo(refused, '/permissions'), false);
    }
    assert.deepEqual((await find(second))?.permissions, ['members.manage', 'inventory.read']);
    assert.equal((await theirs.visit(at('/members'))).status, 200);
  });

  it('members can grant and revoke only permissions that they have', async () => {
    const manager = await add(['members.manage', 'inventory.read', 'purchases.read']);
    const clerk = await add(['inventory.read', 'inventory.cost']);
    const theirs = await openSignedIn(service, base.db, manager.account.id);
    const path = at(`/members/${clerk.account.id}`);
    const page = await theirs.visit(path);
    const free = ['purchases.read', 'inventory.read', 'members.manage'];
    assert.deepEqual(freeBoxes(page), free);
    const form = formTo(page, '/permissions');
    for (const wanted of [
      ['inventory.read', 'inventory.cost', 'integrations.manage'],
      ['inventory.read'],
    ] as const) {
      const { form_token = '', seen = '' } = form.fields;
      const forged = { ...form, fields: { form_token, seen, ...boxes(wanted) } };
      const refused = await theirs.submit(page, forged);
      assert.equal(refused.status, 403);
      assert.match(refused.text, /role="alert"/);
      assert.deepEqual(freeBoxes(refused), free);
    }
    assert.deepEqual((await find(clerk))?.permissions, ['inventory.read', 'inventory.cost']);
    // Submit the fields as a browser does: disabled boxes keep their permission.
    const { 'permissions.inventory.read': _, ...rest } = form.fields;
    const fields = { ...rest, 'permissions.purchases.read': 'on' };
    assert.equal((await theirs.submit(page, { ...form, fields })).status, 200);
    assert.deepEqual(
      new Set((await find(clerk))?.permissions),
      new Set(['purchases.read', 'inventory.cost']),
    );
    const invite = await theirs.visit(at('/members/invite?preset=owner'));
    assert.deepEqual(freeBoxes(invite), free);
    const send = formTo(invite, '/members/invite');
    assert.deepEqual(
      Object.keys(send.fields).filter((name) => name.startsWith('permissions.')),
      free.map((each) => `permissions.${each}`),
    );
    const asked = { ...send.fields, email: 'more@kumo.example', ...boxes(['inventory.cost']) };
    assert.equal((await theirs.submit(invite, { ...send, fields: asked })).status, 403);
    assert.deepEqual(await listInvitations(base.db, seeded.shop.id, new Date()), []);
    // The owner may send this invitation. After that the manager cannot resend it.
    const owners = await visit('/members/invite?preset=owner');
    const sent = formTo(owners, '/members/invite');
    await browser.submit(owners, sent, { email: 'more@kumo.example' });
    const [waiting] = await listInvitations(base.db, seeded.shop.id, new Date());
    assert.ok(waiting !== undefined);
    const list = await theirs.visit(at('/members'));
    assert.equal(hasFormTo(list, '/again'), false);
    assert.equal(hasFormTo(await visit('/members'), '/again'), true);
    const again = {
      action: at(`/members/invitations/${waiting.id}/again`),
      fields: formTo(list, '/sign-out').fields,
    };
    assert.equal((await theirs.submit(list, again)).status, 403);
    assert.equal(hasFormTo(list, '/withdraw'), false);
    assert.equal(hasFormTo(await visit('/members'), '/withdraw'), true);
    const withdraw = { ...again, action: again.action.replace(/again$/, 'withdraw') };
    const refused = await theirs.submit(list, withdraw);
    assert.equal(refused.status, 403);
    assert.ok(refused.text.includes('<code>'), 'the page names what is missing');
    assert.ok((await visit('/members')).text.includes(waiting.email));
  });

  it('a manager cannot switch off or on a member with more permissions, and sees no button for it', async () => {
    const manager = await add(['members.manage']);
    const former = await add(['inventory.cost']);
    const theirs = await openSignedIn(service, base.db, manager.account.id);
    const target = async (): Promise<string> => at(`/members/${former.account.id}`);
    const needed = memberMessages.en.memberNotHeld(permissionName('inventory.cost', 'en'));
    const post = async (page: VisitedPage, action: 'activate' | 'deactivate'): Promise<void> => {
      const { fields } = formTo(page, '/sign-out');
      const form = { action: `${await target()}/${action}`, fields };
      const refused = await theirs.submit(page, form);
      assert.equal(refused.status, 403);
      assert.ok(refused.text.includes('<code>inventory.cost</code>'));
    };
    const active = await theirs.visit(await target());
    assertSays(active, needed);
    assert.equal(active.text.includes('/deactivate"'), false);
    assert.equal((await theirs.visit(`${await target()}/deactivate`)).status, 403);
    await post(active, 'deactivate');
    assert.equal((await find(former))?.isActive, true);
    await base.db.transaction(async (tx) => {
      const change = { isActive: false };
      await setMember(tx, former.shopId, former.account.id, change, new Date(), OPERATOR);
    });
    const inactive = await theirs.visit(await target());
    assertSays(inactive, needed);
    assert.equal(hasFormTo(inactive, '/activate'), false);
    await post(inactive, 'activate');
    assert.equal((await find(former))?.isActive, false);
  });

  it('a page explains what a deactivation ends, and access to the pages and the API ends immediately', async () => {
    const leaving = await seedShop(base);
    const manager = await base.db.transaction(async (tx) => {
      const person = {
        email: `manager@${leaving.shop.slug}.example`,
        name: 'Manager',
        permissions: PERMISSIONS,
        passwordHash: 'x',
      } as const;
      const result = await addMember(tx, leaving.shop.id, person, new Date(), OPERATOR);
      return result.kind === 'added' ? result.member : leaving.member;
    });
    const client = new AppClient(service, leaving);
    const { access_token } = await client.tokens();
    assert.equal((await client.call('POST', '/connection', access_token)).status, 201);
    assert.equal((await client.call('GET', '/connection', access_token)).status, 200);
    const theirs = await openSignedIn(service, base.db, leaving.member.account.id);
    assert.equal((await theirs.visit(at('/members', leaving))).status, 200);
    const managers = await openSignedIn(service, base.db, manager.account.id);
    const sub = `/members/${leaving.member.account.id}`;
    const confirm = await managers.visit(at(`${sub}/deactivate`, leaving));
    assert.match(confirm.text, /Stock Mirror/);
    assertSays(confirm, memberActivityMessages.en.appsText);
    assertSays(confirm, memberActivityMessages.en.sessions('2'));
    assert.equal((await client.call('GET', '/connection', access_token)).status, 200);
    const done = await managers.submit(confirm, formTo(confirm, '/deactivate'));
    assertSays(done, flashText('member_deactivated', 'en'));
    assert.match((await theirs.visit(at('/members', leaving))).url, /\/signin/);
    const again = await openSignedIn(service, base.db, leaving.member.account.id);
    assert.equal((await again.visit(at('/members', leaving))).status, 404);
    assert.equal((await client.call('GET', '/connection', access_token)).status, 403);
    const page = await managers.visit(at(sub, leaving));
    assert.equal(page.text.includes('/deactivate"'), false);
    const back = await managers.submit(page, formTo(page, '/activate'));
    assertSays(back, flashText('member_activated', 'en'));
    assert.equal((await again.visit(at('/members', leaving))).status, 200);
    assert.equal((await client.call('GET', '/connection', access_token)).status, 200);
  });

  it('the apps that depend on a member’s approval are listed before the member is deactivated', async () => {
    const shop = await seedShop(base);
    const { email, password, member: colleague } = await seedShop(base);
    await base.db.transaction(async (tx) => {
      const person = { email, name: 'x', permissions: PERMISSIONS, passwordHash: null };
      await addMember(tx, shop.shop.id, person, new Date(), OPERATOR);
      await renameAccount(tx, colleague.account.id, 'Ren', new Date(), OPERATOR);
    });
    const first = new AppClient(service, shop);
    const { access_token } = await first.tokens();
    assert.equal((await first.call('POST', '/connection', access_token)).status, 201);
    const pageOf = async (member: Member): Promise<VisitedPage> => {
      const browser = await openSignedIn(service, base.db, shop.member.account.id);
      return await browser.visit(at(`/members/${member.account.id}/deactivate`, shop));
    };
    assertSays(await pageOf(colleague), memberActivityMessages.en.noApps);
    assert.equal(says(await pageOf(shop.member), memberActivityMessages.en.goesOn('Ren')), false);
    const second = new AppClient(service, { ...shop, email, password });
    const tokens = await second.tokens();
    assert.equal((await second.call('POST', '/connection', tokens.access_token)).status, 200);
    const told = await pageOf(shop.member);
    assertSays(told, 'Stock Mirror');
    assertSays(told, memberActivityMessages.en.goesOn('Ren'));
    assertSays(await pageOf(colleague), 'Stock Mirror');
    const change = { isActive: false };
    await base.db.transaction(async (tx) => {
      await setMember(tx, shop.shop.id, colleague.account.id, change, new Date(), OPERATOR);
    });
    // The approvals of a deactivated member no longer keep an app running.
    assert.equal(says(await pageOf(shop.member), memberActivityMessages.en.goesOn('Ren')), false);
  });

  it('a form with a wrong token changes nothing', async () => {
    const clerk = await add(['inventory.read']);
    const { id } = clerk.account;
    const page = await visit(`/members/${id}`);
    for (const sub of ['permissions', 'deactivate', 'activate']) {
      const form = { action: at(`/members/${id}/${sub}`), fields: { form_token: 'x' } };
      assert.equal((await browser.submit(page, form)).status, 403);
    }
    const after403 = await find(clerk);
    assert.deepEqual(after403?.permissions, ['inventory.read']);
    assert.equal(after403.isActive, true);
  });
});
