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
const DAY_MS = 24 * 60 * MINUTE_MS;

function deliveredIn(latencyMs: number): AttemptResult {
  return { kind: 'delivered', status: 204, latencyMs };
}

function failedIn(
  latencyMs: number,
  error: 'timeout' | 'connect' | 'status' | 'interrupted',
): Extract<AttemptResult, { kind: 'failed' }> {
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

  const speed = async (): Promise<string | undefined> => {
    await bench.change(hook);
    const bounds = { keyIds: bench.secrets.keyIds, horizonMs: 0, limit: 10 };
    const [due] = await listDueDeliveriesOfShops(base.db, [hook.shopId], bench.clock.now(), bounds);
    return due?.speed;
  };

  it('a webhook is slow after an attempt of 2 s, even if it succeeded, until it has responded in less', async () => {
    assert.equal(await speed(), 'unknown');
    await tell(failedIn(5, 'connect'));
    bench.clock.advance(DAY_MS);
    assert.equal(await speed(), 'unknown', 'there was no response');
    await tell(deliveredIn(1_999));
    assert.equal(await speed(), 'fast');
    await tell(failedIn(15_000, 'interrupted'));
    assert.equal(await speed(), 'fast');
    await tell(deliveredIn(2_000));
    assert.equal(await speed(), 'slow');
    bench.clock.advance(DAY_MS);
    assert.equal(await speed(), 'slow', 'time alone changes nothing');
    await tell(failedIn(15_000, 'timeout'));
    for (const error of ['interrupted', 'connect'] as const) {
      bench.clock.advance(DAY_MS);
      await tell(failedIn(5, error));
    }
    bench.clock.advance(DAY_MS);
    assert.equal(await speed(), 'slow');
    await tell({ ...failedIn(5, 'status'), status: 500 });
    bench.clock.advance(DAY_MS);
    assert.equal(await speed(), 'fast', 'any response in time counts');
    await tell(failedIn(15_000, 'timeout'));
    bench.clock.advance(DAY_MS);
    assert.equal(await speed(), 'slow');
    await tell(deliveredIn(1));
    assert.equal(await speed(), 'fast');
  });

  it('a slow webhook remains slow when it is registered again or removed, even during the attempt', async () => {
    await tell(failedIn(15_000, 'timeout'), [hook], async () => await bench.put(hook));
    assert.equal(await speed(), 'slow');
    await bench.put(hook);
    assert.equal(await speed(), 'slow');
    await base.db.transaction(async (tx) => {
      await removeWebhook(tx, hook.shopId, hook.connectionId, 'app', bench.clock.now());
    });
    assert.equal(await speed(), undefined);
    await bench.put(hook);
    assert.equal(await speed(), 'slow');
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
      new Set(
        found.flatMap((one) => ((one.speed === 'slow') === isSlow ? [one.connectionId] : [])),
      );
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
    const room = { reserved: 0, hanging: 0, perShop: 100, waiting: 100 };
    const queue = new DueQueue({
      fast: { ...room, slots: 4, perOrigin: 2 },
      slow: { ...room, slots: 5, perOrigin: 1 },
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
    assert.equal(taken.filter((delivery) => delivery.speed === 'slow').length, 5);
    const fast = taken.filter((delivery) => delivery.speed !== 'slow');
    assert.deepEqual(
      fast.map((delivery) => delivery.connectionId),
      [hook.connectionId],
    );
    assert.equal(queue.size, 25);
  });
});
