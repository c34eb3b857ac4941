// Proves that every change is announced and every delivery is correct, with receivers of every
// kind, writers, and two workers that are killed between claim, send and record. Each receiver
// reads only after a delivery and must have its shop's stock at the end. The attempt log must match
// what the receivers saw.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { findFreePort } from '../src/base/free-port.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { monotonicMs } from './receiver.ts';
import { ACCEPTING_BEHAVIORS } from './receiver-behavior.ts';
import { ReceiverProcess } from './receiver-process.ts';
import { startServiceProcess } from './service-process.ts';
import { StockWriters } from './stock-writers.ts';
import { WorkerProcess } from './worker-process.ts';
import { type TrialApp, registerWebhooks, registrationsOf, seedShops } from './webhook-scene.ts';
import {
  behaviorsOf,
  checkTrial,
  requireNoFaults,
  waitUntilAllInSync,
  waitUntilSettled,
  type WebhookTrial,
} from './webhook-trial.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
const RECEIVERS = 200;
const KILLS = IS_FULL ? 39 : 13;
const APPS_PER_SHOP = 2;
const WRITERS = 16;
/**
 * The timeout and lease of workers that can be killed at a step. Both are shorter than in the
 * service (timeout 15 s), so that the claims of a killed worker expire sooner.
 */
const ATTEMPT_MS = 6_000;
const LEASE_MS = 10_000;
/** A random kill happens within this time after both workers have started. */
const KILL_WITHIN_MS = 500;
const TOLD_WITHIN_MS = 90_000;

/** When a worker is killed: at a random moment, when a delivery arrives, or at a step. */
const DEATHS = [
  'random',
  'before claim_webhooks',
  'after claim_webhooks',
  'before send',
  'in send',
  'arrival',
  'after send',
  'before settle_delivered_webhooks',
  'after settle_delivered_webhooks',
  'before lock_leased_webhooks',
  'before record_attempt_results',
  'before commit of lock_leased_webhooks',
  'after commit of lock_leased_webhooks',
] as const;

// Selects claims that are still held. A killed worker's claim must be taken over when it expires.
const selectOpenClaims = statement(
  'prove_webhooks_open_claims',
  `select connection_id, url, removed_at, removal_reason, attempt, attempts_made, failures,
    last_attempt_at, leased_until, clock_timestamp() as now
  from webhook where lease_id is not null and removed_at is null`,
);
const countUnacknowledged = statement<{ readonly webhooks: number }>(
  'prove_webhooks_unacknowledged',
  `select count(*)::int as webhooks from webhook join feed_head head using (shop_id)
  where connection_id = any($1::uuid[])
    and (acknowledged_epoch, acknowledged_seq) is distinct from (head.epoch, head.seq)`,
);

/**
 * Returns the number of healthy connections that have not acknowledged the last change of their
 * shop.
 */
async function unacknowledged(db: Database, { connections }: WebhookTrial): Promise<number> {
  const healthy = connections.filter(({ behavior }) => ACCEPTING_BEHAVIORS.has(behavior));
  const ids = healthy.map(({ connectionId }) => connectionId);
  return (await db.one(countUnacknowledged, [ids]))?.webhooks ?? -1;
}

/** Opens receivers, and creates an app for each. */
async function seedApps(
  db: Database,
  receivers: ReceiverProcess,
  url: string,
): Promise<TrialApp[]> {
  const behaviors = behaviorsOf(RECEIVERS);
  const urls = await receivers.open(behaviors);
  const opened = behaviors.map((behavior, n) => ({ behavior, url: urls[n] ?? '' }));
  return await seedShops(db, opened, APPS_PER_SHOP, url);
}

/** Registers the webhook of every app with the running service. */
async function openTrial(
  apps: readonly TrialApp[],
  receivers: ReceiverProcess,
  url: string,
): Promise<WebhookTrial> {
  const connections = await registerWebhooks(apps, url);
  await receivers.register(`${url}/partner/v1`, registrationsOf(connections));
  const shops = [...new Set(apps.map(({ shop }) => shop))];
  return { url, receivers, connections, writers: new StockWriters(url, shops) };
}

/** Waits until every shop has changed. */
async function waitUntilAllShopsChanged({ writers }: WebhookTrial): Promise<void> {
  await waitUntil(() => [...writers.truth.values()].every((units) => units.size > 0));
}

