import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { setAppEnabled } from '../apps/app.ts';
import { claimDeliveries } from './claim.ts';
import { requestTestDelivery } from '../webhooks/request-test-delivery.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { statement } from '../database/statement.ts';
import { startWorker } from '../../test/delivery-worker.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import {
  type ReceivedNotice,
  respondWith,
  startReceiver,
  type TestHook,
  type TestReceiver,
  WebhookFixture,
} from '../../test/webhook-fixture.ts';
import { OPERATOR } from '../shops/audit.ts';

const SECOND = 1_000;
const DAY = 24 * 3_600_000;
const STEPS = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, 86_400];
/** Longer than any test: after the first poll, workers find only webhooks they are woken for. */
const NEVER_MS = 3_600_000;

export const moveTestHead = statement(
  'test_move_head',
  `update feed_head set seq = seq + 1, changed_at = $2 where shop_id = $1`,
);

export const endTestMinInterval = statement(
  'test_end_pace_of_shop',
  `update webhook set paced_until = now() where shop_id = $1`,
);

function eventOf({ headers }: ReceivedNotice): string {
  return String(headers['x-service-event-id']);
}

describe('webhook delivery (spec 6)', () => {
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
  const hasFailed = async (times: number): Promise<boolean> => {
    const row = await bench.row(hook);
    return row.failures === times && !row.isLeased;
  };

  it('an event is sent after a commit by this process, and after a notification from another process', async () => {
    await using worker = startWorker(bench, { pollMs: NEVER_MS });
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    await waitUntil(async () => await isAcknowledged(1));
    bench.clock.advance(SECOND);
    await base.db.query(moveTestHead, [hook.shopId, bench.clock.now()]);
    worker.channel.notify('stock', hook.shopId);
    await waitUntil(async () => await isAcknowledged(2));
    bench.clock.advance(SECOND);
    await base.db.query(moveTestHead, [hook.shopId, bench.clock.now()]);
    worker.channel.reset();
    await waitUntil(async () => await isAcknowledged(3));
    assert.equal(new Set(receiver.notices.map((notice) => eventOf(notice))).size, 3);
    assert.deepEqual([receiver.notices.length, worker.receipts.length], [3, 3]);
    await waitUntil(() => worker.delivery.state.inFlight === 0);
    const { lastPollSeconds, ...state } = worker.delivery.state;
    assert.deepEqual(state, { due: 0, inFlight: 0, oldestDueSeconds: 0 });
    assert.ok(lastPollSeconds >= 0);
  });

  it('a worker reacts when another node enables an app or requests a test delivery', async () => {
    await using elsewhere = disposableDatabase(base);
    const { shopId, clientId, connectionId } = hook;
    const enable = async (isEnabled: boolean): Promise<void> =>
      await elsewhere.db.transaction(async (tx) => {
        await setAppEnabled(tx, clientId, isEnabled, bench.clock.now(), OPERATOR);
      });
    await enable(false);
    await using worker = startWorker(bench, { pollMs: NEVER_MS });
    await bench.change(hook);
    worker.delivery.wake(shopId);
    const other = await bench.hook(receiver.origin);
    await bench.change(other);
    worker.delivery.wake(other.shopId);
    await waitUntil(async () => await isAcknowledged(1, other));
    await enable(true);
    assert.equal((await bench.attempts(hook)).length, 0);
    worker.channel.notify('access', shopId);
    await waitUntil(async () => await isAcknowledged(1));
    // A webhook that two polls found is queued again, and would be claimed again.
    await waitUntil(() => worker.delivery.state.due + worker.delivery.state.inFlight === 0);
    await elsewhere.db.transaction(async (tx) => {
      await requestTestDelivery(tx, shopId, connectionId, bench.clock.now());
    });
    assert.equal((await bench.attempts(hook)).length, 1);
    worker.channel.notify('webhooks', shopId);
    await waitUntil(async () => (await bench.attempts(hook))[1]?.status === 204);
  });

  it('the time to receipt is measured for first attempts only, and not for test deliveries', async () => {
    await using worker = startWorker(bench, { pollMs: NEVER_MS });
    const { shopId, connectionId } = hook;
    await base.db.transaction(async (tx) => {
      await requestTestDelivery(tx, shopId, connectionId, bench.clock.now());
    });
    worker.delivery.wake(shopId);
    await waitUntil(async () => (await bench.row(hook)).eventId === null);
    const failAndTell = async (seq: number, isOvertaken: boolean): Promise<void> => {
      receiver.handle = respondWith(500);
      await bench.change(hook);
      worker.delivery.wake(shopId);
      await waitUntil(async () => await hasFailed(1));
      if (isOvertaken) await bench.change(hook);
      receiver.handle = respondWith(204);
      bench.clock.advance(5 * SECOND);
      worker.delivery.wake(shopId);
      await waitUntil(async () => await isAcknowledged(seq));
    };
    await failAndTell(1, false);
    // This is attempt 1 of another event, but the receiver was unreachable before.
    await failAndTell(3, true);
    // This claim is attempt 2 without a failure, because the worker of attempt 1 has died.
    await base.db.transaction(async (tx) => {
      await tx.query(moveTestHead, [shopId, bench.clock.now()]);
      const terms = { keyIds: bench.secrets.keyIds, now: bench.clock.now(), leaseMs: 0 };
      assert.equal((await claimDeliveries(tx, [hook], terms)).length, 1);
    });
    worker.delivery.wake(shopId);
    await waitUntil(async () => await isAcknowledged(4));
    assert.deepEqual(worker.receipts, []);
    await bench.change(hook);
    worker.delivery.wake(shopId);
    await waitUntil(async () => await isAcknowledged(5));
    assert.equal(worker.receipts.length, 1);
    assert.equal(receiver.notices.length, 7);
  });

  it('an event for a change within the minimum interval is sent when the interval ends, without another wake', async () => {
    receiver.handle = (response, notice) => {
      // The change is committed during the attempt, so the attempt's success does not cover it.
      if (receiver.notices.length > 1) respondWith(204)(response, notice);
      else void bench.change(hook).then(() => respondWith(204)(response, notice));
    };
    await using worker = startWorker(bench, { pollMs: NEVER_MS, minIntervalMs: 50 });
    await bench.change(hook);
    await waitUntil(async () => await isAcknowledged(1));
    await waitUntil(async () => await isAcknowledged(2));
    assert.equal(receiver.notices.length, 2);
    assert.equal(worker.receipts.length, 2);
  });

  it('an event is sent even for a change that was not announced', async () => {
    await using worker = startWorker(bench);
    await bench.change(hook);
    await waitUntil(async () => await isAcknowledged(1));
    bench.clock.advance(SECOND);
    const changedAt = bench.clock.now();
    await base.db.query(moveTestHead, [hook.shopId, changedAt]);
    bench.clock.advance(SECOND);
    await waitUntil(async () => await isAcknowledged(2));
    const notice = receiver.notices.at(-1);
    assert.deepEqual(JSON.parse(notice?.body ?? ''), {
      type: 'inventory.changed',
      tenantId: hook.shopId,
      connectionId: hook.connectionId,
      occurredAt: changedAt.toISOString(),
    });
    assert.deepEqual(worker.failed, []);
  });

  it('a failing webhook follows the retry schedule, is logged once after an hour, and is removed on day 14', async () => {
    receiver.handle = respondWith(500);
    await using worker = startWorker(bench);
    await bench.change(hook);
    const begin = bench.clock.now().getTime();
    for (let failures = 1; failures < 23; failures++) {
      await waitUntil(async () => await hasFailed(failures));
      const now = bench.clock.now().getTime();
      const { nextAttemptAt } = await bench.row(hook);
      const stepMs = (STEPS[failures - 1] ?? 86_400) * SECOND;
      assert.equal(Number(nextAttemptAt), Math.min(now + stepMs, begin + 14 * DAY));
      bench.clock.advance(Number(nextAttemptAt) - now);
      worker.delivery.wake(hook.shopId);
    }
    await waitUntil(async () => (await bench.row(hook)).removalReason === 'failing');
    assert.equal(bench.clock.now().getTime(), begin + 14 * DAY);
    const { hasSecret, isLeased } = await bench.row(hook);
    assert.deepEqual([hasSecret, isLeased], [false, false]);
    assert.equal(receiver.notices.length, 23);
    assert.equal(new Set(receiver.notices.map((notice) => notice.body)).size, 1);
    assert.equal(new Set(receiver.notices.map((notice) => eventOf(notice))).size, 1);
    const numbers = receiver.notices.map(({ headers }) => Number(headers['x-service-attempt']));
    assert.deepEqual(
      numbers,
      Array.from({ length: 23 }, (_, index) => index + 1),
    );
    assert.equal((await bench.attempts(hook)).length, 23);
    // The row is removed before the worker logs the removal.
    await waitUntil(() => worker.lines.some((line) => line.includes('was removed')));
    const told = worker.lines.filter((line) => line.includes('failing for an hour'));
    assert.equal(told.length, 1);
    const { connectionId, clientId } = hook;
    const facts = { connectionId, clientId, appName: 'Mirror', origin: receiver.origin };
    const failed = { level: 'warn', ...facts, status: 500, reason: 'status' };
    assert.partialDeepStrictEqual(JSON.parse(told[0] ?? ''), { ...failed, failures: 7 });
    const removals = worker.lines.filter((line) => line.includes('was removed'));
    assert.equal(removals.length, 1);
    const msg = 'a webhook was removed because its deliveries failed for 14 days';
    assert.partialDeepStrictEqual(JSON.parse(removals[0] ?? ''), { ...failed, msg });
    assert.ok(worker.lines.every((line) => !line.includes('/hook/')));
  });

  it('a worker respects Retry-After in responses with 429 and 503', async () => {
    receiver.handle = respondWith(429, { 'retry-after': '60' });
    await using worker = startWorker(bench);
    await bench.change(hook);
    await waitUntil(async () => await hasFailed(1));
    const waitsMs = async (): Promise<number> =>
      Number((await bench.row(hook)).nextAttemptAt) - bench.clock.now().getTime();
    assert.equal(await waitsMs(), 60 * SECOND);
    receiver.handle = respondWith(503, { 'retry-after': '999999' });
    bench.clock.advance(60 * SECOND);
    worker.delivery.wake(hook.shopId);
    await waitUntil(async () => await hasFailed(2));
    assert.equal(await waitsMs(), DAY);
    assert.deepEqual(worker.failed, ['status', 'status']);
    assert.deepEqual(worker.receipts, []);
  });

  it('a webhook is removed after a 410', async () => {
    receiver.handle = respondWith(410);
    await using worker = startWorker(bench);
    await bench.change(hook);
    await waitUntil(async () => (await bench.row(hook)).removalReason === 'gone');
    await bench.change(hook);
    await bench.put(hook);
    receiver.handle = respondWith(204);
    bench.clock.advance(SECOND);
    await bench.change(hook);
    await waitUntil(async () => await isAcknowledged(3));
    assert.equal(receiver.notices.length, 2);
    assert.deepEqual(worker.failed, ['gone']);
    const told = worker.lines.filter((line) => line.includes('was removed'));
    assert.equal(told.length, 1);
    assert.match(
      told.join(),
      /"level":"warn".*"status":410,.*because its receiver responded with 410 Gone/,
    );
    const each = worker.lines.filter((line) => line.includes('"level":"debug"'));
    const { connectionId } = hook;
    const seen = each.map((line): unknown => JSON.parse(line));
    const attempt = { connectionId, origin: receiver.origin, attempt: 1 };
    assert.partialDeepStrictEqual(seen, [
      { ...attempt, number: 1, status: 410, reason: 'gone' },
      { ...attempt, number: 2, status: 204 },
    ]);
    assert.ok(each.every((line) => line.includes('"latencyMs":') && !line.includes('/hook/')));
  });

  it('events are also signed with the previous secret, for exactly 24 hours', async () => {
    await using worker = startWorker(bench);
    const later = await bench.hook(receiver.origin);
    const [secret, secretOfLater] = [await bench.put(hook), await bench.put(later)];
    const tell = async (told: TestHook): Promise<ReceivedNotice> => {
      await bench.change(told);
      worker.delivery.wake(told.shopId);
      await waitUntil(async () => await isAcknowledged(1, told));
      const notice = receiver.notices.at(-1);
      assert.ok(notice);
      return notice;
    };
    bench.clock.advance(DAY - 1);
    const first = await tell(hook);
    bench.clock.advance(1);
    const second = await tell(later);
    const signatures = ({ headers }: ReceivedNotice): string[] =>
      String(headers['webhook-signature']).split(' ');
    assert.deepEqual([signatures(first).length, signatures(second).length], [2, 1]);
    // The `standardwebhooks` library verifies against the system clock, so the test signs the same
    // content with it and compares the signatures.
    const signs = (notice: ReceivedNotice, key: string): boolean => {
      const { headers, body } = notice;
      const at = new Date(Number(headers['webhook-timestamp']) * SECOND);
      const made = new Webhook(key).sign(String(headers['webhook-id']), at, body);
      return signatures(notice).includes(made);
    };
    assert.deepEqual([signs(first, secret), signs(first, hook.secret)], [true, true]);
    assert.deepEqual([signs(second, secretOfLater), signs(second, later.secret)], [true, false]);
  });

  it('at most three events are sent for a burst of changes, and the last one covers the last change', async () => {
    await bench.change(hook);
    await using worker = startWorker(bench, { minIntervalMs: 3_600_000 });
    for (let change = 1; change < 1_000; change++) {
      await base.db.query(moveTestHead, [hook.shopId, bench.clock.now()]);
      worker.delivery.wake(hook.shopId);
    }
    const first = (await bench.row(hook)).acknowledgedSeq;
    assert.ok(receiver.notices.length <= 1, `${receiver.notices.length}, ${first}`);
    await waitUntil(async () => {
      await base.db.query(endTestMinInterval, [hook.shopId]);
      worker.delivery.wake(hook.shopId);
      return await isAcknowledged(1_000);
    });
    assert.ok(receiver.notices.length <= 3, `${receiver.notices.length} notices`);
  });

  it('events wait while the app is disabled, and are sent when it is enabled', async () => {
    const enable = async (isEnabled: boolean): Promise<void> => {
      await base.db.transaction(async (tx) => {
        await setAppEnabled(tx, hook.clientId, isEnabled, bench.clock.now(), OPERATOR);
      });
    };
    await enable(false);
    await using worker = startWorker(bench, { pollMs: NEVER_MS });
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    const other = await bench.hook(receiver.origin);
    await bench.change(other);
    worker.delivery.wake(other.shopId);
    await waitUntil(async () => await isAcknowledged(1, other));
    assert.equal(receiver.notices.length, 1);
    await enable(true);
    await waitUntil(async () => await isAcknowledged(1));
  });

  it('two workers on one database send each event only once', async () => {
    const hooks = await bench.hooks(Array.from({ length: 20 }, () => receiver.origin));
    await using others = disposableDatabase(base);
    await using one = startWorker(bench);
    await using two = startWorker(bench, {}, others.db);
    const shop = { shopId: hooks[0]?.shopId ?? '' };
    await bench.change(shop);
    for (const worker of [one, two, one, two]) worker.delivery.wake(shop.shopId);
    await waitUntil(async () => {
      const all = await Promise.all(hooks.map(async (each) => await isAcknowledged(1, each)));
      return all.every(Boolean);
    });
    assert.equal(receiver.notices.length, 20);
    for (const each of hooks) {
      assert.equal(receiver.openMax.get(new URL(each.url).pathname), 1);
      assert.equal((await bench.attempts(each)).length, 1);
    }
  });

  it('a host that hangs does not delay other events', async () => {
    await using hanging = await startReceiver();
    hanging.handle = () => undefined;
    const origins = Array.from({ length: 35 }, () => hanging.origin);
    const hooks = [...(await bench.hooks(origins)), ...(await bench.hooks(origins))];
    for (const each of [hooks[0], hooks[35]]) await bench.change({ shopId: each?.shopId ?? '' });
    await using worker = startWorker(bench);
    await waitUntil(() => hanging.notices.length === 60);
    await bench.change(hook);
    await waitUntil(async () => await isAcknowledged(1));
    assert.equal(hanging.notices.length, 60);
    await waitUntil(() => worker.delivery.state.inFlight === 60);
    await waitUntil(() => worker.delivery.state.due === 10);
    assert.ok(worker.delivery.state.oldestDueSeconds > 0);
    await worker.delivery.close(0);
    assert.deepEqual(new Set(worker.failed), new Set(['interrupted']));
    const rows = await Promise.all(hooks.map(async (each) => await bench.row(each)));
    assert.deepEqual(
      rows.filter(({ isLeased, failures }) => isLeased || failures > 0),
      [],
    );
    assert.equal(rows.filter(({ eventId }) => eventId !== null).length, 60);
  });
});

/** Opens a second connection pool for the same database, as another process would have. */
function disposableDatabase(base: TestDatabase): AsyncDisposable & { readonly db: Database } {
  const db = openDatabase(base.engine, { onFault: () => undefined });
  return { db, [Symbol.asyncDispose]: async () => await db.close() };
}
