import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { setAppEnabled } from '../apps/app.ts';
import { endConnection } from '../connections/connection.ts';
import { statement } from '../database/statement.ts';
import { beginNewEpoch } from '../inventory/restored.ts';
import { onEachEngine, type TestDatabase } from '../../test/engines.ts';
import { type TestHook, WebhookBench } from '../../test/webhook-bench.ts';
import type { AttemptResult } from './attempt.ts';
import { type ClaimedNotice, claimNotices } from './claim.ts';
import { listDueOfShops, listDuePending, listDueUntold } from './due.ts';
import { recordAttempts, type SettledAttempt } from './record.ts';
import { removeWebhook } from './registration.ts';
import { askForTrial } from './trial.ts';

const SECOND = 1_000;
const DAY = 24 * 3_600_000;
const DELIVERED: AttemptResult = { kind: 'delivered', status: 204, latencyMs: 7 };
const FAILED = {
  kind: 'failed',
  status: 500,
  error: 'status',
  latencyMs: 7,
  retryAfterSeconds: null,
} as const satisfies AttemptResult;
const INTERRUPTED: AttemptResult = { ...FAILED, status: null, error: 'interrupted' };
const STALE: AttemptResult = { ...FAILED, status: null, error: 'reset', isStale: true };
const ORIGIN = 'http://127.0.0.1:9';

/** As many claims at once, below what the pool may open. */
const SESSIONS = 8;
/** More than a test takes. */
const LONG_PACE_MS = 60_000;

export const readSession = statement('test_read_session', 'select pg_backend_pid() as pid');
export const limitLockWait = statement(
  'test_limit_lock_wait',
  `select set_config('lock_timeout', '1s', true) as set`,
);
export const endPace = statement(
  'test_end_pace',
  `update webhook set leased_until = clock_timestamp() where connection_id = $1`,
);
export const bringForward = statement(
  'test_bring_forward',
  `update webhook set early_at = $2 where connection_id = $1`,
);

