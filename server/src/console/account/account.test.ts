import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertSays } from '../../../test/console-pages.ts';
import { formTo, hasFormTo, PlainBrowser, SIGN_IN } from '../../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { findAccount } from '../../shops/account.ts';
import { listAudit } from '../../shops/audit-log.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { addMember, setMember } from '../../shops/member.ts';
import { addPasskey, listPasskeys } from '../../shops/passkey.ts';
import { listSessions } from '../../shops/session-list.ts';
import { flashText } from '../flash.ts';
import { newPasswordMessages } from '../messages.ts';
import {
  chooseShopMessages,
  passkeysMessages,
  passwordMessages,
  sessionsMessages,
} from './messages.ts';

const NEW_PASSWORD = 'a longer sentence of words';

describe('the account pages', () => {
  let base: TestDatabase;
  let service: TestService;
  let at: (path: string) => string;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base, { environment: { RATE_LIMITS: 'failures=3' } });
    at = (path) => `${service.publicUrl}/console${path}`;
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  const enter = async ({ member }: SeededShop): Promise<PlainBrowser> =>
    await openSignedIn(service, base.db, member.account.id);

  /** Adds passkeys with these names. Their public key is made up, so they cannot sign in. */
  const addKeys = async ({ member, shop }: SeededShop, names: readonly string[]): Promise<void> =>
    await base.db.transaction(async (tx) => {
      const { id } = member.account;
      for (const name of names) {
        const credentialId = `credential-${shop.slug}-${name}`;
        const key = { credentialId, publicKey: Buffer.from([1]), signCount: 0 };
        const passkey = { ...key, name, isSynced: true, transports: [] };
        await addPasskey(tx, id, passkey, new Date(), { kind: 'member', accountId: id });
      }
    });

  it('the account pages redirect to the sign-in page without a session, and reject a forged form', async () => {
    const seeded = await seedShop(base);
    for (const path of ['', '/account', '/account/password', '/account/sessions']) {
      const page = await new PlainBrowser(service.publicUrl).visit(at(path));
      const next = encodeURIComponent(`/console${path}`);
      assert.equal(page.url, `${service.publicUrl}/signin?next=${next}`);
    }
    const browser = await enter(seeded);
    const page = await browser.visit(at('/account'));
    const forged = await browser.submit(page, {
      action: '/console/account',
      fields: { name: 'Mallory', form_token: 'x' },
    });
    assert.equal(forged.status, 403);
    const account = await findAccount(base.db, seeded.member.account.id);
    assert.equal(account?.name, seeded.member.account.name);
  });

  it('the console redirects to the only shop, offers a choice of several, or explains what to do without a shop', async () => {
    const one = await seedShop(base);
    const two = await seedShop(base, { name: 'Second & Shop' });
    const browser = await enter(one);
    const first = await browser.visit(at(''));
    assert.equal(first.url, at(`/shops/${one.shop.slug}`));
    await base.db.transaction(async (tx) => {
      const person = { email: one.email, name: 'x', permissions: [], passwordHash: null };
      await addMember(tx, two.shop.id, person, new Date(), OPERATOR);
    });
    const choice = await browser.visit(at(''));
    assertSays(choice, chooseShopMessages.en.title);
    assert.match(
      choice.text,
      new RegExp(`href="/console/shops/${two.shop.slug}">Second &amp; Shop<`),
    );
    for (const { id } of [one.shop, two.shop]) {
      await base.db.transaction(async (tx) => {
        const change = { isActive: false };
        await setMember(tx, id, one.member.account.id, change, new Date(), OPERATOR);
      });
    }
    // Deactivating the last membership has signed the person out.
    assert.match((await browser.visit(at(''))).url, /\/signin/);
    const none = await (await enter(one)).visit(at(''));
    assertSays(none, chooseShopMessages.en.none);
    assert.equal(none.text.includes(two.shop.slug), false);
  });

  it('the name can be changed, is escaped and audited, and an invalid name is rejected', async () => {
    const seeded = await seedShop(base);
    const browser = await enter(seeded);
    const page = await browser.visit(at('/account'));
    const form = formTo(page, '/account');
    const refused = await browser.submit(page, form, { name: 'x'.repeat(201) });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /role="alert"/);
    assert.match(refused.text, /aria-describedby="[^"]*field-name-fault/);
    const saved = await browser.submit(page, form, { name: ' <b>花</b> ' });
    assertSays(saved, flashText('saved', 'en'));
    assert.equal(saved.text.includes('<b>花'), false);
    const { id } = seeded.member.account;
    assert.equal((await findAccount(base.db, id))?.name, '<b>花</b>');
    const same = await browser.submit(page, form, { name: '<b>花</b>' });
    assertSays(same, flashText('unchanged', 'en'));
    const entries = await listAudit(base.db, seeded.shop.id, {
      before: null,
      limit: 1,
      subjectId: id,
    });
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['account.renamed'],
    );
  });

  it('the chosen language is used instead of the browser’s, until it is reset', async () => {
    const seeded = await seedShop(base);
    const browser = await enter(seeded);
    const page = await browser.visit(at('/account'));
    const form = formTo(page, '/account/language');
    const japanese = await browser.submit(page, form, { language: 'ja' });
    assert.match(japanese.text, /<html lang="ja">/);
    assert.equal(japanese.headers.get('content-language'), 'ja');
    assert.equal((await findAccount(base.db, seeded.member.account.id))?.language, 'ja');
    const again = await browser.submit(page, form, { language: '' });
    assert.match(again.text, /<html lang="en">/);
  });

  it('the password is changed if the current password is correct, and all other browsers are signed out', async () => {
    const seeded = await seedShop(base);
    const browser = await enter(seeded);
    const other = await enter(seeded);
    const page = await browser.visit(at('/account/password'));
    const form = formTo(page, '/account/password');
    const old = seeded.password;
    for (const [fields, fault] of [
      [{ old, new: 'short', again: 'short' }, newPasswordMessages.en.faults.too_short],
      [{ old, new: 'iloveyou1', again: 'iloveyou1' }, newPasswordMessages.en.faults.common],
      [
        { old, new: `!${seeded.email}`, again: `!${seeded.email}` },
        newPasswordMessages.en.faults.personal,
      ],
      [
        { old, new: 'x'.repeat(1_025), again: 'x'.repeat(1_025) },
        newPasswordMessages.en.faults.too_long,
      ],
      [
        { old, new: NEW_PASSWORD, again: `${NEW_PASSWORD}x` },
        newPasswordMessages.en.faults.different,
      ],
      [{ old: 'wrong', new: NEW_PASSWORD, again: NEW_PASSWORD }, passwordMessages.en.refused],
    ] as const) {
      const refused = await browser.submit(page, form, fields);
      assert.equal(refused.status, 422, fault);
      assertSays(refused, fault);
      // The page must not contain a typed password.
      assert.equal(refused.text.includes(fields.new), false);
    }
    assert.equal((await other.visit(at('/account'))).url, at('/account'));
    const typed = { old, new: NEW_PASSWORD, again: NEW_PASSWORD };
    const changed = await browser.submit(page, form, typed);
    assertSays(changed, flashText('password_changed', 'en'));
    assert.match((await other.visit(at('/account'))).url, /\/signin\?next=/);
    assert.equal((await browser.visit(at('/account'))).status, 200);
    for (const [password, status] of [
      [old, 400],
      [NEW_PASSWORD, 200],
    ] as const) {
      const fresh = new PlainBrowser(service.publicUrl);
      const signIn = await fresh.visit(`${service.publicUrl}/signin?next=/console/account`);
      const button = formTo(signIn, SIGN_IN);
      const { email } = seeded;
      assert.equal((await fresh.submit(signIn, button, { email, password })).status, status);
    }
  });

  it('the current password is not checked for a minute after three wrong guesses', async () => {
    const seeded = await seedShop(base);
    const browser = await enter(seeded);
    const page = await browser.visit(at('/account/password'));
    const form = formTo(page, '/account/password');
    const guess = { old: 'wrong', new: NEW_PASSWORD, again: NEW_PASSWORD };
    for (let count = 0; count < 3; count++) await browser.submit(page, form, guess);
    const blocked = await browser.submit(page, form, { ...guess, old: seeded.password });
    assertSays(blocked, passwordMessages.en.throttled(60));
    assert.equal((await browser.visit(at('/account'))).status, 200);
  });

  it('the active sessions are listed with the current session marked, and one, all others, or all can be ended', async () => {
    const seeded = await seedShop(base);
    const { id } = seeded.member.account;
    const browser = await enter(seeded);
    const [here] = await listSessions(base.db, id, new Date());
    const stranger = await seedShop(base);
    const foreign = await enter(stranger);
    const others = [await enter(seeded), await enter(seeded)];
    const page = await browser.visit(at('/account/sessions'));
    assert.equal(page.text.split(sessionsMessages.en.here).length - 1, 1);
    const sessions = await listSessions(base.db, id, new Date());
    assert.equal(sessions.length, 3);
    const ended = sessions.find((session) => session.id !== here?.id);
    const endForm = formTo(page, '/end-others');
    const end = (sessionId: string): string => `/console/account/sessions/${sessionId}/end`;
    const [foreignSession] = await listSessions(base.db, stranger.member.account.id, new Date());
    for (const sessionId of [
      foreignSession?.id ?? '',
      'x',
      '00000000-0000-4000-8000-000000000000',
    ]) {
      const missed = await browser.submit(page, { ...endForm, action: end(sessionId) });
      assert.equal(missed.status, 404);
    }
    assert.equal((await foreign.visit(at('/account'))).url, at('/account'));
    const one = await browser.submit(page, { ...endForm, action: end(ended?.id ?? '') });
    assertSays(one, flashText('session_ended', 'en'));
    assert.equal((await listSessions(base.db, id, new Date())).length, 2);
    const rest = await browser.submit(page, endForm);
    assertSays(rest, flashText('sessions_ended', 'en'));
    for (const other of others) {
      assert.match((await other.visit(at('/account'))).url, /\/signin/);
    }
    const all = await browser.submit(page, formTo(page, '/end-all'));
    assert.equal(all.url, `${service.publicUrl}/signin`);
    assert.equal(hasFormTo(all, SIGN_IN), true);
    assert.equal((await listSessions(base.db, id, new Date())).length, 0);
    assert.equal(
      browser.cookies.some(({ name }) => name.includes('session')),
      false,
    );
  });

  it('the page explains why passkeys do not work under an IP address, and shows the address where they work', async () => {
    const browser = await enter(await seedShop(base));
    const page = await browser.visit(at('/account/passkeys'));
    assertSays(page, passkeysMessages.en.ipAddress(new URL(service.publicUrl).hostname));
    assert.match(page.text, /<code>http:\/\/localhost/);
    assert.equal(hasFormTo(page, '/account/passkeys'), false);
    const { fields } = formTo(page, '/sign-out');
    const form = { action: '/console/account/passkeys', fields };
    assert.equal((await browser.submit(page, form, { name: 'x', credential: '{}' })).status, 422);
    const options = { ...form, action: '/console/account/passkeys/options' };
    assert.equal((await browser.submit(page, options)).status, 404);
  });

  it('only the account’s passkeys can be renamed and removed', async () => {
    const seeded = await seedShop(base);
    const { id } = seeded.member.account;
    await addKeys(seeded, ['Phone']);
    const [passkey] = await listPasskeys(base.db, id);
    const path = `/account/passkeys/${passkey?.id ?? ''}`;
    const stranger = await enter(await seedShop(base));
    const strange = await stranger.visit(at(path));
    assert.equal(strange.status, 404);
    const own = formTo(await stranger.visit(at('/account')), '/sign-out');
    for (const action of [`/console${path}/remove`, `/console${path}/name`]) {
      const answer = await stranger.submit(strange, { ...own, action }, { name: 'Mine' });
      assert.equal(answer.status, 404);
    }
    assert.equal((await listPasskeys(base.db, id))[0]?.name, 'Phone');
    const browser = await enter(seeded);
    assertSays(await browser.visit(at('/account/passkeys')), passkeysMessages.en.synced);
    const page = await browser.visit(at(path));
    const rename = formTo(page, '/name');
    assert.equal((await browser.submit(page, rename, { name: ' ' })).status, 422);
    assert.match((await browser.submit(page, rename, { name: 'Tablet' })).text, /Tablet/);
    const removed = await browser.submit(page, formTo(page, '/remove'));
    assertSays(removed, flashText('passkey_removed', 'en'));
    assert.equal((await listPasskeys(base.db, id)).length, 0);
    assert.equal((await browser.visit(at(path))).status, 404);
    assert.equal(hasFormTo(await browser.visit(at('/account/passkeys')), '/remove-all'), false);
  });

  it('after a password change, passkeys still work, and the page shows them and can remove them all', async () => {
    const seeded = await seedShop(base);
    const { id } = seeded.member.account;
    await addKeys(seeded, ['mine', 'strange']);
    const other = await seedShop(base);
    await addKeys(other, ['others']);
    const browser = await enter(seeded);
    const page = await browser.visit(at('/account/password'));
    const typed = { old: seeded.password, new: NEW_PASSWORD, again: NEW_PASSWORD };
    const changed = await browser.submit(page, formTo(page, '/account/password'), typed);
    assert.equal(changed.url, at('/account/passkeys'));
    assertSays(changed, flashText('password_changed_not_passkeys', 'en'));
    assert.equal((await listPasskeys(base.db, id)).length, 2);
    const removed = await browser.submit(changed, formTo(changed, '/remove-all'));
    assertSays(removed, flashText('passkeys_removed', 'en'));
    assert.deepEqual(await listPasskeys(base.db, id), []);
    assert.equal((await listPasskeys(base.db, other.member.account.id)).length, 1);
    const filters = { before: null, limit: 10, actions: ['account.passkey_removed'] } as const;
    assert.equal((await listAudit(base.db, seeded.shop.id, filters)).length, 2);
  });
});
