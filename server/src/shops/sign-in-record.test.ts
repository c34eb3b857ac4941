import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { OPERATOR } from './audit.ts';
import { type AuditEntry, listAudit } from './audit-log.ts';
import { addMember } from './member.ts';
import { sessionOrigin } from './session.ts';
import {
  cleanSignInBursts,
  cleanSignInRecords,
  type FailureResult,
  listSignInRecords,
  recordFailedSignIn,
  recordSignIn,
} from './sign-in-record.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

describe('records of sign-ins', () => {
  const base = useTestDatabase();
  let seeded: SeededShop;
  let accountId: string;

  async function freshPerson(): Promise<void> {
    seeded = await seedShop(base);
    accountId = seeded.member.account.id;
  }

  async function signIn(ms: number, address = '192.0.2.1'): Promise<void> {
    const origin = sessionOrigin('Firefox/130', address, 'password');
    await base.db.transaction(async (tx) => await recordSignIn(tx, accountId, origin, at(ms)));
  }

  async function fail(ms: number, address = '198.51.100.1'): Promise<FailureResult> {
    const origin = sessionOrigin('curl/8', address, 'password');
    return await base.db.transaction(
      async (tx) => await recordFailedSignIn(tx, accountId, origin, at(ms)),
    );
  }

  async function entries(shop = seeded): Promise<readonly AuditEntry[]> {
    const all = await listAudit(base.db, shop.shop.id, { before: null, limit: 100 });
    return all.filter(({ action }) =>
      ['account.signed_in', 'account.sign_ins_failed'].includes(action),
    );
  }

  it('records contain time, method and network, and combine sign-ins within an hour', async () => {
    await freshPerson();
    await signIn(0);
    await signIn(HOUR_MS - 1);
    await signIn(HOUR_MS, '192.0.2.9');
    await signIn(HOUR_MS);
    await fail(2 * HOUR_MS);
    const told = (await listSignInRecords(base.db, accountId)).map((record) => [
      record.outcome,
      record.way,
      record.network,
      record.browser,
      record.attempts,
      record.firstAt.getTime() - NOW.getTime(),
    ]);
    assert.deepEqual(told, [
      ['failed', 'password', '198.51.100.1', 'curl/8', 1, 2 * HOUR_MS],
      ['signed_in', 'password', '192.0.2.1', 'Firefox/130', 1, HOUR_MS],
      ['signed_in', 'password', '192.0.2.9', 'Firefox/130', 1, HOUR_MS],
      ['signed_in', 'password', '192.0.2.1', 'Firefox/130', 2, 0],
    ]);
    const [newest, ...others] = await entries();
    assert.equal(others.length, 2);
    assert.deepEqual(
      [newest?.action, newest?.actor.id, newest?.subject.id, newest?.details],
      ['account.signed_in', accountId, accountId, { way: 'password' }],
    );
  });

  it('sign-ins are in the audit log of every shop in which the person is active', async () => {
    await freshPerson();
    const other = await seedShop(base);
    const person = { email: seeded.email, name: 'x', permissions: [], passwordHash: null };
    await base.db.transaction(
      async (tx) => void (await addMember(tx, other.shop.id, person, NOW, OPERATOR)),
    );
    await signIn(0);
    assert.equal((await entries()).length, 1);
    assert.equal((await entries(other)).length, 1);
  });

  it('a burst of failures, ten within an hour until an hour without failures, adds one audit entry', async () => {
    await freshPerson();
    for (let count = 1; count < 10; count++) {
      assert.equal((await fail(count * MINUTE_MS)).kind, 'counted');
    }
    assert.deepEqual(await entries(), []);
    assert.deepEqual(await fail(60 * MINUTE_MS), { kind: 'burst', failures: 10, isMailDue: true });
    // An attempt every half hour for a day is still the same burst.
    for (let half = 1; half < 48; half++) {
      assert.equal((await fail(HOUR_MS + half * 30 * MINUTE_MS)).kind, 'counted');
    }
    const [entry, ...others] = await entries();
    assert.equal(others.length, 0);
    assert.deepEqual(
      [entry?.actor.kind, entry?.subject.id, entry?.details],
      ['service', accountId, { failures: 10 }],
    );
  });

  it('many concurrent failures start one burst', async () => {
    await freshPerson();
    const results = await Promise.all(Array.from({ length: 40 }, async () => await fail(0)));
    assert.equal(results.filter(({ kind }) => kind === 'burst').length, 1);
    assert.equal((await entries()).length, 1);
  });

  it('the first burst of failures requests a mail, and further bursts within a day request none', async () => {
    await freshPerson();
    const burstAt = async (ms: number): Promise<boolean> => {
      for (let count = 1; count < 10; count++) await fail(ms);
      const last = await fail(ms);
      assert.ok(last.kind === 'burst');
      return last.isMailDue;
    };
    assert.equal(await burstAt(0), true);
    assert.equal(await burstAt(2 * HOUR_MS), false);
    assert.equal(await burstAt(DAY_MS - 1), false);
    assert.equal(await burstAt(DAY_MS + 2 * HOUR_MS), true);
    assert.equal((await entries()).length, 4);
  });

  it('at most 50 records of each outcome are kept, so that failures do not displace sign-ins', async () => {
    await freshPerson();
    await signIn(0);
    for (let count = 0; count < 60; count++) await fail(count, `198.51.100.${count}`);
    const kept = await listSignInRecords(base.db, accountId);
    assert.equal(kept.length, 51);
    assert.equal(kept.filter(({ outcome }) => outcome === 'failed').length, 50);
    assert.equal(kept[0]?.network, '198.51.100.59');
    assert.equal(kept.at(-1)?.outcome, 'signed_in');
  });

  it('records are deleted after 90 days, and the counters of failures after one day', async () => {
    await using own = await openTestDatabase();
    const { member } = await seedShop(own);
    const origin = sessionOrigin(undefined, '192.0.2.1', 'passkey');
    await own.db.transaction(
      async (tx) => void (await recordFailedSignIn(tx, member.account.id, origin, NOW)),
    );
    assert.equal(await cleanSignInBursts(own.db, at(DAY_MS - 1)), 0);
    assert.equal(await cleanSignInBursts(own.db, at(DAY_MS)), 1);
    assert.equal(await cleanSignInRecords(own.db, at(90 * DAY_MS - 1)), 0);
    assert.equal(await cleanSignInRecords(own.db, at(90 * DAY_MS)), 1);
  });
});

function at(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}
