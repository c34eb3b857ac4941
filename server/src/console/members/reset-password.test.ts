import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSays, says } from '../../../test/console-pages.ts';
import { mailsTo } from '../../../test/mails.ts';
import {
  formTo,
  hasFormTo,
  type PlainBrowser,
  type VisitedPage,
} from '../../../test/plain-browser.ts';
import { FIRST_PASSWORD, useResetScene } from '../../../test/reset-scene.ts';
import { seedShop } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { statement } from '../../database/statement.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { changeMember } from '../../shops/change-member.ts';
import { type Member, setMember } from '../../shops/member.ts';
import { PERMISSIONS } from '../../shops/permission.ts';
import { resetMailMessages } from '../../sign-in/messages.ts';
import { flashText } from '../flash.ts';
import { memberMessages } from './messages.ts';

const setName = statement(
  'test_set_name_of_account',
  `update account set name = $2 where account_id = $1`,
);

describe('a reset link from a manager', () => {
  const scene = useResetScene();
  const memberPath = ({ account }: Member, { shop } = scene().seeded): string =>
    scene().at(`/console/shops/${shop.slug}/members/${account.id}`);
  const openAs = async (accountId: string): Promise<PlainBrowser> =>
    await openSignedIn(scene().service, scene().base.db, accountId, { now: scene().clock.now() });
  const send = async (
    browser: PlainBrowser,
    path: string,
    way: 'mail' | 'link',
  ): Promise<VisitedPage> => {
    scene().clock.advance(1);
    const page = await browser.visit(path);
    const { fields } = formTo(page, '/sign-out');
    const action = `${path}/password-reset`;
    return await browser.submit(page, { action, fields: { ...fields, way } });
  };
  const shownLink = ({ text }: VisitedPage): string =>
    /http[^\s"<]+\/console\/reset\/cpp_\w{43}/.exec(text)?.[0] ?? '';

  it('a reset link is shown once to a manager of the account’s only shop, and is audited', async () => {
    const member = await scene().addPerson();
    const browser = await openAs(scene().seeded.member.account.id);
    const page = await browser.visit(memberPath(member));
    assert.ok(hasFormTo(page, '/password-reset', { way: 'link' }));
    const shown = await send(browser, memberPath(member), 'link');
    const link = shownLink(shown);
    assert.notEqual(link, '');
    assert.equal(new URL(shown.url).hash, '#password', 'the browser scrolls to the link');
    assert.match(shown.text, /<section class="sheet" id="password">/);
    assert.equal(shownLink(await browser.visit(memberPath(member))), '');
    assert.deepEqual(mailsTo(member.account.email), []);
    assert.equal((await scene().use(link)).status, 200);
    const [entry] = await scene().actionsOn(member);
    assert.deepEqual(entry, {
      action: 'account.reset_link_shown',
      actorId: scene().seeded.member.account.id,
    });
    // The person gets a mail about the new password, in case they did not set it.
    await waitUntil(() => mailsTo(member.account.email).length === 1);
  });

  it('a reset link is mailed and not shown if another shop knows the account', async () => {
    const other = await seedShop(scene().base);
    const member = await scene().addPerson();
    await scene().addPerson(['inventory.read'], other.shop.id, member.account.email);
    const browser = await openAs(scene().seeded.member.account.id);
    const page = await browser.visit(memberPath(member));
    assert.equal(hasFormTo(page, '/password-reset', { way: 'link' }), false);
    assert.ok(hasFormTo(page, '/password-reset', { way: 'mail' }));
    const refused = await send(browser, memberPath(member), 'link');
    assert.equal(refused.status, 403);
    assertSays(refused, memberMessages.en.resetElsewhere);
    const mailed = await send(browser, memberPath(member), 'mail');
    assertSays(mailed, flashText('reset_filed', 'en'));
    assert.equal(mailed.text.includes('cpp_'), false);
    const from = resetMailMessages.en.askedBy(
      scene().seeded.member.account.name,
      scene().seeded.shop.name,
    );
    assert.ok(mailsTo(member.account.email)[0]?.includes(from));
    assert.equal((await scene().use(await scene().mailedLink(member.account.email))).status, 200);
  });

  it('the names in the mail of a reset link are no links', async () => {
    const manager = await scene().addPerson(['members.manage', 'inventory.read']);
    const member = await scene().addPerson();
    await scene().base.db.query(setName, [manager.account.id, 'http://evil www.evil.example']);
    const managers = await openAs(manager.account.id);
    assertSays(await send(managers, memberPath(member), 'mail'), flashText('reset_filed', 'en'));
    const [mail = ''] = mailsTo(member.account.email);
    const { name } = scene().seeded.shop;
    const text = resetMailMessages.en.askedBy('http: / /evil www. evil. example', name);
    assert.ok(mail.includes(text), mail);
  });

  it('no reset link is created for a member with more permissions than the manager, or by other shops', async () => {
    const manager = await scene().addPerson(['members.manage', 'inventory.read']);
    const member = await scene().addPerson(['inventory.read', 'inventory.cost']);
    const browser = await openAs(manager.account.id);
    for (const way of ['mail', 'link'] as const) {
      const refused = await send(browser, memberPath(member), way);
      assert.equal(refused.status, 403);
      assert.ok(refused.text.includes('<code>inventory.cost</code>'));
    }
    const page = await browser.visit(memberPath(member));
    assert.equal(hasFormTo(page, '/password-reset'), false);
    const other = await seedShop(scene().base);
    const strangers = await openAs(other.member.account.id);
    const own = await strangers.visit(memberPath(other.member, other));
    const { fields } = formTo(own, '/sign-out');
    for (const path of [memberPath(member), memberPath(member, other)]) {
      const form = { action: `${path}/password-reset`, fields: { ...fields, way: 'link' } };
      assert.equal((await strangers.submit(own, form)).status, 404);
    }
    assert.equal(scene().linksTo(member.account.email).length, 0);
    assert.deepEqual(await scene().actionsOn(member), []);
  });

  it('a reset link stops working once its manager could no longer create it', async () => {
    const owner = await openAs(scene().seeded.member.account.id);
    const inShop = scene().seeded.shop.id;
    const manager = await scene().addPerson(['members.manage', 'inventory.read']);
    const managers = await openAs(manager.account.id);
    const cases: readonly ((member: Member) => Promise<void>)[] = [
      async ({ account }) => {
        const change = { permissions: ['inventory.read', 'inventory.cost'] } as const;
        await scene().base.db.transaction(
          async (tx) =>
            await changeMember(tx, inShop, account.id, change, scene().clock.now(), OPERATOR),
        );
      },
      async ({ account }) => {
        const other = await seedShop(scene().base);
        await scene().addPerson(['inventory.read'], other.shop.id, account.email);
      },
      async () => {
        const change = { permissions: ['inventory.read'] } as const;
        await scene().base.db.transaction(
          async (tx) =>
            await setMember(tx, inShop, manager.account.id, change, scene().clock.now(), OPERATOR),
        );
      },
    ];
    for (const [index, change] of cases.entries()) {
      const member = await scene().addPerson();
      const link = shownLink(await send(managers, memberPath(member), 'link'));
      assert.notEqual(link, '');
      await change(member);
      assert.equal((await scene().use(link)).status, 404, `case ${index}`);
      assert.equal(await scene().canSignIn(member.account.email, FIRST_PASSWORD), true);
    }
    // The owner's link still works, because the owner has kept all permissions.
    const member = await scene().addPerson(PERMISSIONS);
    const link = shownLink(await send(owner, memberPath(member), 'link'));
    assert.equal((await scene().use(link)).status, 200);
  });

  it('refused reset links spend nothing, and managers do not spend the person’s own budget', async () => {
    const manager = await scene().addPerson(['members.manage', 'inventory.read']);
    const member = await scene().addPerson(['inventory.read', 'inventory.cost']);
    const { email } = member.account;
    const managers = await openAs(manager.account.id);
    for (let count = 0; count < 4; count++) {
      assert.equal((await send(managers, memberPath(member), 'mail')).status, 403);
    }
    const owner = await openAs(scene().seeded.member.account.id);
    for (let count = 0; count < 3; count++) {
      assertSays(await send(owner, memberPath(member), 'mail'), flashText('reset_filed', 'en'));
    }
    const refused = await send(owner, memberPath(member), 'mail');
    assertSays(refused, flashText('reset_throttled', 'en'));
    assert.equal((await scene().actionsOn(member)).length, 3);
    for (let count = 1; count <= 3; count++) {
      assert.equal((await scene().ask(email)).status, 200);
      await scene().mailedLink(email, 3 + count);
    }
    assert.equal((await scene().ask(email)).status, 429);
    // The refused requests for one address leave the budget of the network to other people.
    for (let count = 0; count < 30; count++) assert.equal((await scene().ask(email)).status, 429);
    const other = await scene().addPerson();
    assert.equal((await scene().ask(other.account.email)).status, 200);
  });

  it('a manager can create three reset links for a member at once', async () => {
    const member = await scene().addPerson();
    const browser = await openAs(scene().seeded.member.account.id);
    for (let count = 0; count < 3; count++) {
      assertSays(await send(browser, memberPath(member), 'mail'), flashText('reset_filed', 'en'));
    }
    const refused = await send(browser, memberPath(member), 'link');
    assertSays(refused, flashText('reset_throttled', 'en'));
    assert.equal(shownLink(refused), '');
    assert.equal(says(refused, flashText('reset_filed', 'en')), false);
  });
});
