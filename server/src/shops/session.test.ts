import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedShop } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { statement } from '../database/statement.ts';
import {
  cleanSessions,
  endSession,
  endSessionsOfAccount,
  findSession,
  startSession,
} from './session.ts';
import { OPERATOR } from './audit.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;

const selectHashes = statement<{ readonly hash: string }>(
  'select_session_hashes',
  `select session_hash as hash from session`,
);

describe('sessions', () => {
  let base: TestDatabase;
  let accountId: string;
  before(async () => {
    base = await openTestDatabase();
    accountId = (await seedShop(base)).member.account.id;
  });
  after(async () => await base.close());

  async function endAll(): Promise<void> {
    await base.db.transaction(
      async (tx) => await endSessionsOfAccount(tx, accountId, NOW, OPERATOR),
    );
  }

  it('sessions are found by their secret, of which only the hash is stored', async () => {
    const { secret } = await startSession(base.db, accountId, NOW);
    assert.match(secret, /^cpw_[A-Za-z0-9]{43}$/);
    assert.equal((await findSession(base.db, secret, NOW))?.accountId, accountId);
    assert.equal(await findSession(base.db, `${secret}x`, NOW), undefined);
    const hashes = (await base.db.query(selectHashes)).map(({ hash }) => hash);
    assert.equal(hashes.includes(secret), false);
  });

  it('sessions end after an hour of inactivity, and after 12 hours in any case', async () => {
    const { secret } = await startSession(base.db, accountId, NOW);
    assert.notEqual(await findSession(base.db, secret, at(HOUR_MS - 1)), undefined);
    for (let half = 3; half < 24; half++) {
      assert.notEqual(await findSession(base.db, secret, at((half * HOUR_MS) / 2)), undefined);
    }
    assert.notEqual(await findSession(base.db, secret, at(12 * HOUR_MS - 1)), undefined);
    assert.equal(await findSession(base.db, secret, at(12 * HOUR_MS)), undefined);
    const idle = await startSession(base.db, accountId, NOW);
    assert.equal(await findSession(base.db, idle.secret, at(HOUR_MS)), undefined);
  });

  it('signing out ends a session, and all sessions of an account can be ended together', async () => {
    const one = await startSession(base.db, accountId, NOW);
    const two = await startSession(base.db, accountId, NOW);
    await endSession(base.db, one.secret);
    assert.equal(await findSession(base.db, one.secret, NOW), undefined);
    assert.notEqual(await findSession(base.db, two.secret, NOW), undefined);
    await endAll();
    assert.equal(await findSession(base.db, two.secret, NOW), undefined);
  });

  it('sessions are deleted when they are over, and only then', async () => {
    await endAll();
    await startSession(base.db, accountId, NOW);
    const later = await startSession(base.db, accountId, at(HOUR_MS / 2));
    assert.equal(await cleanSessions(base.db, at(HOUR_MS)), 1);
    assert.notEqual(await findSession(base.db, later.secret, at(HOUR_MS)), undefined);
  });
});

function at(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}