onEachEngine('claims and records of notices', (open, kind) => {
  let base: TestDatabase;
  let bench: WebhookBench;
  let hook: TestHook;
  before(async () => {
    base = await open();
  });
  after(async () => await base.close());
  beforeEach(async () => {
    bench = new WebhookBench(base.db);
    await bench.clear();
    hook = await bench.hook(ORIGIN);
  });

  const claimAll = async (
    hooks: readonly TestHook[],
    { leaseMs = 60_000, keyIds = bench.secrets.keyIds, now = bench.clock.now() } = {},
  ): Promise<ClaimedNotice[]> =>
    await base.db.transaction(
      async (tx) => await claimNotices(tx, hooks, { now, leaseMs, keyIds }),
    );
  const claim = async (leaseMs?: number): Promise<ClaimedNotice> => {
    const [claimed] = await claimAll([hook], leaseMs === undefined ? {} : { leaseMs });
    assert.ok(claimed, 'nothing was due');
    return claimed;
  };
  /** Until the retry that waits; far below 0 when none does. */
  const dueInMs = async (): Promise<number> =>
    Number((await bench.row(hook)).nextAttemptAt) - bench.clock.now().getTime();
  const assertNothingDue = async (): Promise<void> => assert.deepEqual(await claimAll([hook]), []);
  const record = async (
    notice: ClaimedNotice,
    result: AttemptResult,
    paceMs = 0,
  ): Promise<SettledAttempt | undefined> => {
    const ended = { notice, result, endedAt: bench.clock.now() };
    const terms = { random: () => 0.5, paceMs };
    const { settled } = await base.db.transaction(
      async (tx) => await recordAttempts(tx, [ended], terms),
    );
    return settled.get(notice.connectionId);
  };
  const looks = async (): Promise<readonly string[][]> => {
    const bounds = { exceptOrigins: [], isSlow: false, limit: 10 };
    const all = { ...bounds, keyIds: bench.secrets.keyIds };
    const now = bench.clock.now();
    const found = [
      await listDueOfShops(base.db, [hook.shopId], now, { ...all, horizonMs: 0 }),
      await listDuePending(base.db, now, all),
      await listDueUntold(base.db, now, all),
    ];
    return found.map((rows) => rows.map((row) => row.connectionId));
  };

  it('claims a webhook once for a change, and none without one', async () => {
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    await bench.change(hook);
    assert.deepEqual(await looks(), [[hook.connectionId], [], [hook.connectionId]]);
    const notice = await claim();
    assert.deepEqual([notice.number, notice.attempt, notice.coversSeq], [1, 1, 1]);
    assert.equal(notice.isTrial, false);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    const [logged] = await bench.attempts(hook);
    assert.deepEqual(
      [logged?.eventId, logged?.status, logged?.error],
      [notice.eventId, null, null],
    );
  });

  it('acknowledges what was covered, and keeps the pace between two notices', async () => {
    await bench.change(hook);
    const first = await claim();
    await bench.change(hook);
    bench.clock.advance(40);
    assert.equal((await record(first, DELIVERED, LONG_PACE_MS))?.waitMs, LONG_PACE_MS);
    const row = await bench.row(hook);
    assert.deepEqual([row.acknowledgedSeq, row.isLeased, row.nextAttemptAt], [1, false, null]);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    const bounds = { keyIds: bench.secrets.keyIds, horizonMs: LONG_PACE_MS, limit: 10 };
    const listed = await listDueOfShops(base.db, [hook.shopId], bench.clock.now(), bounds);
    const waitMs = listed[0]?.waitMs ?? 0;
    assert.ok(waitMs > 0 && waitMs <= LONG_PACE_MS, `${waitMs} ms`);
    await base.db.query(endPace, [hook.connectionId]);
    const second = await claim();
    assert.notEqual(second.eventId, first.eventId);
    assert.deepEqual([second.attempt, second.coversSeq], [1, 2]);
    assert.equal((await record(second, DELIVERED))?.waitMs, null);
    bench.clock.advance(DAY);
    await assertNothingDue();
  });

  it('lets a worker claim what is fresh, and keeps the pace, however far its clock is off', async () => {
    const now = bench.clock.now().getTime();
    const [behind, ahead] = [new Date(now - DAY), new Date(now + DAY)];
    await bench.change(hook);
    const [first] = await claimAll([hook], { now: behind });
    assert.ok(first, 'a worker whose clock is behind claims');
    await bench.change(hook);
    await record(first, DELIVERED, LONG_PACE_MS);
    assert.deepEqual(await claimAll([hook], { now: ahead }), []);
    await bench.put(hook);
    assert.deepEqual(await claimAll([hook], { now: ahead }), [], 'a PUT leaves the pace');
    await base.db.query(endPace, [hook.connectionId]);
    assert.equal((await claimAll([hook], { now: behind })).length, 1);
  });

  it('repeats a failed notice with the same id and instant, and not a millisecond early', async () => {
    await bench.change(hook);
    const first = await claim();
    bench.clock.advance(3);
    await record(first, FAILED);
    bench.clock.advance(5 * SECOND - 1);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    bench.clock.advance(1);
    assert.deepEqual(await looks(), [[hook.connectionId], [hook.connectionId], []]);
    const second = await claim();
    assert.deepEqual([second.eventId, second.attempt, second.number], [first.eventId, 2, 2]);
    assert.equal(second.interruptedNumber, null);
    assert.deepEqual(second.occurredAt, first.occurredAt);
  });

  it('replaces a failed notice that a change has overtaken, and goes on with its retries', async () => {
    await bench.change(hook);
    const first = await claim();
    await record(first, FAILED);
    await bench.change(hook);
    bench.clock.advance(5 * SECOND);
    const second = await claim();
    assert.notEqual(second.eventId, first.eventId);
    assert.deepEqual([second.attempt, second.number, second.coversSeq], [1, 2, 2]);
    await record(second, FAILED);
    assert.equal((await bench.row(hook)).failures, 2);
  });

  it('pauses while the app is disabled, which does not count as failing', async () => {
    const enable = async (isEnabled: boolean): Promise<void> => {
      await base.db.transaction(async (tx) => {
        await setAppEnabled(tx, hook.clientId, isEnabled, bench.clock.now());
      });
    };
    await bench.change(hook);
    await enable(false);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    await enable(true);
    await record(await claim(), FAILED);
    const { failingSince } = await bench.row(hook);
    await enable(false);
    bench.clock.advance(20 * DAY);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    await enable(true);
    await record(await claim(), FAILED);
    const row = await bench.row(hook);
    assert.deepEqual([row.failures, row.removalReason], [2, null]);
    const moved = Number(row.failingSince) - Number(failingSince);
    assert.equal(moved, 20 * DAY - 5 * SECOND);
  });

  it('counts a claim that is late by a minute as failing, and an outage not', async () => {
    await bench.change(hook);
    await record(await claim(), FAILED);
    const begin = (await bench.row(hook)).failingSince;
    const claimLate = async (lateMs: number): Promise<number> => {
      bench.clock.advance((await dueInMs()) + lateMs);
      await record(await claim(), FAILED);
      return Number((await bench.row(hook)).failingSince) - Number(begin);
    };
    assert.equal(await claimLate(3), 0);
    assert.equal(await claimLate(60 * SECOND), 0);
    assert.equal(await claimLate(60 * SECOND + 1), 60 * SECOND + 1);
    assert.equal((await bench.row(hook)).failures, 4);
  });

  it('makes the attempt of day 14 the last, also when it is claimed late', async () => {
    for (const lateMs of [1, 60 * SECOND, DAY]) {
      hook = await bench.hook(ORIGIN);
      await bench.change(hook);
      while ((await bench.row(hook)).failures < 22) {
        bench.clock.advance(Math.max(0, await dueInMs()));
        await record(await claim(), FAILED);
      }
      const { nextAttemptAt, failingSince } = await bench.row(hook);
      assert.equal(Number(nextAttemptAt) - Number(failingSince), 14 * DAY);
      bench.clock.advance((await dueInMs()) + lateMs);
      assert.deepEqual((await record(await claim(), FAILED))?.after, {
        kind: 'removed',
        reason: 'failing',
      });
    }
  });

  it('removes the webhook on day 14 without its secrets, when the last attempt fails', async () => {
    await bench.change(hook);
    let attempts = 0;
    const since = bench.clock.now().getTime();
    while ((await bench.row(hook)).removalReason === null) {
      bench.clock.advance(Math.max(0, await dueInMs()));
      attempts++;
      await record(await claim(), FAILED);
    }
    const row = await bench.row(hook);
    assert.deepEqual([row.removalReason, row.hasSecret, row.eventId], ['failing', false, null]);
    assert.equal(bench.clock.now().getTime() - since, 14 * DAY);
    // 11 steps take 75 h 42 min 35 s; then 10 daily ones, and the last on day 14.
    assert.equal(attempts, 1 + 11 + 10 + 1);
    await bench.change(hook);
    await assertNothingDue();
  });

  it('removes the webhook when the receiver is gone, and not when it was put anew meanwhile', async () => {
    const gone: AttemptResult = { ...FAILED, status: 410, error: 'gone' };
    await bench.change(hook);
    const first = await claim();
    await bench.put(hook);
    await record(first, gone);
    const kept = await bench.row(hook);
    assert.deepEqual([kept.removalReason, kept.isLeased, kept.acknowledgedSeq], [null, false, 0]);
    assert.equal(kept.nextAttemptAt, null);
    const second = await claim();
    assert.notEqual(second.eventId, first.eventId);
    // What came early during the attempt goes with the webhook.
    await base.db.query(bringForward, [hook.connectionId, bench.clock.now()]);
    await record(second, gone);
    const row = await bench.row(hook);
    assert.deepEqual([row.removalReason, row.hasSecret, row.isLeased], ['gone', false, false]);
    assert.equal(row.earlyAt, null);
    assert.deepEqual(
      (await bench.attempts(hook)).map(({ status, error }) => [status, error]),
      [
        [410, 'gone'],
        [410, 'gone'],
      ],
    );
  });

  it('leaves a webhook that was removed during its attempt removed', async () => {
    await bench.change(hook);
    const notice = await claim();
    await base.db.transaction(async (tx) => {
      await removeWebhook(tx, hook.shopId, hook.connectionId, 'app', bench.clock.now());
    });
    const settled = await record(notice, DELIVERED);
    assert.equal(settled?.waitMs, null);
    const row = await bench.row(hook);
    assert.deepEqual([row.removalReason, row.hasSecret, row.isLeased], ['app', false, false]);
  });

  it('does not claim for a connection that has ended', async () => {
    await bench.change(hook);
    await base.db.transaction(async (tx) => {
      await endConnection(tx, hook.shopId, hook.clientId, 'shop', bench.clock.now());
    });
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
  });

  it('claims again what a worker that died had claimed, and says so in the log', async () => {
    await bench.change(hook);
    const first = await claim(0);
    assert.deepEqual(await looks(), [[hook.connectionId], [], [hook.connectionId]]);
    const second = await claim();
    assert.deepEqual([second.eventId, second.attempt], [first.eventId, 2]);
    assert.deepEqual([first.interruptedNumber, second.interruptedNumber], [null, 1]);
    const errors = (await bench.attempts(hook)).map(({ error }) => error);
    assert.deepEqual(errors, ['interrupted', null]);
    // It was not dead after all: the log says what the receiver saw, the webhook is another's.
    assert.equal(await record(first, FAILED), undefined);
    const row = await bench.row(hook);
    assert.deepEqual([row.isLeased, row.failures], [true, 0]);
    assert.equal((await bench.attempts(hook))[0]?.error, 'status');
    await record(second, DELIVERED);
    assert.equal((await bench.row(hook)).acknowledgedSeq, 1);
  });

  it('makes an early attempt that fails no more often than it was asked for', async () => {
    await bench.change(hook);
    await record(await claim(), FAILED);
    const { nextAttemptAt } = await bench.row(hook);
    bench.clock.advance(SECOND);
    await base.db.query(bringForward, [hook.connectionId, bench.clock.now()]);
    await record(await claim(), FAILED);
    assert.deepEqual((await bench.row(hook)).nextAttemptAt, nextAttemptAt);
    bench.clock.advance((await dueInMs()) - 1);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    bench.clock.advance(1);
    assert.equal((await claim()).isEarly, false);
  });

  it('counts late time once, also when the worker that claimed late has died', async () => {
    await bench.change(hook);
    await record(await claim(), FAILED);
    const begin = Number((await bench.row(hook)).failingSince);
    bench.clock.advance((await dueInMs()) + DAY);
    await claim(0);
    // A retry whose worker has died is found among the retries.
    assert.deepEqual(await looks(), [[hook.connectionId], [hook.connectionId], []]);
    bench.clock.advance(30 * SECOND);
    await record(await claim(), FAILED);
    const { failingSince, failures } = await bench.row(hook);
    assert.deepEqual([Number(failingSince) - begin, failures], [DAY, 2]);
  });

  it('tells again, and takes no step, when a kept connection had died: the log says reset', async () => {
    await bench.change(hook);
    const first = await claim();
    assert.equal((await record(first, STALE, 40))?.waitMs, 40);
    await base.db.query(endPace, [hook.connectionId]);
    const second = await claim();
    assert.deepEqual([second.eventId, second.attempt, second.failures], [first.eventId, 2, 0]);
    assert.equal((await bench.attempts(hook))[0]?.error, 'reset');
  });

  it('takes no step for an interruption, and makes an early attempt again', async () => {
    await bench.change(hook);
    await record(await claim(), FAILED);
    bench.clock.advance(2 * SECOND);
    await base.db.query(bringForward, [hook.connectionId, bench.clock.now()]);
    const early = await claim();
    assert.equal(early.isEarly, true);
    await record(early, INTERRUPTED);
    const row = await bench.row(hook);
    assert.equal(row.failures, 1);
    assert.deepEqual(row.earlyAt, bench.clock.now());
    await record(await claim(), FAILED);
    const { failures, nextAttemptAt } = await bench.row(hook);
    assert.deepEqual([failures, nextAttemptAt], [1, row.nextAttemptAt]);
  });

  it('sends a trial once, and drops it when it fails', async () => {
    const ask = async (): Promise<string> => {
      const asked = await base.db.transaction(
        async (tx) => await askForTrial(tx, hook.shopId, hook.connectionId, bench.clock.now()),
      );
      return asked.kind === 'asked' ? asked.eventId : asked.kind;
    };
    const eventId = await ask();
    assert.deepEqual(await looks(), [[hook.connectionId], [], [hook.connectionId]]);
    const notice = await claim();
    assert.deepEqual([notice.eventId, notice.attempt, notice.isTrial], [eventId, 1, true]);
    assert.equal((await record(notice, FAILED))?.waitMs, null);
    assert.equal((await bench.row(hook)).failures, 0);
    bench.clock.advance(DAY);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    await ask();
    // A change that comes before it is sent is told by it.
    await bench.change(hook);
    const telling = await claim();
    assert.deepEqual([telling.isTrial, telling.coversSeq], [false, 1]);
  });

  it('keeps the pace after whatever ends, however early the next may come', async () => {
    for (const result of [FAILED, DELIVERED, INTERRUPTED, STALE]) {
      await bench.change(hook);
      await record(await claim(), result, LONG_PACE_MS);
      const { shopId, connectionId } = hook;
      const now = bench.clock.now();
      await base.db.transaction(async (tx) => await askForTrial(tx, shopId, connectionId, now));
      await assertNothingDue();
      await base.db.query(endPace, [connectionId]);
      await record(await claim(), DELIVERED);
    }
  });

  it('puts notices off as long as the receiver of a trial asks for', async () => {
    const { shopId, connectionId } = hook;
    const now = bench.clock.now();
    await base.db.transaction(async (tx) => await askForTrial(tx, shopId, connectionId, now));
    await record(await claim(), { ...FAILED, status: 503, retryAfterSeconds: 60 });
    await bench.change(hook);
    bench.clock.advance(60 * SECOND - 1);
    await assertNothingDue();
    assert.deepEqual(await looks(), [[], [], []]);
    bench.clock.advance(1);
    assert.deepEqual(await looks(), [[connectionId], [], [connectionId]]);
    await record(await claim(), DELIVERED);
    assert.equal((await bench.row(hook)).nextAttemptAt, null);
  });

  it('makes everything due in a new epoch', async () => {
    await bench.change(hook);
    await record(await claim(), DELIVERED);
    bench.clock.advance(DAY);
    await base.db.transaction(async (tx) => void (await beginNewEpoch(tx, bench.clock.now())));
    assert.deepEqual(await looks(), [[hook.connectionId], [], [hook.connectionId]]);
    await record(await claim(), DELIVERED);
    bench.clock.advance(DAY);
    await assertNothingDue();
  });

  it('leaves alone what it cannot sign', async () => {
    await bench.change(hook);
    assert.deepEqual(await claimAll([hook], { keyIds: ['another key'] }), []);
    const other = { exceptOrigins: [], isSlow: false, limit: 10, keyIds: ['another key'] };
    assert.deepEqual(await listDueUntold(base.db, bench.clock.now(), other), []);
    assert.deepEqual(await bench.attempts(hook), []);
  });

  it('looks past origins at their bound, for the fast that fail too, the oldest first', async () => {
    const [one, two, three] = await bench.hooks([ORIGIN, 'http://127.0.0.1:10', ORIGIN]);
    assert.ok(one && two && three);
    await bench.change(one);
    const keyIds = bench.secrets.keyIds;
    const look = async (
      list: typeof listDueUntold,
      bounds: { exceptOrigins?: string[]; isSlow?: boolean; limit?: number } = {},
    ): Promise<string[]> => {
      const all = { exceptOrigins: [], isSlow: false, limit: 10, keyIds, ...bounds };
      const rows = await list(base.db, bench.clock.now(), all);
      return rows.map((row) => row.connectionId);
    };
    assert.deepEqual(await look(listDueUntold, { exceptOrigins: [ORIGIN] }), [two.connectionId]);
    assert.equal((await look(listDueUntold, { limit: 2 })).length, 2);
    for (const failing of await claimAll([one, two])) {
      await record(failing, FAILED);
      bench.clock.advance(SECOND);
    }
    bench.clock.advance(5 * SECOND);
    const pending = await look(listDuePending);
    assert.deepEqual(new Set(pending), new Set([one.connectionId, two.connectionId]));
    const { nextAttemptAt } = await bench.row(one);
    const isOneFirst = Number(nextAttemptAt) < Number((await bench.row(two)).nextAttemptAt);
    assert.equal(pending[0], isOneFirst ? one.connectionId : two.connectionId);
    assert.deepEqual(await look(listDuePending, { exceptOrigins: [ORIGIN] }), [two.connectionId]);
    assert.deepEqual(await look(listDuePending, { isSlow: true }), []);
    assert.deepEqual(await look(listDueUntold), [three.connectionId]);
  });

  it(
    'gives each webhook to one of those that claim at once',
    { skip: kind === 'pglite' },
    async () => {
      const hooks = await bench.hooks(Array.from({ length: 12 }, () => ORIGIN));
      await bench.change({ shopId: hooks[0]?.shopId ?? '' });
      const backwards = hooks.toReversed();
      // A session takes longer to open than a claim: without any, they would follow one another.
      const sessions = Array.from({ length: SESSIONS }, async () => {
        await base.db.transaction(async (tx) => void (await tx.query(readSession)));
      });
      await Promise.all(sessions);
      const claims = await Promise.all(
        Array.from({ length: SESSIONS }, (_, n) => claimAll(n % 2 === 0 ? hooks : backwards)),
      );
      const ids = claims.flat().map(({ connectionId }) => connectionId);
      assert.equal(ids.length, 12);
      assert.equal(new Set(ids).size, 12);
      for (const each of hooks) assert.equal((await bench.attempts(each)).length, 1);
    },
  );

  it(
    'passes by what another is just claiming, without waiting for it',
    { skip: kind === 'pglite' },
    async () => {
      await bench.change(hook);
      const terms = { now: bench.clock.now(), leaseMs: 60_000, keyIds: bench.secrets.keyIds };
      const [claimed, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = base.db.transaction(async (tx) => {
        const notices = await claimNotices(tx, [hook], terms);
        claimed.resolve();
        await commit.promise;
        return notices;
      });
      await Promise.race([claimed.promise, first]);
      const second = base.db.transaction(async (tx) => {
        await tx.query(limitLockWait);
        return await claimNotices(tx, [hook], terms);
      });
      const outcome = await Promise.allSettled([second]);
      commit.resolve();
      assert.deepEqual(outcome, [{ status: 'fulfilled', value: [] }]);
      assert.equal((await first).length, 1);
    },
  );
});
