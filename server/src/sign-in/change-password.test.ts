import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SeededShop, seedShop, TEST_SECRET_KEY, testConfig } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { openMailer } from '../mail/open-mailer.ts';
import { statement } from '../database/statement.ts';
import { findAccountByEmail } from '../shops/account.ts';
import { verifyPassword } from '../shops/password.ts';
import { listSessions } from '../shops/session-list.ts';
import { findSession, startSession } from '../shops/session.ts';
import { createSignInServices, type SignInServices } from './services.ts';
import type { ChangePasswordResult } from './sign-in.ts';

const NEXT = 'another horse, another battery';

const selectPasswordActions = statement<{ readonly action: string }>(
  'test_select_password_actions',
  `select action from audit_event where shop_id = $1 and subject_kind = 'member' and action like 'account.%'
    order by entry_id`,
);

describe('a new password', () => {
  let base: TestDatabase;
  let services: SignInServices;
  /** Sign-in services without throttling. */
  let quiet: SignInServices;
  let seeded: SeededShop;
  let own: { readonly secret: string };
  const clock = new ManualClock(new Date('2026-06-01T12:00:00.000Z'));

  before(async () => {
    base = await openTestDatabase();
    const options = { db: base.db, clock, publicUrl: 'http://127.0.0.1:1' };
    const told = { log: silentLog(), mail: openMailer(testConfig().mail, clock) };
    const rest = {
      ...told,
      secretKey: TEST_SECRET_KEY,
      failuresPerMinute: 2,
      passkeyScript: () => '',
    };
    services = createSignInServices({ ...options, ...rest });
    quiet = createSignInServices({ ...options, ...rest, failuresPerMinute: null });
    seeded = await seedShop(base);
    own = await startSession(base.db, seeded.member.account.id, clock.now());
  });
  after(async () => await base.close());

  async function change(oldPassword: string, newPassword = NEXT): Promise<ChangePasswordResult> {
    const session = await findSession(base.db, own.secret, clock.now());
    return await services.signIn.changePassword({
      account: seeded.member.account,
      oldPassword,
      newPassword,
      address: '192.0.2.1',
      sessionId: session?.id ?? '',
      signal: new AbortController().signal,
    });
  }

  async function isPassword(password: string): Promise<boolean> {
    const found = await findAccountByEmail(base.db, seeded.email);
    return await verifyPassword(password, found?.passwordHash ?? null);
  }

  it('a new password is refused with a wrong old password; if it is too short, no attempt is counted', async () => {
    for (let count = 0; count < 4; count++) {
      assert.equal((await change(seeded.password, 'short')).kind, 'too_short');
    }
    assert.equal((await change(seeded.password, 'x'.repeat(1_025))).kind, 'too_long');
    assert.equal((await change('wrong')).kind, 'refused');
    assert.equal((await change('wrong')).kind, 'refused');
    const throttled = await change(seeded.password);
    assert.deepEqual(throttled, { kind: 'throttled', retryAfterSeconds: 60 });
    assert.equal(await isPassword(seeded.password), true);
    clock.advance(60_000);
  });

  it('no concurrent sign-in or change with the old password succeeds', async () => {
    const person = await seedShop(base);
    const { id } = person.member.account;
    const { account } = person.member;
    const { secret } = await startSession(base.db, id, clock.now());
    const sessionId = (await findSession(base.db, secret, clock.now()))?.id ?? '';
    const { signal } = new AbortController();
    const common = { address: '192.0.2.9', signal };
    const { password: oldPassword, email } = person;
    const signIn = async (): Promise<string> => {
      const attempt = { ...common, email, password: oldPassword };
      const rest = { userAgent: undefined, previousSecret: undefined };
      return (await quiet.signIn.attempt({ ...attempt, ...rest })).kind;
    };
    const wish = { ...common, account, oldPassword, sessionId };
    // All passwords are checked against the old hash, two at a time. Once the first change has
    // committed, all other changes and sign-ins must fail.
    const changes = ['one of the new words', 'another of the new words'].map(
      async (newPassword) => (await quiet.signIn.changePassword({ ...wish, newPassword })).kind,
    );
    const attempts = Array.from({ length: 6 }, signIn);
    assert.deepEqual((await Promise.all(changes)).toSorted(), ['changed', 'refused']);
    await Promise.all(attempts);
    assert.deepEqual(
      (await listSessions(base.db, id, clock.now())).map((session) => session.id),
      [sessionId],
    );
    assert.equal(await signIn(), 'refused');
  });

  it('a new password ends every other session of the account, and is recorded', async () => {
    const other = await startSession(base.db, seeded.member.account.id, clock.now());
    const changed = await change(seeded.password);
    assert.ok(changed.kind === 'changed');
    assert.equal(changed.endedSessions, 1);
    assert.deepEqual([await isPassword(seeded.password), await isPassword(NEXT)], [false, true]);
    assert.notEqual(await findSession(base.db, own.secret, clock.now()), undefined);
    assert.equal(await findSession(base.db, other.secret, clock.now()), undefined);
    const actions = await base.db.query(selectPasswordActions, [seeded.shop.id]);
    assert.deepEqual(
      new Set(actions.map(({ action }) => action)),
      new Set(['account.password_changed', 'account.sessions_ended']),
    );
  });
});
