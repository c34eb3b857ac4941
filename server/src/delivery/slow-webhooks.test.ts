import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { describeWithAndWithoutCitus } from '../../test/with-and-without-citus.ts';
import { type TestHook, WebhookFixture } from '../../test/webhook-fixture.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import { claimDeliveries } from './claim.ts';
import { listDueDeliveries, listDueDeliveriesOfShops } from './due-deliveries.ts';
import { DuePoller } from './due-poller.ts';
import { DueQueue } from './due-queue.ts';
import { recordAttempts } from './record.ts';
import { removeWebhook } from '../webhooks/registration.ts';

const MINUTE_MS = 60_000;
const FOR_MS = 10 * MINUTE_MS;

function deliveredIn(latencyMs: number): AttemptResult {
  return { kind: 'delivered', status: 204, latencyMs };
}

function failedIn(latencyMs: number, error: 'timeout' | 'status' | 'interrupted'): AttemptResult {
  return { kind: 'failed', status: null, error, latencyMs, retryAfterSeconds: null };
}

describeWithAndWithoutCitus('slow webhooks (decision 0105)', (useDatabase) => {
  const base = useDatabase();
  let bench: WebhookFixture;
  let hook: TestHook;
  beforeEach(async () => {
    bench = new WebhookFixture(base.db);
    await bench.clear();
    hook = await bench.hook('http://127.0.0.1:9');
  });

  /** Commits one change and delivers it with `result`; `meanwhile` runs during the attempt. */
  const tell = async (
    result: AttemptResult,
    hooks: readonly TestHook[] = [hook],
    meanwhile: () => Promise<unknown> = async () => await Promise.resolve(),
  ): Promise<void> => {
    for (const { shopId } of hooks) await bench.change({ shopId });
    const terms = { now: bench.clock.now(), leaseMs: MINUTE_MS, keyIds: bench.secrets.keyIds };
    const claimed = await base.db.transaction(
      async (tx) => await claimDeliveries(tx, hooks, terms),
    );
    assert.equal(claimed.length, hooks.length);
    await meanwhile();
    const ended = claimed.map((delivery) => ({ delivery, result, endedAt: bench.clock.now() }));
    await base.db.transaction(
      async (tx) => await recordAttempts(tx, ended, { random: () => 0.5, minIntervalMs: 0 }),
    );
  };

  const isSlow = async (): Promise<boolean | undefined> => {
    await bench.change(hook);
    const bounds = { keyIds: bench.secrets.keyIds, horizonMs: 0, limit: 10 };
    const [due] = await listDueDeliveriesOfShops(base.db, [hook.shopId], bench.clock.now(), bounds);
    return due?.isSlow;
  };

  it('a webhook is slow for 10 minutes after an attempt of 2 s, even if the attempt succeeded', async () => {
    assert.equal(await isSlow(), false);
    await tell(deliveredIn(1_999));
    assert.equal(await isSlow(), false);
    await tell(deliveredIn(2_000));
    assert.equal(await isSlow(), true);
    bench.clock.advance(FOR_MS - 1);
    assert.equal(await isSlow(), true);
    // Interrupted attempts and fast attempts do not change whether the webhook counts as slow.
    await tell(deliveredIn(1));
    assert.equal(await isSlow(), true);
    bench.clock.advance(1);
    assert.equal(await isSlow(), false);
    await tell(failedIn(15_000, 'interrupted'));
    assert.equal(await isSlow(), false);
    await tell(failedIn(15_000, 'timeout'));
    bench.clock.advance(6_000);
    assert.equal(await isSlow(), true);
  });

  it('a slow webhook remains slow when it is registered again or removed, even during the attempt', async () => {
    await tell(failedIn(15_000, 'timeout'), [hook], async () => await bench.put(hook));
    assert.equal(await isSlow(), true);
    await bench.put(hook);
    assert.equal(await isSlow(), true);
    await base.db.transaction(async (tx) => {
      await removeWebhook(tx, hook.shopId, hook.connectionId, 'app', bench.clock.now());
    });
    assert.equal(await isSlow(), undefined);
    await bench.put(hook);
    assert.equal(await isSlow(), true);
  });

  it('slow webhooks are polled separately, so that they do not hide other due webhooks', async () => {
    const hanging = await bench.hooks(['http://127.0.0.1:10', 'http://127.0.0.1:11']);
    const failing = await bench.hook('http://127.0.0.1:12');
    for (const one of hanging) await tell(failedIn(15_000, 'timeout'), [one]);
    await tell(failedIn(3, 'status'), [failing]);
    const answering = await bench.hook('http://127.0.0.1:13');
    await tell(deliveredIn(14_500), [answering]);
    bench.clock.advance(7_000);
    await bench.change(answering);
    await bench.change(hook);
    const { keyIds } = bench.secrets;
    const bounds = { keyIds, exceptFast: [], exceptSlow: [], limit: 2 };
    const found = await listDueDeliveries(base.db, bench.clock.now(), bounds);
    const idsOf = (isSlow: boolean): Set<string> =>
      new Set(found.flatMap((one) => (one.isSlow === isSlow ? [one.connectionId] : [])));
    assert.deepEqual(idsOf(false), new Set([failing.connectionId, hook.connectionId]));
    const slow = [...hanging, answering].map(({ connectionId }) => connectionId);
    assert.equal(idsOf(true).size, 2, 'of three');
    assert.ok([...idsOf(true)].every((id) => slow.includes(id)));
  });

  it('slow webhooks that use all of their slots leave slots for a fast webhook that fails', async () => {
    const hanging = await bench.hooks(
      Array.from({ length: 30 }, (_, at) => `http://127.0.0.1:${at % 10}`),
    );
    const shop = { shopId: hanging[0]?.shopId ?? '' };
    await tell(failedIn(15_000, 'timeout'), hanging);
    await tell(failedIn(3, 'status'), [hook]);
    bench.clock.advance(7_000);
    await bench.change(shop);
    const room = { waiting: 100, waitingPerOrigin: 100 };
    const queue = new DueQueue({
      fast: { ...room, slots: 4, slotsPerOrigin: 2 },
      slow: { ...room, slots: 5, slotsPerOrigin: 1 },
    });
    const looks = new DuePoller({
      db: base.db,
      clock: bench.clock,
      keyIds: bench.secrets.keyIds,
      pollMs: MINUTE_MS,
      queue,
      isInFlight: () => false,
    });
    looks.wake(shop.shopId);
    await looks.poll();
    const taken = queue.take(128).map(({ delivery }) => delivery);
    assert.equal(taken.filter((delivery) => delivery.isSlow).length, 5);
    const fast = taken.filter((delivery) => !delivery.isSlow);
    assert.deepEqual(
      fast.map((delivery) => delivery.connectionId),
      [hook.connectionId],
    );
    assert.equal(queue.size, 25);
  });
});
