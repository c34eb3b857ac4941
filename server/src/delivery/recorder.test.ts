import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { describeWithAndWithoutCitus } from '../../test/with-and-without-citus.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { type TestHook, WebhookFixture } from '../../test/webhook-fixture.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import { listAttempts } from '../webhooks/attempt-log.ts';
import { type ClaimedDelivery, claimDeliveries } from './claim.ts';
import { recordAttempts } from './record.ts';
import { Recorder } from './recorder.ts';

const DELIVERED: AttemptResult = { kind: 'delivered', status: 204, latencyMs: 7 };
const ORIGIN = 'http://127.0.0.1:9';
const TERMS = { random: (): number => 0.5, minIntervalMs: 0 };
const MINUTE_MS = 60_000;

/**
 * Wraps a database so that its next `failures` statements and transactions fail with a lost
 * connection.
 */
function breakable(db: Database): { readonly db: Database; failures: number } {
  const state = {
    failures: 0,
    db: new Proxy(db, {
      get: (target, name): unknown => {
        if ((name === 'query' || name === 'transaction') && state.failures > 0) {
          state.failures--;
          const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
          return async () => await Promise.reject(refused);
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    }),
  };
  return state;
}

async function claimAll(
  bench: WebhookFixture,
  hooks: readonly TestHook[],
): Promise<ClaimedDelivery[]> {
  await bench.change({ shopId: hooks[0]?.shopId ?? '' });
  const terms = { now: bench.clock.now(), leaseMs: MINUTE_MS, keyIds: bench.secrets.keyIds };
  return await bench.db.transaction(async (tx) => await claimDeliveries(tx, hooks, terms));
}

export const lockTestHook = statement(
  'test_lock_hook',
  `select 1 as one from webhook where shop_id = $1 and connection_id = $2 for update`,
);

describeWithAndWithoutCitus('the recorder of attempt results', (useDatabase) => {
  const base = useDatabase();

  it('a result is recorded when the database is available again, if the lease is still valid', async () => {
    const bench = new WebhookFixture(base.db);
    const hooks = await bench.hooks([ORIGIN]);
    const [delivery] = await claimAll(bench, hooks);
    const [hook] = hooks;
    assert.ok(delivery && hook);
    const broken = breakable(base.db);
    const recorder = new Recorder(broken.db, TERMS, assert.ifError);
    const ended = { delivery, result: DELIVERED, endedAt: bench.clock.now() };
    broken.failures = 2;
    const settled = await recorder.record(ended, performance.now() + MINUTE_MS);
    assert.equal(settled?.after.kind, 'waiting');
    assert.deepEqual([broken.failures, (await bench.row(hook)).acknowledgedSeq], [0, 1]);
    broken.failures = Number.POSITIVE_INFINITY;
    assert.equal(await recorder.record(ended, performance.now() - 1), null);
    const waiting = recorder.record(ended, performance.now() + MINUTE_MS);
    recorder.close();
    assert.deepEqual(await Promise.all([waiting, recorder.record(ended, MINUTE_MS)]), [null, null]);
  });

  it('the other results are recorded if one cannot be recorded', async () => {
    const bench = new WebhookFixture(base.db);
    const faults: unknown[] = [];
    const onFault = (fault: unknown): void => void faults.push(fault);
    const recorder = new Recorder(base.db, TERMS, onFault);
    const claimed = await claimAll(bench, await bench.hooks([ORIGIN, ORIGIN, ORIGIN, ORIGIN]));
    const settled = await Promise.all(
      claimed.map(async (delivery, index) => {
        // The database refuses this status.
        const result: AttemptResult = index === 2 ? { ...DELIVERED, status: 5_000 } : DELIVERED;
        const ended = { delivery, result, endedAt: bench.clock.now() };
        return await recorder.record(ended, performance.now() + MINUTE_MS);
      }),
    );
    const kinds = settled.map((one) => one?.after.kind);
    assert.deepEqual(kinds, ['waiting', 'waiting', undefined, 'waiting']);
    assert.equal(faults.length, 1);
  });

  it('a batch of different results is recorded', async () => {
    const bench = new WebhookFixture(base.db);
    const hooks = await bench.hooks([ORIGIN, ORIGIN, ORIGIN, ORIGIN]);
    const found = await claimAll(bench, hooks);
    const claimed = hooks.map((hook) =>
      found.find((one) => one.connectionId === hook.connectionId),
    );
    const [delivered, failed, lost, replaced] = claimed;
    assert.ok(delivered && failed && lost && replaced);
    const endedAt = bench.clock.now();
    const refused = { kind: 'failed', status: 500, error: 'status', latencyMs: 7 } as const;
    const attempts = [
      { delivery: delivered, result: DELIVERED, endedAt },
      { delivery: failed, result: { ...refused, retryAfterSeconds: null }, endedAt },
      { delivery: { ...lost, leaseId: newId() }, result: DELIVERED, endedAt },
      { delivery: { ...replaced, registrationId: newId() }, result: DELIVERED, endedAt },
    ];
    const { settled, locked } = await base.db.transaction(
      async (tx) => await recordAttempts(tx, attempts, TERMS),
    );
    assert.equal(locked.size, 0);
    const told = hooks.map(({ connectionId }) => settled.get(connectionId)?.after.kind);
    assert.deepEqual(told, ['waiting', 'waiting', undefined, 'waiting']);
    const rows = await Promise.all(hooks.map(async (hook) => await bench.row(hook)));
    assert.deepEqual(
      rows.map((row) => [row.acknowledgedSeq, row.failures, row.isLeased]),
      [
        [1, 0, false],
        [0, 1, false],
        [0, 0, true],
        [0, 0, false],
      ],
    );
    // The log shows what the receivers saw, even if another worker now holds the lease.
    const logs = await Promise.all(
      hooks.map(async ({ shopId, connectionId }) => {
        const page = { before: null, limit: 10 };
        return (await listAttempts(base.db, shopId, connectionId, page))?.map(
          ({ status }) => status,
        );
      }),
    );
    assert.deepEqual(logs, [[204], [500], [204], [204]]);
  });

  it('the recorder does not wait for a locked row, and records its result when the row is free', async () => {
    const bench = new WebhookFixture(base.db);
    const hooks = await bench.hooks([ORIGIN, ORIGIN, ORIGIN]);
    const claimed = await claimAll(bench, hooks);
    const recorder = new Recorder(base.db, TERMS, assert.ifError);
    const recorded: string[] = [];
    const record = async (
      delivery: ClaimedDelivery | undefined,
      forMs: number,
    ): Promise<string> => {
      assert.ok(delivery);
      const ended = { delivery, result: DELIVERED, endedAt: bench.clock.now() };
      const settled = await recorder.record(ended, performance.now() + forMs);
      recorded.push(delivery.connectionId);
      return settled === null ? 'given up' : 'recorded';
    };
    const [one, two, three] = claimed;
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = base.db.transaction(async (tx) => {
      await tx.query(lockTestHook, [one?.shopId, one?.connectionId]);
      await tx.query(lockTestHook, [two?.shopId, two?.connectionId]);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const stuck = record(one, MINUTE_MS);
    const lost = record(two, 1);
    const others = record(three, MINUTE_MS);
    await waitUntil(() => recorded.length === 2);
    assert.deepEqual(await Promise.all([lost, others]), ['given up', 'recorded']);
    assert.deepEqual(new Set(recorded), new Set([two?.connectionId, three?.connectionId]));
    held.resolve();
    await holding;
    assert.equal(await stuck, 'recorded');
    const rows = await Promise.all(hooks.map(async (hook) => await bench.row(hook)));
    const seqs = new Map(hooks.map((hook, index) => [hook.connectionId, rows[index]]));
    assert.equal(seqs.get(one?.connectionId ?? '')?.acknowledgedSeq, 1);
    assert.equal(seqs.get(two?.connectionId ?? '')?.acknowledgedSeq, 0);
  });
});
