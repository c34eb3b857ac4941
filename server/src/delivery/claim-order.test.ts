import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { statement } from '../database/statement.ts';
import {
  CLAIM_ORIGIN,
  ClaimFixture,
  DELIVERED,
  FAILED,
  INTERRUPTED,
  LONG_INTERVAL_MS,
  STALE,
} from '../../test/claim-fixture.ts';
import { describeWithAndWithoutCitus } from '../../test/with-and-without-citus.ts';
import type { TestHook } from '../../test/webhook-fixture.ts';
import { claimDeliveries } from './claim.ts';
import { listDueDeliveriesOfShops } from './due-deliveries.ts';
import { requestTestDelivery } from '../webhooks/request-test-delivery.ts';

const SECOND = 1_000;
const DAY = 24 * 3_600_000;
const SESSIONS = 8;

export const readSession = statement('test_read_session', 'select pg_backend_pid() as pid');
export const limitLockWait = statement(
  'test_limit_lock_wait',
  `select set_config('lock_timeout', '1s', true) as set`,
);

describeWithAndWithoutCitus(
  'claims: the minimum interval, early attempts and concurrent workers',
  (useDatabase) => {
    const base = useDatabase();
    let bench: ClaimFixture;
    let hook: TestHook;
    beforeEach(async () => {
      bench = new ClaimFixture(base.db);
      await bench.clear();
      hook = await bench.hook(CLAIM_ORIGIN);
    });

    it('a delivered event acknowledges the position that it covers, and starts the minimum interval', async () => {
      await bench.change(hook);
      const first = await bench.claim(hook);
      await bench.change(hook);
      bench.clock.advance(40);
      assert.equal(
        (await bench.record(first, DELIVERED, LONG_INTERVAL_MS))?.waitMs,
        LONG_INTERVAL_MS,
      );
      const row = await bench.row(hook);
      assert.deepEqual([row.acknowledgedSeq, row.isLeased, row.nextAttemptAt], [1, false, null]);
      await bench.assertNothingDue(hook);
      assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
      const bounds = { keyIds: bench.secrets.keyIds, horizonMs: LONG_INTERVAL_MS, limit: 10 };
      const listed = await listDueDeliveriesOfShops(
        base.db,
        [hook.shopId],
        bench.clock.now(),
        bounds,
      );
      const waitMs = listed[0]?.waitMs ?? 0;
      assert.ok(waitMs > 0 && waitMs <= LONG_INTERVAL_MS, `${waitMs} ms`);
      await bench.endMinInterval(hook);
      const second = await bench.claim(hook);
      assert.notEqual(second.eventId, first.eventId);
      assert.deepEqual([second.attempt, second.coversSeq], [1, 2]);
      assert.equal((await bench.record(second, DELIVERED))?.waitMs, null);
      bench.clock.advance(DAY);
      await bench.assertNothingDue(hook);
    });

    it('workers with wrong clocks can claim due webhooks, and keep the minimum interval', async () => {
      const now = bench.clock.now().getTime();
      const [behind, ahead] = [new Date(now - DAY), new Date(now + DAY)];
      await bench.change(hook);
      const [first] = await bench.claimAll([hook], { now: behind });
      assert.ok(first, 'a worker whose clock is behind claims');
      await bench.change(hook);
      await bench.record(first, DELIVERED, LONG_INTERVAL_MS);
      assert.deepEqual(await bench.claimAll([hook], { now: ahead }), []);
      await bench.put(hook);
      assert.deepEqual(await bench.claimAll([hook], { now: ahead }), [], 'a PUT leaves the pace');
      await bench.endMinInterval(hook);
      assert.equal((await bench.claimAll([hook], { now: behind })).length, 1);
    });

    it('one early attempt is made per request, even if it fails', async () => {
      await bench.change(hook);
      await bench.record(await bench.claim(hook), FAILED);
      const { nextAttemptAt } = await bench.row(hook);
      bench.clock.advance(SECOND);
      await bench.bringForward(hook);
      await bench.record(await bench.claim(hook), FAILED);
      assert.deepEqual((await bench.row(hook)).nextAttemptAt, nextAttemptAt);
      bench.clock.advance((await bench.dueInMs(hook)) - 1);
      await bench.assertNothingDue(hook);
      assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
      bench.clock.advance(1);
      assert.equal((await bench.claim(hook)).isEarly, false);
    });

    it('the request for an early attempt is kept until its result is recorded, and a newer request is kept too', async () => {
      await bench.change(hook);
      await bench.record(await bench.claim(hook), FAILED);
      bench.clock.advance(SECOND);
      await bench.bringForward(hook);
      const early = await bench.claim(hook, 0);
      assert.equal(early.isEarly, true);
      // The worker of the early attempt has died. The polls still find the attempt.
      bench.clock.advance(SECOND);
      const { connectionId, shopId } = hook;
      assert.deepEqual(await bench.listDueByPoll(hook), [[connectionId], [connectionId]]);
      const again = await bench.claim(hook);
      assert.deepEqual([again.isEarly, again.eventId, again.attempt], [true, early.eventId, 3]);
      // A test delivery that is requested at the instant when an attempt starts is a new request.
      const now = bench.clock.now();
      await base.db.transaction(
        async (tx) => await requestTestDelivery(tx, shopId, connectionId, now),
      );
      await bench.record(again, FAILED);
      assert.deepEqual((await bench.row(hook)).earlyAt, now);
      await bench.record(await bench.claim(hook), FAILED);
      assert.equal((await bench.row(hook)).earlyAt, null);
      await bench.assertNothingDue(hook);
    });

    it('an attempt on a reused connection that was dead is logged as reset, and does not advance the schedule', async () => {
      await bench.change(hook);
      const first = await bench.claim(hook);
      assert.equal((await bench.record(first, STALE, 40))?.waitMs, 40);
      await bench.endMinInterval(hook);
      const second = await bench.claim(hook);
      assert.deepEqual([second.eventId, second.attempt, second.failures], [first.eventId, 2, 0]);
      assert.equal((await bench.attempts(hook))[0]?.error, 'reset');
    });

    it('an interruption does not advance the schedule, and an interrupted early attempt is repeated', async () => {
      await bench.change(hook);
      await bench.record(await bench.claim(hook), FAILED);
      bench.clock.advance(2 * SECOND);
      await bench.bringForward(hook);
      const early = await bench.claim(hook);
      assert.equal(early.isEarly, true);
      await bench.record(early, INTERRUPTED);
      const row = await bench.row(hook);
      assert.equal(row.failures, 1);
      assert.deepEqual(row.earlyAt, bench.clock.now());
      await bench.record(await bench.claim(hook), FAILED);
      const { failures, nextAttemptAt } = await bench.row(hook);
      assert.deepEqual([failures, nextAttemptAt], [1, row.nextAttemptAt]);
    });

    it('a test delivery is sent once, and dropped if it fails', async () => {
      const ask = async (): Promise<string> => {
        const asked = await base.db.transaction(
          async (tx) =>
            await requestTestDelivery(tx, hook.shopId, hook.connectionId, bench.clock.now()),
        );
        return asked.kind === 'requested' ? asked.eventId : asked.kind;
      };
      const eventId = await ask();
      assert.deepEqual(await bench.listDueByPoll(hook), [[hook.connectionId], [hook.connectionId]]);
      const notice = await bench.claim(hook);
      assert.deepEqual([notice.eventId, notice.attempt, notice.isTestDelivery], [eventId, 1, true]);
      assert.equal((await bench.record(notice, FAILED))?.waitMs, null);
      assert.equal((await bench.row(hook)).failures, 0);
      bench.clock.advance(DAY);
      await bench.assertNothingDue(hook);
      assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
      await ask();
      // After a change that is committed before the claim, the attempt is a regular delivery.
      await bench.change(hook);
      const telling = await bench.claim(hook);
      assert.deepEqual([telling.isTestDelivery, telling.coversSeq], [false, 1]);
    });

    it('the minimum interval is kept after every result', async () => {
      for (const result of [FAILED, DELIVERED, INTERRUPTED, STALE]) {
        await bench.change(hook);
        await bench.record(await bench.claim(hook), result, LONG_INTERVAL_MS);
        const { shopId, connectionId } = hook;
        const now = bench.clock.now();
        await base.db.transaction(
          async (tx) => await requestTestDelivery(tx, shopId, connectionId, now),
        );
        await bench.assertNothingDue(hook);
        await bench.endMinInterval(hook);
        await bench.record(await bench.claim(hook), DELIVERED);
      }
    });

    it('the Retry-After of a test delivery delays events too', async () => {
      const { shopId, connectionId } = hook;
      const now = bench.clock.now();
      await base.db.transaction(
        async (tx) => await requestTestDelivery(tx, shopId, connectionId, now),
      );
      await bench.record(await bench.claim(hook), {
        ...FAILED,
        status: 503,
        retryAfterSeconds: 60,
      });
      await bench.change(hook);
      bench.clock.advance(60 * SECOND - 1);
      await bench.assertNothingDue(hook);
      assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
      bench.clock.advance(1);
      assert.deepEqual(await bench.listDueByPoll(hook), [[connectionId], [connectionId]]);
      await bench.record(await bench.claim(hook), DELIVERED);
      assert.equal((await bench.row(hook)).nextAttemptAt, null);
    });

    it('each webhook is claimed by only one of several concurrent workers', async () => {
      const hooks = await bench.hooks(Array.from({ length: 12 }, () => CLAIM_ORIGIN));
      await bench.change({ shopId: hooks[0]?.shopId ?? '' });
      const backwards = hooks.toReversed();
      // Opening a database session takes longer than a claim, so without open sessions the claims
      // would run one after another.
      const sessions = Array.from({ length: SESSIONS }, async () => {
        await base.db.transaction(async (tx) => void (await tx.query(readSession)));
      });
      await Promise.all(sessions);
      const claims = await Promise.all(
        Array.from({ length: SESSIONS }, (_, n) => bench.claimAll(n % 2 === 0 ? hooks : backwards)),
      );
      const ids = claims.flat().map(({ connectionId }) => connectionId);
      assert.equal(ids.length, 12);
      assert.equal(new Set(ids).size, 12);
      for (const each of hooks) assert.equal((await bench.attempts(each)).length, 1);
    });

    it('a claim skips a webhook that another transaction is claiming', async () => {
      await bench.change(hook);
      const terms = { now: bench.clock.now(), leaseMs: 60_000, keyIds: bench.secrets.keyIds };
      const [claimed, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = base.db.transaction(async (tx) => {
        const notices = await claimDeliveries(tx, [hook], terms);
        claimed.resolve();
        await commit.promise;
        return notices;
      });
      await Promise.race([claimed.promise, first]);
      const second = base.db.transaction(async (tx) => {
        await tx.query(limitLockWait);
        return await claimDeliveries(tx, [hook], terms);
      });
      const outcome = await Promise.allSettled([second]);
      commit.resolve();
      assert.deepEqual(outcome, [{ status: 'fulfilled', value: [] }]);
      assert.equal((await first).length, 1);
    });
  },
);
