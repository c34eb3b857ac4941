// Proves that a burst of changes causes only a few deliveries, and that every commit of many shops
// is followed by one, with an API process, two workers as in production, and a receiver for every
// shop. It prints the times, which do not decide: `npm run bench -- deliveries` measures them.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../src/base/free-port.ts';
import { newId } from '../src/base/secrets.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { ReceiverProcess } from './receiver-process.ts';
import { type Arrival, monotonicMs } from './receiver.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { StockWriters } from './stock-writers.ts';
import { type TrialShop, registerWebhooks, registrationsOf, seedShops } from './webhook-scene.ts';
import {
  checkTrial,
  requireNoFaults,
  waitUntilAllInSync,
  type WebhookTrial,
} from './webhook-trial.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
const SHOPS = 100;
const CHANGES = 10_000;
const BATCHES = 4;
/**
 * A burst may cause one delivery per second and these two: the first, which is sent immediately,
 * and one after the last change.
 */
const EXTRA_DELIVERIES = 2;
const COMMITS_PER_SECOND = 100;
/**
 * Each round commits once per shop. The pause between rounds is longer than the minimum interval
 * between deliveries, so that the interval does not affect the times.
 */
const ROUNDS = IS_FULL ? 20 : 2;
const ROUND_PAUSE_MS = 1_500;
const QUIET_MS = 2_500;
const TOLD_WITHIN_MS = 30_000;

describe('webhook deliveries by two worker processes', () => {
  it(
    `deliveries are few in a burst of ${CHANGES} changes, and follow every commit at ${COMMITS_PER_SECOND} a second`,
    { timeout: 600_000 },
    async (t) => {
      await using base = await openTestDatabase();
      await using receivers = new ReceiverProcess();
      const port = await findFreePort();
      const url = `http://127.0.0.1:${port}`;
      const urls = await receivers.open(Array.from({ length: SHOPS }, () => 'ok' as const));
      const opened = urls.map((each) => ({ behavior: 'ok' as const, url: each }));
      const apps = await seedShops(base.db, opened, 1, url);
      const environment = {
        PORT: String(port),
        PUBLIC_URL: url,
        ALLOW_LOOPBACK_WEBHOOKS: 'true',
        SECRET_KEY: TEST_SECRET_KEY,
        DATABASE_URL: base.url,
      };
      const processes: ServiceProcess[] = [];
      try {
        processes.push(await startServiceProcess(environment, ['serve', '--no-delivery']));
        const connections = await registerWebhooks(apps, url);
        await receivers.register(`${url}/partner/v1`, registrationsOf(connections));
        for (let worker = 0; worker < 2; worker++) {
          processes.push(await startServiceProcess(environment, ['deliver']));
        }
        const shops = apps.map(({ shop }) => shop);
        const writers = new StockWriters(url, shops);
        const trial = { url, receivers, connections, writers };
        await burst(t, trial);
        await measure(t, trial, shops);
        await waitUntilAllInSync(trial, TOLD_WITHIN_MS);
        for (const worker of processes.slice(1)) assert.equal(await worker.stop(), 0);
        requireNoFaults(await checkTrial(trial));
      } finally {
        for (const each of processes) await each.kill();
      }
    },
  );
});

/** Creates units in one shop, waits, then changes all of them in one request. */
async function burst(t: TestContext, trial: WebhookTrial): Promise<void> {
  const shop = trial.connections[0]?.shop;
  assert.ok(shop !== undefined);
  const ids = Array.from({ length: CHANGES }, () => newId());
  await writeBatches(trial.url, shop, ids, 1);
  await waitUntilQuiet(trial);
  const beganAtMs = monotonicMs();
  await writeBatches(trial.url, shop, ids, 2);
  const endedAtMs = monotonicMs();
  await waitUntilQuiet(trial);
  const own = (await arrivalsOf(trial)).filter(({ arrivedAtMs }) => arrivedAtMs > beganAtMs);
  const seconds = (endedAtMs - beganAtMs) / 1_000;
  t.diagnostic(`${CHANGES} changes within ${seconds.toFixed(2)} s caused ${own.length} deliveries`);
  assert.ok(own.length <= EXTRA_DELIVERIES + Math.ceil(seconds));
  const held = (await trial.receivers.held())[0];
  const unsynced = ids.filter((id) => held?.get(id) !== 2);
  assert.equal(unsynced.length, 0, 'no delivery followed the last change');
}

async function writeBatches(
  url: string,
  { key, siteId, cardId }: TrialShop,
  ids: readonly string[],
  priceMinor: number,
): Promise<void> {
  const size = ids.length / BATCHES;
  const write = async (batch: number): Promise<void> => {
    const item = { kind: 'card', cardId };
    const lines = ids
      .slice(batch * size, (batch + 1) * size)
      .map((id) => JSON.stringify({ id, siteId, item, priceMinor }));
    const answer = await fetch(`${url}/shop/v1/units/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    assert.deepEqual(await answer.json(), { accepted: size, rejected: [] });
  };
  await Promise.all(Array.from({ length: BATCHES }, async (_, batch) => await write(batch)));
}

/** Returns the arrivals of the first receiver. */
async function arrivalsOf({ receivers }: WebhookTrial): Promise<readonly Arrival[]> {
  return (await receivers.report()).arrivals.filter(({ receiver }) => receiver === 0);
}

async function waitUntilQuiet(trial: WebhookTrial): Promise<void> {
  await waitUntil(async () => {
    await pause(QUIET_MS / 10);
    const last = (await arrivalsOf(trial)).at(-1);
    return last !== undefined && monotonicMs() - last.arrivedAtMs > QUIET_MS;
  });
}

/**
 * Changes each shop once, a hundred shops per second, repeatedly. Waits until a delivery has
 * followed every commit, and prints the times until then.
 */
async function measure(
  t: TestContext,
  { receivers, connections, writers }: WebhookTrial,
  shops: readonly TrialShop[],
): Promise<void> {
  const writing: ReturnType<StockWriters['write']>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await pause(ROUND_PAUSE_MS);
    const beganAtMs = monotonicMs();
    for (const [n, shop] of shops.entries()) {
      await pause(Math.max(0, beganAtMs + (n * 1_000) / COMMITS_PER_SECOND - monotonicMs()));
      writing.push(writers.write(shop, newId()));
    }
  }
  const writes = await Promise.all(writing);
  const receiverOf = new Map(connections.map(({ shop, receiver }) => [shop.id, receiver]));
  // The time is measured from the write request, so it is an upper bound of the time since the
  // commit.
  const durationsUntilNow = async (): Promise<number[]> => {
    const { arrivals } = await receivers.report();
    const byReceiver = Map.groupBy(arrivals, ({ receiver }) => receiver);
    return writes.map(({ shopId, askedAtMs }) => {
      const own = byReceiver.get(receiverOf.get(shopId) ?? -1) ?? [];
      const first = own.find(({ arrivedAtMs }) => arrivedAtMs > askedAtMs);
      return (first?.arrivedAtMs ?? Infinity) - askedAtMs;
    });
  };
  let durations: number[] = [];
  await waitUntil(async () => {
    durations = await durationsUntilNow();
    return durations.every(Number.isFinite);
  }, TOLD_WITHIN_MS);
  durations.sort((a, b) => a - b);
  const at = (share: number): string =>
    (durations[Math.floor(durations.length * share)] ?? 0).toFixed(1);
  const longest = durations.at(-1) ?? 0;
  t.diagnostic(
    `${writes.length} commits, from the request of the write to the receipt: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${longest.toFixed(1)} ms`,
  );
}
