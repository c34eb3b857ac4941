// Proves that 500 receivers that suddenly hang do not delay the event of another shop: it is delivered
// while none of their attempts has ended. It prints the times, which do not decide.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { findFreePort } from '../src/base/free-port.ts';
import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { queueLimits } from '../src/delivery/due-queue.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { type Arrival, monotonicMs } from './receiver.ts';
import { ReceiverProcess } from './receiver-process.ts';
import { startServiceProcess } from './service-process.ts';
import { StockWriters } from './stock-writers.ts';
import { registerWebhooks, registrationsOf, seedShops } from './webhook-scene.ts';
import { WorkerProcess } from './worker-process.ts';

const HANGING = 500;
/** Longer than the proof, so that no attempt ends meanwhile, however slow the machine is. */
const ATTEMPT_MS = '300000';
const LEASE_MS = '400000';

/** All receivers have responded fast until now, so that the worker expects nothing. */
const changeShops = statement(
  'prove_change_shops',
  `with changed as (
    update feed_head set seq = seq + 1, changed_at = clock_timestamp()
     where shop_id = any($1::uuid[]) returning shop_id
  ) update webhook w set speed = 'fast' from changed where w.shop_id = changed.shop_id`,
);

// As autovacuum does within a minute after so many inserts.
const analyze = statement('prove_analyze', 'analyze');

/** Starts the receivers with a worker, and lets the hanging ones hang. */
async function prove(
  t: TestContext,
  db: Database,
  databaseUrl: string,
  appsPerShop: number,
): Promise<void> {
  await using receivers = new ReceiverProcess();
  const behaviors = [...Array.from({ length: HANGING }, () => 'hang' as const), 'ok' as const];
  const urls = await receivers.open(behaviors);
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const opened = behaviors.map((behavior, n) => ({ behavior, url: urls[n] ?? '' }));
  const apps = await seedShops(db, opened, appsPerShop, url);
  const environment = {
    PORT: new URL(url).port,
    PUBLIC_URL: url,
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    SECRET_KEY: TEST_SECRET_KEY,
    DATABASE_URL: databaseUrl,
  };
  const service = await startServiceProcess(environment, ['serve', '--no-delivery']);
  let worker: WorkerProcess | null = null;
  try {
    const connections = await registerWebhooks(apps, url);
    await receivers.register(`${url}/partner/v1`, registrationsOf(connections));
    await db.query(analyze);
    worker = await WorkerProcess.start({ ...environment, ATTEMPT_MS, LEASE_MS });
    const shopIds = [...new Set(apps.slice(0, HANGING).map(({ shop }) => shop.id))];
    await db.query(changeShops, [shopIds]);
    const hanging = Math.min(HANGING, queueLimits.fast.perShop * shopIds.length);
    const arrivals = async (of: number | null): Promise<readonly Arrival[]> =>
      (await receivers.report()).arrivals.filter(({ receiver }) =>
        of === null ? receiver < HANGING : receiver === of,
      );
    const unrelated = apps[HANGING]?.shop;
    assert.ok(unrelated !== undefined);
    const writers = new StockWriters(url, [unrelated]);
    // Once while the attempts begin, and once when all of them hang.
    for (const moment of ['during the burst', 'while all hang']) {
      const before = (await arrivals(HANGING)).length;
      const writtenAtMs = monotonicMs();
      await writers.write(unrelated, newId());
      await waitUntil(async () => (await arrivals(HANGING)).length > before);
      const arrived = (await arrivals(HANGING)).at(-1);
      const tookMs = (arrived?.arrivedAtMs ?? Infinity) - writtenAtMs;
      t.diagnostic(`${moment}: ${tookMs.toFixed(0)} ms from the write to the receipt`);
      await waitUntil(async () => (await arrivals(null)).length === hanging);
    }
    const ended = (await arrivals(null)).filter(({ endedAtMs }) => endedAtMs !== null);
    assert.deepEqual(ended, []);
  } finally {
    await worker?.kill();
    await service.kill();
  }
}

describe(`${HANGING} receivers that suddenly hang`, () => {
  it('do not delay the event of another shop if they belong to 500 shops', async (t) => {
    await using base = await openTestDatabase();
    await prove(t, base.db, base.url, 1);
  });

  it('do not delay the event of another shop if they belong to one shop', async (t) => {
    await using base = await openTestDatabase();
    await prove(t, base.db, base.url, HANGING);
  });
});
