import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { setAppEnabled } from '../apps/app.ts';
import { endConnection } from '../connections/connection.ts';
import { startNewEpoch } from '../inventory/feed-epoch.ts';
import { CLAIM_ORIGIN, ClaimFixture, DELIVERED, FAILED } from '../../test/claim-fixture.ts';
import { statement } from '../database/statement.ts';
import { describeWithAndWithoutCitus } from '../../test/with-and-without-citus.ts';
import type { TestHook } from '../../test/webhook-fixture.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import { type DueQuery, listDueDeliveries } from './due-deliveries.ts';
import { removeWebhook } from '../webhooks/registration.ts';
import { OPERATOR } from '../shops/audit.ts';

const SECOND = 1_000;
const DAY = 24 * 3_600_000;

export const startMinIntervalBefore0022 = statement(
  'test_pace_as_before_0022',
  `update webhook set leased_until = now() + interval '1 minute', paced_until = null
    where connection_id = $1 and lease_id is null`,
);

describeWithAndWithoutCitus('claiming webhooks and recording results', (useDatabase) => {
  const base = useDatabase();
  let bench: ClaimFixture;
  let hook: TestHook;
  beforeEach(async () => {
    bench = new ClaimFixture(base.db);
    await bench.clear();
    hook = await bench.hook(CLAIM_ORIGIN);
  });

  it('a webhook is claimed once for a change, and not without a change', async () => {
    await bench.assertNothingDue(hook);
    assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
    await bench.change(hook);
    assert.deepEqual(await bench.listDueByPoll(hook), [[hook.connectionId], [hook.connectionId]]);
    const notice = await bench.claim(hook);
    assert.deepEqual([notice.number, notice.attempt, notice.coversSeq], [1, 1, 1]);
    assert.equal(notice.isTestDelivery, false);
    await bench.assertNothingDue(hook);
    assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
    const [logged] = await bench.attempts(hook);
    assert.deepEqual(
      [logged?.eventId, logged?.status, logged?.error],
      [notice.eventId, null, null],
    );
  });

  it('a minimum interval that a process from before migration 0022 has started is respected', async () => {
    await bench.change(hook);
    await bench.record(await bench.claim(hook), FAILED);
    bench.clock.advance(6 * SECOND);
    await base.db.query(startMinIntervalBefore0022, [hook.connectionId]);
    await bench.assertNothingDue(hook);
    assert.deepEqual((await bench.listDueByPoll(hook))[1], []);
  });

  it('a failed event is repeated with the same id and time, exactly when its retry is due', async () => {
    await bench.change(hook);
    const first = await bench.claim(hook);
    bench.clock.advance(3);
    await bench.record(first, FAILED);
    bench.clock.advance(5 * SECOND - 1);
    await bench.assertNothingDue(hook);
    assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
    bench.clock.advance(1);
    assert.deepEqual(await bench.listDueByPoll(hook), [[hook.connectionId], [hook.connectionId]]);
    const second = await bench.claim(hook);
    assert.deepEqual([second.eventId, second.attempt, second.number], [first.eventId, 2, 2]);
    assert.equal(second.interruptedNumber, null);
    assert.deepEqual(second.occurredAt, first.occurredAt);
  });

  it('a failed event is replaced after another change, and the retry schedule continues', async () => {
    await bench.change(hook);
    const first = await bench.claim(hook);
    await bench.record(first, FAILED);
    await bench.change(hook);
    bench.clock.advance(5 * SECOND);
    const second = await bench.claim(hook);
    assert.notEqual(second.eventId, first.eventId);
    assert.deepEqual([second.attempt, second.number, second.coversSeq], [1, 2, 2]);
    await bench.record(second, FAILED);
    assert.equal((await bench.row(hook)).failures, 2);
  });

  it('attempts pause while the app is disabled, and this time does not count as failing', async () => {
    const enable = async (isEnabled: boolean): Promise<void> => {
      await base.db.transaction(async (tx) => {
        await setAppEnabled(tx, hook.clientId, isEnabled, bench.clock.now(), OPERATOR);
      });
    };
    await bench.change(hook);
    await enable(false);
    await bench.assertNothingDue(hook);
    assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
    await enable(true);
    await bench.record(await bench.claim(hook), FAILED);
    const { failingSince } = await bench.row(hook);
    await enable(false);
    bench.clock.advance(20 * DAY);
    await bench.assertNothingDue(hook);
    assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
    await enable(true);
    await bench.record(await bench.claim(hook), FAILED);
    const row = await bench.row(hook);
    assert.deepEqual([row.failures, row.removalReason], [2, null]);
    const moved = Number(row.failingSince) - Number(failingSince);
    assert.equal(moved, 20 * DAY - 5 * SECOND);
  });

  it('the delay of a claim counts as failing time up to a minute, but the delay of an outage does not', async () => {
    await bench.change(hook);
    await bench.record(await bench.claim(hook), FAILED);
    const begin = (await bench.row(hook)).failingSince;
    const claimLate = async (lateMs: number): Promise<number> => {
      bench.clock.advance((await bench.dueInMs(hook)) + lateMs);
      await bench.record(await bench.claim(hook), FAILED);
      return Number((await bench.row(hook)).failingSince) - Number(begin);
    };
    assert.equal(await claimLate(3), 0);
    assert.equal(await claimLate(60 * SECOND), 0);
    assert.equal(await claimLate(60 * SECOND + 1), 60 * SECOND + 1);
    assert.equal((await bench.row(hook)).failures, 4);
  });

  it('the attempt of day 14 is the last, even if it is claimed late', async () => {
    for (const lateMs of [1, 60 * SECOND, DAY]) {
      hook = await bench.hook(CLAIM_ORIGIN);
      await bench.change(hook);
      while ((await bench.row(hook)).failures < 22) {
        bench.clock.advance(Math.max(0, await bench.dueInMs(hook)));
        await bench.record(await bench.claim(hook), FAILED);
      }
      const { nextAttemptAt, failingSince } = await bench.row(hook);
      assert.equal(Number(nextAttemptAt) - Number(failingSince), 14 * DAY);
      bench.clock.advance((await bench.dueInMs(hook)) + lateMs);
      assert.deepEqual((await bench.record(await bench.claim(hook), FAILED))?.after, {
        kind: 'removed',
        reason: 'failing',
      });
    }
  });

  it('the webhook and its secrets are removed on day 14 if the last attempt fails', async () => {
    await bench.change(hook);
    let attempts = 0;
    const since = bench.clock.now().getTime();
    while ((await bench.row(hook)).removalReason === null) {
      bench.clock.advance(Math.max(0, await bench.dueInMs(hook)));
      attempts++;
      await bench.record(await bench.claim(hook), FAILED);
    }
    const row = await bench.row(hook);
    assert.deepEqual([row.removalReason, row.hasSecret, row.eventId], ['failing', false, null]);
    assert.equal(bench.clock.now().getTime() - since, 14 * DAY);
    // The 11 schedule steps take 75 h 42 min 35 s. They are followed by 10 daily attempts and the
    // last attempt on day 14.
    assert.equal(attempts, 1 + 11 + 10 + 1);
    await bench.change(hook);
    await bench.assertNothingDue(hook);
  });

  it('the webhook is removed after a 410, but not if it was registered again during the attempt', async () => {
    const gone: AttemptResult = { ...FAILED, status: 410, error: 'gone' };
    await bench.change(hook);
    const first = await bench.claim(hook);
    await bench.put(hook);
    await bench.record(first, gone);
    const kept = await bench.row(hook);
    assert.deepEqual([kept.removalReason, kept.isLeased, kept.acknowledgedSeq], [null, false, 0]);
    assert.equal(kept.nextAttemptAt, null);
    const second = await bench.claim(hook);
    assert.notEqual(second.eventId, first.eventId);
    // Removing the webhook also removes the early attempt that was requested during this attempt.
    await bench.bringForward(hook);
    await bench.record(second, gone);
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

  it('a webhook that was removed during its attempt is not restored', async () => {
    await bench.change(hook);
    const notice = await bench.claim(hook);
    await base.db.transaction(async (tx) => {
      await removeWebhook(tx, hook.shopId, hook.connectionId, 'app', bench.clock.now());
    });
    const settled = await bench.record(notice, DELIVERED);
    assert.equal(settled?.waitMs, null);
    const row = await bench.row(hook);
    assert.deepEqual([row.removalReason, row.hasSecret, row.isLeased], ['app', false, false]);
  });

  it('the webhook of an ended connection is not claimed', async () => {
    await bench.change(hook);
    await base.db.transaction(async (tx) => {
      await endConnection(tx, hook.shopId, hook.clientId, 'shop', bench.clock.now(), OPERATOR);
    });
    await bench.assertNothingDue(hook);
    assert.deepEqual(await bench.listDueByPoll(hook), [[], []]);
  });

  it('the webhook of a dead worker is claimed again, and the interruption is logged', async () => {
    await bench.change(hook);
    const first = await bench.claim(hook, 0);
    assert.deepEqual(await bench.listDueByPoll(hook), [[hook.connectionId], [hook.connectionId]]);
    const second = await bench.claim(hook);
    assert.deepEqual([second.eventId, second.attempt], [first.eventId, 2]);
    assert.deepEqual([first.interruptedNumber, second.interruptedNumber], [null, 1]);
    const errors = (await bench.attempts(hook)).map(({ error }) => error);
    assert.deepEqual(errors, ['interrupted', null]);
    // The first worker was not dead. Its result is in the log, but the second worker now holds the
    // lease.
    assert.equal(await bench.record(first, FAILED), undefined);
    const row = await bench.row(hook);
    assert.deepEqual([row.isLeased, row.failures], [true, 0]);
    assert.equal((await bench.attempts(hook))[0]?.error, 'status');
    await bench.record(second, DELIVERED);
    assert.equal((await bench.row(hook)).acknowledgedSeq, 1);
  });

  it('the delay of a claim is added to failing_since only once, even if its worker died', async () => {
    await bench.change(hook);
    await bench.record(await bench.claim(hook), FAILED);
    const begin = Number((await bench.row(hook)).failingSince);
    bench.clock.advance((await bench.dueInMs(hook)) + DAY);
    await bench.claim(hook, 0);
    assert.deepEqual(await bench.listDueByPoll(hook), [[hook.connectionId], [hook.connectionId]]);
    bench.clock.advance(30 * SECOND);
    await bench.record(await bench.claim(hook), FAILED);
    const { failingSince, failures } = await bench.row(hook);
    assert.deepEqual([Number(failingSince) - begin, failures], [DAY, 2]);
  });

  it('the delay of an early attempt is added to failing_since only once, even if its worker died', async () => {
    await bench.change(hook);
    await bench.record(await bench.claim(hook), FAILED);
    while ((await bench.dueInMs(hook)) < DAY / 8) {
      bench.clock.advance(await bench.dueInMs(hook));
      await bench.record(await bench.claim(hook), FAILED);
    }
    const begin = Number((await bench.row(hook)).failingSince);
    await bench.bringForward(hook);
    bench.clock.advance(DAY / 24);
    for (let death = 1; death <= 3; death++) {
      await bench.claim(hook, 0);
      assert.equal(Number((await bench.row(hook)).failingSince) - begin, DAY / 24);
      bench.clock.advance(30 * SECOND);
    }
  });

  it('every webhook is due in a new epoch', async () => {
    await bench.change(hook);
    await bench.record(await bench.claim(hook), DELIVERED);
    bench.clock.advance(DAY);
    await base.db.transaction(async (tx) => void (await startNewEpoch(tx, bench.clock.now())));
    assert.deepEqual(await bench.listDueByPoll(hook), [[hook.connectionId], [hook.connectionId]]);
    await bench.record(await bench.claim(hook), DELIVERED);
    bench.clock.advance(DAY);
    await bench.assertNothingDue(hook);
  });

  it('a process does not claim webhooks if it cannot decrypt their secret', async () => {
    await bench.change(hook);
    assert.deepEqual(await bench.claimAll([hook], { keyIds: ['another key'] }), []);
    const other = { exceptFast: [], exceptSlow: [], limit: 10, keyIds: ['another key'] };
    assert.deepEqual(await listDueDeliveries(base.db, bench.clock.now(), other), []);
    assert.deepEqual(await bench.attempts(hook), []);
  });

  it('due webhooks are listed longest due first, without origins whose queue is full', async () => {
    const [one, two, three] = await bench.hooks([
      CLAIM_ORIGIN,
      'http://127.0.0.1:10',
      CLAIM_ORIGIN,
    ]);
    assert.ok(one && two && three);
    await bench.change(one);
    const keyIds = bench.secrets.keyIds;
    const look = async (bounds: Partial<DueQuery> = {}): Promise<string[]> => {
      const all = { exceptFast: [], exceptSlow: [], limit: 10, keyIds, ...bounds };
      const rows = await listDueDeliveries(base.db, bench.clock.now(), all);
      return rows.map((row) => row.connectionId);
    };
    assert.deepEqual(await look({ exceptFast: [CLAIM_ORIGIN] }), [two.connectionId]);
    assert.equal((await look({ limit: 2 })).length, 2);
    for (const failing of await bench.claimAll([one, two])) {
      await bench.record(failing, FAILED);
      bench.clock.advance(SECOND);
    }
    bench.clock.advance(5 * SECOND);
    const ids = [one, two, three].map(({ connectionId }) => connectionId);
    const found = await look();
    assert.deepEqual(new Set(found), new Set(ids));
    assert.equal(found[0], three.connectionId, 'it was never tried');
    const { nextAttemptAt } = await bench.row(one);
    const isOneFirst = Number(nextAttemptAt) < Number((await bench.row(two)).nextAttemptAt);
    assert.equal(found[1], isOneFirst ? one.connectionId : two.connectionId);
    assert.deepEqual(await look({ exceptFast: [CLAIM_ORIGIN] }), [two.connectionId]);
    assert.deepEqual(new Set(await look({ exceptSlow: [CLAIM_ORIGIN] })), new Set(ids));
  });
});
