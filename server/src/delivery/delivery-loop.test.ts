import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Database, DatabaseBusy, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { startWorker } from '../../test/delivery-worker.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import {
  respondWith,
  startReceiver,
  type TestHook,
  type TestReceiver,
  WebhookFixture,
} from '../../test/webhook-fixture.ts';
import { DuePoller, pauseAfterPoll } from './due-poller.ts';
import { DueQueue, queueLimits } from './due-queue.ts';

/** Longer than any test, so that workers find only webhooks that they are woken for. */
const NEVER_MS = 3_600_000;

export const insertPendingAttempt = statement(
  'test_plant_attempt',
  `insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at)
   values ($1, $2, 1, $1, 1, now())`,
);

/** Wraps a database so that a test can hold its statements and count the runs of each. */
function instrument(
  db: Database,
  seams: {
    readonly asked?: (name: string) => Promise<void>;
    readonly answered?: (name: string) => Promise<void>;
  },
): { readonly db: Database; readonly times: (name: string) => number } {
  const asks: string[] = [];
  const around = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (of, name): unknown => {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        if (name === 'query') {
          return async (asked: { readonly name: string }, values: unknown): Promise<unknown> => {
            await seams.asked?.(asked.name);
            const rows: unknown = await member.call(of, asked, values);
            await seams.answered?.(asked.name);
            asks.push(asked.name);
            return rows;
          };
        }
        if (name !== 'transaction') return member.bind(of);
        return async (work: (tx: Transaction) => Promise<unknown>): Promise<unknown> => {
          return await member.call(of, async (tx: Transaction) => await work(around(tx)));
        };
      },
    });
  return {
    db: around(db),
    times: (name) => asks.filter((asked) => asked.replace(/_on_citus$/, '') === name).length,
  };
}

