import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import {
  formTo,
  hasFormTo,
  PlainBrowser,
  type VisitedPage,
  CONSENT,
} from '../../test/plain-browser.ts';
import {
  type SeededShop,
  seedShop,
  startTestService,
  TEST_SECRET_KEY,
  testConfig,
  type TestService,
} from '../../test/service.ts';
import { type ResponseChanges, SoftwareAuthenticator } from '../../test/software-authenticator.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { openMailer } from '../mail/open-mailer.ts';
import { findFreePort } from '../base/free-port.ts';
import { statement } from '../database/statement.ts';
import { findAccountWithPassword } from '../shops/account.ts';
import { cleanChallenges } from '../shops/passkey-challenge.ts';
import {
  addPasskey,
  listPasskeys,
  removePasskey,
  removePasskeys,
  renamePasskey,
} from '../shops/passkey.ts';
import { findSession, startSession } from '../shops/session.ts';
import { listSessions } from '../shops/session-list.ts';
import { listSignInRecords } from '../shops/sign-in-record.ts';
import { beginPasskeyRegistration, finishPasskeyRegistration } from './passkey-registration.ts';
import { signInByPasskey } from './passkey-sign-in.ts';
import { createSignInServices, type SignInServices } from './services.ts';

const selectAccountActions = statement<{ readonly action: string }>(
  'test_select_passkey_actions',
  `select action from audit_event where shop_id = $1 and action like 'account.passkey%'
    order by entry_id`,
);

const selectChallenges = statement<{ readonly hash: string }>(
  'test_select_passkey_challenges',
  `select challenge_hash as hash from passkey_challenge`,
);