/** A worker that can be killed. */
interface Victim {
  kill(): Promise<void>;
  stop(): Promise<number | null>;
  /**
   * Kills the worker at this step. A worker that is only killed at random moments lacks this
   * method.
   */
  dieAt?(step: string): Promise<void>;
}

type StartWorker = (environment: Readonly<Record<string, string>>) => Promise<Victim>;

/** Kills the two workers alternately, and starts a replacement for each. */
async function killWorkers(
  start: () => Promise<Victim>,
  workers: Victim[],
  receivers: ReceiverProcess,
  deaths: readonly string[],
): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    const at = kill % workers.length;
    const victim = workers[at];
    assert.ok(victim !== undefined);
    const death = deaths[kill % deaths.length] ?? 'random';
    if (death === 'random') {
      await pause(Math.random() * KILL_WITHIN_MS);
      await victim.kill();
    } else if (death === 'arrival') {
      await receivers.nextArrival('slow');
      await victim.kill();
    } else {
      await victim.dieAt?.(death);
    }
    workers[at] = await start();
  }
}

/**
 * Runs an API process, two workers that are killed in turn, 16 writers and receivers of every kind.
 * Fails if anything violates the rules.
 */
async function proveWithTwoWorkers(
  t: TestContext,
  startWorker: StartWorker,
  deaths: readonly string[],
): Promise<void> {
  await using base = await openTestDatabase();
  await using receivers = new ReceiverProcess();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const apps = await seedApps(base.db, receivers, url);
  const environment = {
    PORT: String(port),
    PUBLIC_URL: url,
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    SECRET_KEY: TEST_SECRET_KEY,
    DATABASE_URL: base.url,
  };
  const service = await startServiceProcess(environment, ['serve', '--no-delivery']);
  const start = async (): Promise<Victim> => await startWorker(environment);
  const workers = [await start(), await start()];
  try {
    const trial = await openTrial(apps, receivers, url);
    const writing = trial.writers.run(WRITERS);
    const beganAtMs = monotonicMs();
    await killWorkers(start, workers, receivers, deaths);
    const killedAtMs = Date.now();
    await waitUntilAllShopsChanged(trial);
    trial.writers.stop();
    await writing;
    const stoppedAtMs = monotonicMs();
    await waitUntilAllInSync(trial, TOLD_WITHIN_MS);
    const seconds = [stoppedAtMs - beganAtMs, monotonicMs() - stoppedAtMs].map((ms) =>
      (ms / 1_000).toFixed(1),
    );
    t.diagnostic(`writes for ${seconds[0]} s; all receivers were in sync ${seconds[1]} s later`);
    await waitUntilSettled(trial, killedAtMs, TOLD_WITHIN_MS);
    assert.equal(await unacknowledged(base.db, trial), 0);
    for (const worker of workers) assert.equal(await worker.stop(), 0);
    assert.deepEqual(await base.db.query(selectOpenClaims), []);
    const verdict = await checkTrial(trial);
    const { deliveries, rows, interrupted } = verdict;
    t.diagnostic(
      `${trial.writers.writes.length} changes, ${KILLS} kills, ${deliveries} deliveries arrived, ${rows} attempts logged, ${interrupted} of them interrupted`,
    );
    requireNoFaults(verdict);
  } finally {
    for (const worker of workers) await worker.kill();
    await service.kill();
  }
}

describe('deliveries to receivers of every kind', () => {
  it(
    `reach ${RECEIVERS} receivers although two workers are killed ${KILLS} times at chosen steps`,
    { timeout: 1_200_000 },
    async (t) => {
      const limits = { ATTEMPT_MS: String(ATTEMPT_MS), LEASE_MS: String(LEASE_MS) };
      const start: StartWorker = async (environment) =>
        await WorkerProcess.start({ ...environment, ...limits });
      await proveWithTwoWorkers(t, start, DEATHS);
    },
  );

  it(
    `reach ${RECEIVERS} receivers although two \`cardport deliver\` are killed ${KILLS} times`,
    { skip: !IS_FULL, timeout: 1_200_000 },
    async (t) => {
      const start: StartWorker = async (environment) =>
        await startServiceProcess(environment, ['deliver']);
      await proveWithTwoWorkers(t, start, ['random']);
    },
  );
});
