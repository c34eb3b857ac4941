import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSays } from '../../../test/console-pages.ts';
import { mailsTo } from '../../../test/mails.ts';
import { formTo } from '../../../test/plain-browser.ts';
import { FIRST_PASSWORD, NEXT_PASSWORD, useResetScene } from '../../../test/reset-scene.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { statement } from '../../database/statement.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { addPasskey, listPasskeys } from '../../shops/passkey.ts';
import { cleanPasswordResets, RESET_MINUTES } from '../../shops/password-reset.ts';
import { startSession } from '../../shops/session.ts';
import { countSessions } from '../../shops/session-list.ts';
import { resetMailMessages } from '../../sign-in/messages.ts';
import { flashText } from '../flash.ts';
import { newPasswordMessages } from '../messages.ts';
import { resetMessages } from './messages.ts';

const MINUTE_MS = 60_000;

const countResets = statement<{ readonly count: number }>(
  'test_count_resets',
  `select count(*)::int as count from password_reset`,
);

describe('a reset of a password', () => {
  const scene = useResetScene();

  it('a reset starts at the sign-in page, mails a link, sets the password, and signs the person in', async () => {
    const member = await scene().addPerson();
    const { email, id } = member.account;
    await startSession(scene().base.db, id, scene().clock.now());
    const key = { credentialId: 'taken', publicKey: Buffer.from([1]), name: 'USB' };
    const passkey = { ...key, isSynced: false, signCount: 0, transports: [] };
    await scene().base.db.transaction(
      async (tx) => await addPasskey(tx, id, passkey, scene().clock.now(), OPERATOR),
    );
    const signIn = await scene().plain().visit(scene().at('/signin'));
    assert.ok(signIn.text.includes('href="/console/reset"'));
    const asked = await scene().ask(email.toUpperCase());
    assert.equal(asked.status, 200);
    assertSays(asked, resetMessages.en.sentText(RESET_MINUTES));
    const link = await scene().mailedLink(email);
    const browser = scene().plain();
    const page = await browser.visit(link);
    assert.equal(new URL(page.url).pathname, '/console/reset/password');
    assert.equal(page.text.includes('cpp_'), false);
    assertSays(page, resetMessages.en.newText(email));
    const refused = await scene().use(link, 'password', browser);
    assert.equal(refused.status, 422);
    assertSays(refused, newPasswordMessages.en.faults.common);
    const done = await scene().use(link, NEXT_PASSWORD, browser);
    assert.equal(done.status, 200);
    assert.equal(new URL(done.url).pathname, `/console/shops/${scene().seeded.shop.slug}`);
    assertSays(done, flashText('password_reset_passkeys', 'en'));
    assert.equal(await scene().canSignIn(email, FIRST_PASSWORD), false);
    assert.equal(await scene().canSignIn(email, NEXT_PASSWORD), true);
    assert.deepEqual(await listPasskeys(scene().base.db, id), []);
    assert.deepEqual(
      (await scene().actionsOn(member)).slice(0, 5).map(({ action }) => action),
      [
        'account.passkey_added',
        'account.password_reset',
        'account.passkey_removed',
        'account.sessions_ended',
        'account.signed_in',
      ],
    );
    await waitUntil(() => mailsTo(email).length === 2);
    assert.ok(mailsTo(email).some((text) => text.includes(resetMailMessages.en.used)));
  });

  it('a reset link works once, even if two browsers use it at the same time', async () => {
    const { account } = await scene().addPerson();
    await scene().ask(account.email);
    const link = await scene().mailedLink(account.email);
    const done = await Promise.all(
      ['first of two words', 'second of two words'].map(
        async (password) => await scene().use(link, password),
      ),
    );
    assert.deepEqual(
      done.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 404],
    );
    const again = await scene().use(link);
    assert.equal(again.status, 404);
    assertSays(again, resetMessages.en.goneText);
    // Only the browser that came first has a session.
    assert.equal(await countSessions(scene().base.db, account.id, scene().clock.now()), 1);
  });

  it('a reset link expires, and ends when another link changes the password', async () => {
    const { account } = await scene().addPerson();
    const before = await scene().hashOf(account.email);
    await scene().ask(account.email);
    const expired = await scene().mailedLink(account.email);
    scene().clock.advance(RESET_MINUTES * MINUTE_MS - 1);
    const inTime = await scene().plain().visit(expired);
    assert.equal(inTime.status, 200);
    scene().clock.advance(1);
    assert.equal((await scene().plain().visit(expired)).status, 404);
    const other = await scene().addPerson();
    await scene().ask(other.account.email);
    await scene().ask(other.account.email);
    await scene().mailedLink(other.account.email, 2);
    const [first = '', second = ''] = scene().linksTo(other.account.email);
    assert.equal((await scene().use(first)).status, 200);
    assert.equal((await scene().use(second, 'yet another sentence')).status, 404);
    assert.equal(await scene().hashOf(account.email), before);
    assert.ok((await scene().base.db.one(countResets))?.count !== 0);
    scene().clock.advance(RESET_MINUTES * MINUTE_MS);
    await cleanPasswordResets(scene().base.db, scene().clock.now());
    assert.equal((await scene().base.db.one(countResets))?.count, 0);
  });

  it('a request for a reset does not reveal which accounts exist', async () => {
    const { account } = await scene().addPerson();
    const seen = await Promise.all(
      [account.email, 'nobody@kumo.example', 'no address', ''].map(
        async (email) => await scene().ask(email),
      ),
    );
    for (const page of seen) {
      assert.equal(page.status, 200);
      assert.equal(page.text, seen[0]?.text);
      assert.equal(page.headers.get('set-cookie'), seen[0]?.headers.get('set-cookie'));
    }
    await scene().mailedLink(account.email);
    assert.equal(mailsTo('nobody@kumo.example').length, 0);
    for (const path of [`/console/reset/cpp_${'x'.repeat(43)}`, '/console/reset/x']) {
      const page = await scene().plain().visit(scene().at(path));
      assert.equal(page.status, 404);
      assertSays(page, resetMessages.en.goneText);
    }
  });

  it('requests for a reset are limited for each address, known or unknown, and for each network', async () => {
    const { account } = await scene().addPerson();
    for (const email of [account.email, 'unknown@kumo.example']) {
      for (let count = 0; count < 3; count++) assert.equal((await scene().ask(email)).status, 200);
      const refused = await scene().ask(email);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 1_000);
    }
    await scene().mailedLink(account.email, 3);
    assert.equal(scene().linksTo(account.email).length, 3);
    const statuses: number[] = [];
    for (let count = 0; count < 20; count++) {
      statuses.push((await scene().ask(`many-${count}@kumo.example`)).status);
    }
    assert.ok(statuses.includes(429), String(statuses));
    scene().clock.advance(60 * MINUTE_MS);
    assert.equal((await scene().ask(account.email)).status, 200);
  });

  it('the reset page limits the wrong links that a network may try', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) {
      const browser = scene().plain();
      browser.cookies.push({ name: 'cardport_reset', value: `cpp_${'y'.repeat(43)}`, path: '/' });
      statuses.push((await browser.visit(scene().at('/console/reset/password'))).status);
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429]);
  });

  it('the reset page rejects a form from another browser or for another link', async () => {
    const { account } = await scene().addPerson();
    const page = await scene().plain().visit(scene().at('/console/reset'));
    const forged = await scene().plain().submit(page, formTo(page, '/console/reset'), {
      email: account.email,
    });
    assert.equal(forged.status, 403);
    const browser = scene().plain();
    await scene().ask(account.email);
    const opened = await browser.visit(await scene().mailedLink(account.email));
    await scene().ask(account.email);
    await browser.visit(await scene().mailedLink(account.email, 2));
    const stale = await browser.submit(opened, formTo(opened, '/reset/password'), {
      new: NEXT_PASSWORD,
      again: NEXT_PASSWORD,
    });
    assert.equal(stale.status, 403);
    assert.equal(await scene().canSignIn(account.email, FIRST_PASSWORD), true);
  });
});