describe('the loop of a worker (decision 0105)', () => {
  let base: TestDatabase;
  let receiver: TestReceiver;
  let bench: WebhookFixture;
  let hook: TestHook;
  before(async () => {
    base = await openTestDatabase();
    receiver = await startReceiver();
  });
  after(async () => {
    await base.close();
    await receiver[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    bench = new WebhookFixture(base.db);
    await bench.clear();
    receiver.notices.splice(0);
    receiver.handle = respondWith(204);
    hook = await bench.hook(receiver.origin);
  });
  const isAcknowledged = async (seq: number, of: TestHook = hook): Promise<boolean> => {
    const row = await bench.row(of);
    return row.acknowledgedSeq === seq && !row.isLeased;
  };

  it('the loop claims the webhooks that one query found if the other fails, and does not repeat the failed query immediately', async () => {
    let failed = 0;
    const { db } = instrument(base.db, {
      asked: async (name) => {
        await Promise.resolve();
        if (name !== 'find_due') return;
        failed++;
        throw new DatabaseBusy('the statement took too long');
      },
    });
    await using worker = startWorker(bench, { pollMs: NEVER_MS }, db);
    await waitUntil(() => failed > 0);
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    await waitUntil(async () => await isAcknowledged(1));
    assert.equal(failed, 1);
  });

  it('the slot of an answered event is freed while its result waits for the database', async () => {
    const recorded = Promise.withResolvers<void>();
    const { db } = instrument(base.db, {
      asked: async (name) => {
        if (name.startsWith('settle_delivered_webhooks')) await recorded.promise;
      },
    });
    const hooks = [hook];
    while (hooks.length <= queueLimits.fast.perOrigin) {
      hooks.push(await bench.hook(receiver.origin));
    }
    for (const each of hooks) await bench.change(each);
    await using _ = startWorker(bench, {}, db);
    try {
      await waitUntil(() => receiver.notices.length === hooks.length);
      for (const each of hooks) assert.equal(await isAcknowledged(1, each), false);
    } finally {
      recorded.resolve();
    }
    for (const each of hooks) await waitUntil(async () => await isAcknowledged(1, each));
  });

  it('the shops of a failed query are queried again', async () => {
    let failures = 0;
    const { db, times } = instrument(base.db, {
      asked: async (name) => {
        await Promise.resolve();
        if (name.startsWith('find_due_of_shops') && failures++ === 0) {
          throw new DatabaseBusy('busy');
        }
      },
    });
    await using worker = startWorker(bench, { pollMs: NEVER_MS }, db);
    await waitUntil(() => times('find_due') === 1);
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    await waitUntil(async () => await isAcknowledged(1));
    assert.ok(failures > 1);
  });

  it('no pending claim and no slot is lost when the database is busy', async () => {
    let claims = 0;
    const { db } = instrument(base.db, {
      asked: async (name) => {
        await Promise.resolve();
        if (name.startsWith('claim_webhooks') && claims++ === 0) throw new DatabaseBusy('busy');
      },
    });
    await using worker = startWorker(bench, { pollMs: NEVER_MS }, db);
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    await waitUntil(async () => await isAcknowledged(1));
    await waitUntil(() => worker.delivery.state.inFlight === 0);
    assert.equal(worker.delivery.state.due, 0);
    assert.equal(claims, 2);
  });

  it('the other webhooks are claimed if one cannot be claimed, and the failure is reported once', async () => {
    const hooks = await bench.hooks([receiver.origin, receiver.origin]);
    const [planted] = hooks;
    assert.ok(planted);
    await base.db.query(insertPendingAttempt, [planted.shopId, planted.connectionId]);
    await bench.change(planted);
    await using worker = startWorker(bench);
    await waitUntil(async () => await isAcknowledged(1, hooks[1]));
    await bench.change(planted);
    await waitUntil(async () => await isAcknowledged(2, hooks[1]));
    const paths = receiver.notices.map(({ path }) => path);
    assert.ok(!paths.includes(`/hook/${planted.connectionId}`));
    assert.match(String(worker.faults.splice(0)), /^[^,]*webhook_attempt_pkey[^,]*$/);
  });

  it('nothing is claimed after close was called', async () => {
    let claims = 0;
    const looking = Promise.withResolvers<void>();
    const closing = Promise.withResolvers<void>();
    const { db, times } = instrument(base.db, {
      asked: async (name) => {
        await Promise.resolve();
        if (name.startsWith('claim_webhooks')) claims++;
      },
      answered: async (name) => {
        if (!name.startsWith('find_due_of_shops')) return;
        looking.resolve();
        await closing.promise;
      },
    });
    await using worker = startWorker(bench, { pollMs: NEVER_MS }, db);
    await waitUntil(() => times('find_due') === 1);
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    await looking.promise;
    const closed = worker.delivery.close(5_000);
    closing.resolve();
    await closed;
    assert.deepEqual([claims, receiver.notices.length], [0, 0]);
  });

  it('the loop polls at most 100 times a second, however often it is woken', async () => {
    const { db, times } = instrument(base.db, {});
    await using worker = startWorker(bench, { pollMs: NEVER_MS }, db);
    const beganAtMs = performance.now();
    await waitUntil(() => {
      worker.delivery.wake(hook.shopId);
      return times('find_due_of_shops') >= 5;
    });
    // The limit is 1 ms below the timer's 10 ms, because timers may fire a fraction of a
    // millisecond early.
    assert.ok(performance.now() - beganAtMs >= 4 * 9);
  });

  it('the loop polls all webhooks after too many wakes, and sets timers for those due within 37 s', async () => {
    const deps = { db: base.db, clock: bench.clock, keyIds: [], pollMs: NEVER_MS };
    const queue = new DueQueue();
    const looks = new DuePoller({ ...deps, queue, isInFlight: () => false });
    await looks.poll();
    const nowMs = performance.now();
    assert.ok(looks.nextAtMs > nowMs + 60_000);
    looks.wakeAfter(hook, 37_001);
    assert.ok(looks.nextAtMs > nowMs + 60_000);
    looks.wakeAfter(hook, 36_000);
    assert.ok(looks.nextAtMs >= nowMs + 36_000 && looks.nextAtMs < nowMs + 40_000);
    looks.wakeAfter(hook, 6_000);
    looks.wakeAfter(hook, 30_000);
    assert.ok(looks.nextAtMs < nowMs + 10_000, 'the earlier timer stays');
    looks.wake(hook.shopId);
    await looks.poll();
    for (let n = 0; n < 10_000; n++) looks.wake(`${n}`);
    assert.ok(looks.nextAtMs > Number.NEGATIVE_INFINITY);
    looks.wake('one too many');
    assert.equal(looks.nextAtMs, Number.NEGATIVE_INFINITY);
  });

  it('the loop polls again immediately if notifications were lost during a poll', async () => {
    const queue = new DueQueue();
    const { db, times } = instrument(base.db, {
      answered: async (name) => {
        await Promise.resolve();
        if (name === 'find_due' && times(name) === 0) looks.wakeAll();
      },
    });
    const deps = { db, clock: bench.clock, keyIds: [], pollMs: NEVER_MS, queue };
    const looks = new DuePoller({ ...deps, isInFlight: () => false });
    await looks.poll();
    assert.equal(looks.nextAtMs, Number.NEGATIVE_INFINITY);
    await looks.poll();
    assert.equal(times('find_due'), 2);
    assert.ok(looks.nextAtMs > performance.now());
  });

  it('the loop pauses after a poll for fifty times its duration, but at least 500 ms and at most 10 s', () => {
    const rests = [0, 10, 11, 200, 201].map((tookMs) => pauseAfterPoll(tookMs, 500));
    assert.deepEqual(rests, [500, 500, 550, 10_000, 10_000]);
  });

  it('an event is sent for a change that is committed while a result is being recorded', async () => {
    const recording = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const { db, times } = instrument(base.db, {
      answered: async (name) => {
        if (!name.startsWith('settle_delivered_webhooks')) return;
        recording.resolve();
        await looked.promise;
      },
    });
    await using worker = startWorker(bench, { pollMs: NEVER_MS }, db);
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    await recording.promise;
    await bench.change(hook);
    // The first query may have begun before the wake. After the second, no wake is pending when the
    // result is recorded.
    for (let looks = 0; looks < 2; looks++) {
      const before = times('find_due_of_shops');
      worker.delivery.wake(hook.shopId);
      await waitUntil(() => times('find_due_of_shops') > before);
    }
    looked.resolve();
    await waitUntil(async () => await isAcknowledged(2));
    assert.equal(receiver.notices.length, 2);
  });
});