describe('passkeys', () => {
  let base: TestDatabase;
  let service: TestService;
  let services: SignInServices;
  let origin: string;
  let seeded: SeededShop;
  const clock = new ManualClock(new Date());

  before(async () => {
    base = await openTestDatabase();
    const port = await findFreePort('127.0.0.1');
    origin = `http://localhost:${port}`;
    const environment = { PORT: String(port), PUBLIC_URL: origin, RATE_LIMITS: 'failures=60' };
    service = await startTestService(base, { clock, environment });
    const options = { db: base.db, clock, publicUrl: origin, secretKey: TEST_SECRET_KEY };
    const told = { log: silentLog(), mail: openMailer(testConfig().mail, clock) };
    const rest = {
      ...told,
      failuresPerMinute: null,
      passkeyScript: () => '/passkey.js',
    };
    services = createSignInServices({ ...options, ...rest });
    seeded = await seedShop(base);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function begin(of = seeded): Promise<Parameters<SoftwareAuthenticator['create']>[0]> {
    const begun = await beginPasskeyRegistration(services, of.member.account);
    assert.ok(begun.kind === 'begun');
    return begun.options;
  }

  async function finish(credential: string, of = seeded, name = 'Phone'): Promise<string> {
    const { password } = of;
    const { signal } = new AbortController();
    const given = { credential, name, password, address: '192.0.2.1', signal };
    return (await finishPasskeyRegistration(services, of.member.account, given)).kind;
  }

  async function register(
    of = seeded,
    options: { readonly isSynced?: boolean } = {},
  ): Promise<SoftwareAuthenticator> {
    const authenticator = new SoftwareAuthenticator(origin, options);
    assert.equal(await finish(authenticator.create(await begin(of)), of), 'added');
    return authenticator;
  }

  interface Asked {
    readonly browser: PlainBrowser;
    readonly page: VisitedPage;
    readonly options: { readonly challenge: string; readonly rpId: string };
  }

  /** Opens the sign-in page and requests a challenge. */
  async function ask(
    address = `${origin}/signin`,
    browser = new PlainBrowser(origin),
  ): Promise<Asked> {
    const page = await browser.visit(address);
    const path = /data-options="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const { fields } = formTo(page, '/passkey');
    const answer = await browser.submit(page, { action: path, fields });
    assert.equal(answer.status, 200, answer.text);
    const options: unknown = JSON.parse(answer.text);
    assert.ok(isOptions(options));
    return { browser, page, options };
  }

  async function answer({ browser, page }: Asked, credential: string): Promise<VisitedPage> {
    return await browser.submit(page, formTo(page, '/passkey'), { credential });
  }

  async function signIn(
    authenticator: SoftwareAuthenticator,
    changes: ResponseChanges = {},
  ): Promise<VisitedPage> {
    const asked = await ask();
    return await answer(asked, authenticator.get(asked.options, changes));
  }

  function sessionOf({ cookies }: PlainBrowser): string {
    return cookies.find(({ name }) => name === 'cardport_session')?.value ?? '';
  }

  it('after a sign-in with a passkey, the browser goes to the console, and its earlier session has ended', async () => {
    const authenticator = await register();
    const first = await ask();
    await answer(first, authenticator.get(first.options));
    const planted = sessionOf(first.browser);
    const asked = await ask();
    asked.browser.cookies.push({ name: 'cardport_session', value: planted, path: '/' });
    const page = await answer(asked, authenticator.get(asked.options));
    assert.equal(new URL(page.url).pathname.startsWith('/console'), true);
    const secret = sessionOf(asked.browser);
    assert.ok(planted !== '' && secret !== planted);
    assert.equal(await findSession(base.db, planted, clock.now()), undefined);
    const session = await findSession(base.db, secret, clock.now());
    assert.equal(session?.accountId, seeded.member.account.id);
    const [listed] = await listSessions(base.db, session.accountId, clock.now());
    assert.equal(listed?.way, 'passkey');
    const [passkey] = await listPasskeys(base.db, session.accountId);
    assert.deepEqual([passkey?.signCount, passkey?.lastUsedAt], [2, clock.now()]);
    const cookie = asked.browser.cookies.find(({ name }) => name === 'cardport_device');
    const device = services.devices.read(`cardport_device=${cookie?.value ?? ''}`);
    const account = await findAccountWithPassword(base.db, session.accountId);
    assert.ok(device && account && services.devices.knows(device, account));
    assert.equal((await listSignInRecords(base.db, account.id))[0]?.way, 'passkey');
  });

  it('a passkey also signs in for a waiting app', async () => {
    const authenticator = await register();
    const asked = await ask(new AppClient(service, seeded).authorizationUrl());
    const page = await answer(asked, authenticator.get(asked.options));
    assert.equal(hasFormTo(page, CONSENT, { decision: 'allow' }), true);
  });

  it('passkeys without a counter sign in repeatedly, and passkeys with a counter must increase it', async () => {
    const synced = await register(seeded, { isSynced: true });
    for (const clientData of [{}, { crossOrigin: false }]) {
      assert.equal((await signIn(synced, { clientData })).status, 200);
    }
    const counting = await register();
    assert.equal((await signIn(counting, { signCount: 7 })).status, 200);
    for (const signCount of [7, 6, 0]) {
      assert.equal((await signIn(counting, { signCount })).status, 400, String(signCount));
    }
    assert.equal((await signIn(counting, { signCount: 8 })).status, 200);
  });

  it('a passkey is refused with the same page and without a session if any part of the response is wrong', async () => {
    const authenticator = await register();
    const stranger = new SoftwareAuthenticator(origin);
    const other = await seedShop(base);
    const otherHandle = (await begin(other)).user?.id ?? '';
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const registration = await begin();
    const pages = new Set<string>();
    for (const [of, changes] of [
      [stranger, {}],
      [authenticator, { origin: 'https://evil.example' }],
      [authenticator, { origin: `${origin}0` }],
      [authenticator, { rpId: 'evil.example' }],
      [authenticator, { isVerified: false }],
      [authenticator, { key: privateKey }],
      [authenticator, { userHandle: otherHandle }],
      [authenticator, { userHandle: '' }],
      [authenticator, { challenge: 'bm8gY2hhbGxlbmdlIG9mIG91cnM' }],
      // This challenge was issued for a registration.
      [authenticator, { challenge: registration.challenge }],
      [authenticator, { clientData: { crossOrigin: true } }],
      [authenticator, { clientData: { crossOrigin: 'true' } }],
      [authenticator, { clientData: { topOrigin: 'https://evil.example' } }],
    ] as const) {
      const asked = await ask();
      const page = await answer(asked, of.get(asked.options, changes));
      assert.equal(page.status, 400, JSON.stringify(changes));
      assert.equal(sessionOf(asked.browser), '');
      pages.add(page.text.replaceAll(/value="[^"]*"/g, ''));
    }
    for (const credential of [
      '',
      '{}',
      'null',
      'x'.repeat(13_000),
      '{"id":"a","type":"public-key"}',
    ]) {
      assert.equal((await answer(await ask(), credential)).status, 400);
    }
    assert.equal(pages.size, 1);
  });

  it('a challenge can be used only once, even concurrently, and only within 5 minutes', async () => {
    const authenticator = await register(seeded, { isSynced: true });
    const asked = await ask();
    const credential = authenticator.get(asked.options);
    const other = await ask();
    const both = await Promise.all([answer(asked, credential), answer(other, credential)]);
    assert.deepEqual(both.map(({ status }) => String(status)).toSorted(), ['200', '400']);
    const late = await ask();
    clock.advance(300_000);
    assert.equal((await answer(late, authenticator.get(late.options))).status, 400);
    const last = await ask();
    clock.advance(299_999);
    assert.equal((await cleanChallenges(base.db, new Date(clock.now().getTime()))) > 0, true);
    assert.equal((await answer(last, authenticator.get(last.options))).status, 200);
  });

  it('requests for challenges store nothing, so none of them invalidates the challenge of another person', async () => {
    const authenticator = await register();
    const before_ = await base.db.query(selectChallenges);
    const waiting = await ask();
    const challenges = new Set<string>();
    for (let count = 0; count < 400; count++) {
      challenges.add((await ask(undefined, waiting.browser)).options.challenge);
    }
    assert.equal(challenges.size, 400);
    assert.deepEqual(await base.db.query(selectChallenges), before_);
    assert.equal((await answer(waiting, authenticator.get(waiting.options))).status, 200);
    assert.equal((await base.db.query(selectChallenges)).length, before_.length + 1);
  });

  it('a challenge is valid only in the browser that requested it, and not after its use on another node', async () => {
    const authenticator = await register(seeded, { isSynced: true });
    const [mine, other] = [await ask(), await ask()];
    const credential = authenticator.get(mine.options);
    assert.equal((await answer(other, credential)).status, 400);
    const attempt = {
      credential,
      formToken: formTo(mine.page, '/passkey').fields['form_token'] ?? '',
      address: '192.0.2.1',
      userAgent: undefined,
      previousSecret: undefined,
    };
    // `services` is another node with the same key and database.
    const onNodes = await Promise.all([
      signInByPasskey(services, attempt),
      signInByPasskey(services, attempt),
      answer(mine, credential),
    ]);
    const results = onNodes.map((result) => ('kind' in result ? result.kind : result.status));
    assert.equal(results.filter((each) => each === 'signed_in' || each === 200).length, 1);
    assert.equal((await signInByPasskey(services, attempt)).kind, 'refused');
    assert.equal((await answer(mine, credential)).status, 400);
  });

  it('a passkey is registered once, by the account that requested the challenge, and for this origin', async () => {
    const authenticator = new SoftwareAuthenticator(origin);
    const other = await seedShop(base);
    for (const changes of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { isVerified: false },
      { challenge: (await begin(other)).challenge },
      // This challenge was issued for a sign-in.
      { challenge: (await ask()).options.challenge },
      { clientData: { crossOrigin: true } },
    ]) {
      assert.equal(await finish(authenticator.create(await begin(), changes)), 'refused');
    }
    const options = await begin();
    const credential = authenticator.create(options);
    assert.equal(await finish(credential, other), 'refused');
    assert.equal(await finish(credential, seeded, ' '), 'invalid_name');
    assert.equal(await finish(credential, seeded, 'Phone\u200b'), 'invalid_name');
    assert.equal(await finish(credential), 'added');
    assert.equal(await finish(credential), 'refused');
    // Register the same key for another account, with a challenge of that account.
    assert.equal(await finish(authenticator.create(await begin(other)), other), 'known');
    assert.deepEqual(await listPasskeys(base.db, other.member.account.id), []);
  });

  it('a passkey is registered only with the password, and a wrong password does not use up the challenge', async () => {
    const own = await seedShop(base);
    const credential = new SoftwareAuthenticator(origin).create(await begin(own));
    for (const password of ['', 'wrong', seeded.password.toUpperCase()]) {
      assert.equal(await finish(credential, { ...own, password }), 'not_confirmed');
    }
    assert.deepEqual(await listPasskeys(base.db, own.member.account.id), []);
    assert.equal(await finish(credential, own), 'added');
  });

  it('removing a passkey ends the sessions that it started, and no others', async () => {
    const own = await seedShop(base);
    const { id } = own.member.account;
    const by = { kind: 'member', accountId: id } as const;
    const [lost, kept] = [await register(own), await register(own)];
    const [first, second] = [await ask(), await ask()];
    await answer(first, lost.get(first.options));
    await answer(second, kept.get(second.options));
    const typed = await startSession(base.db, id, clock.now());
    const isOpen = async (secret: string): Promise<boolean> =>
      (await findSession(base.db, secret, clock.now())) !== undefined;
    const passkeys = await listPasskeys(base.db, id);
    const gone = passkeys.find(({ credentialId }) => credentialId === lost.credentialId)?.id ?? '';
    await base.db.transaction(
      async (tx) => void (await removePasskey(tx, id, gone, clock.now(), by)),
    );
    const secrets = [sessionOf(first.browser), sessionOf(second.browser), typed.secret];
    assert.deepEqual(await Promise.all(secrets.map(isOpen)), [false, true, true]);
    const removed = await base.db.transaction(
      async (tx) => await removePasskeys(tx, id, clock.now(), by),
    );
    assert.equal(removed, 1);
    assert.deepEqual(await Promise.all(secrets.map(isOpen)), [false, false, true]);
    assert.deepEqual(await listPasskeys(base.db, id), []);
  });

  it('an account can have 20 passkeys', async () => {
    const other = await seedShop(base);
    await register(other);
    const { id } = other.member.account;
    await base.db.transaction(async (tx) => {
      for (let count = 1; count < 20; count++) {
        const key = { credentialId: `credential-${count}`, publicKey: Buffer.from([1]) };
        const rest = { name: 'Key', isSynced: false, signCount: 0, transports: [] };
        const by = { kind: 'member', accountId: id } as const;
        await addPasskey(tx, id, { ...key, ...rest }, clock.now(), by);
      }
    });
    const one = new SoftwareAuthenticator(origin).create(await begin(other));
    assert.equal(await finish(one, other), 'too_many');
  });

  it('passkeys are renamed and removed only by their account, and a removed passkey cannot sign in', async () => {
    const owner = await seedShop(base);
    const accountId = owner.member.account.id;
    const authenticator = await register(owner);
    const [passkey] = await listPasskeys(base.db, accountId);
    const id = passkey?.id ?? '';
    const now = clock.now();
    await base.db.transaction(async (tx) => {
      const stranger = seeded.member.account.id;
      const by = { kind: 'member', accountId: stranger } as const;
      const renamed = await renamePasskey(tx, stranger, id, 'Mine', now, by);
      assert.equal(renamed.kind, 'not_found');
      assert.equal(await removePasskey(tx, stranger, id, now, by), false);
    });
    const asked = await ask();
    const credential = authenticator.get(asked.options);
    await base.db.transaction(async (tx) => {
      const by = { kind: 'member', accountId } as const;
      assert.equal((await renamePasskey(tx, accountId, id, 'Key', now, by)).kind, 'renamed');
      assert.equal(await removePasskey(tx, accountId, id, now, by), true);
    });
    assert.equal((await answer(asked, credential)).status, 400);
    assert.equal(sessionOf(asked.browser), '');
    const actions = await base.db.query(selectAccountActions, [owner.shop.id]);
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['account.passkey_added', 'account.passkey_renamed', 'account.passkey_removed'],
    );
  });
});

function isOptions(value: unknown): value is { readonly challenge: string; readonly rpId: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'challenge' in value &&
    'rpId' in value &&
    Object.keys(value).toSorted().join() === 'challenge,rpId,timeout,userVerification'
  );
}
