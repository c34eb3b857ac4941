// No change goes unannounced and no notice lies: receivers of every kind, writers, two workers that are killed between
// claim, send and record. Each receiver reads only when it is told, and holds its shop's stock in the end; the attempt
// log says what the receivers saw. `npm run prove` runs it.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, EngineKind } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { pgliteEngine } from '../src/database/pglite-engine.ts';
import { statement } from '../src/database/statement.ts';
import { onEachEngine, type TestDatabase } from '../test/engines.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { waitUntil } from '../test/wait-until.ts';
import { findFreePort } from '../src/base/free-port.ts';
import { monotonicMs } from './receiver.ts';
import { HEALTHY } from './receiver-behaviour.ts';
import { ReceiverProcess } from './receiver-process.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { StockWriters } from './stock-writers.ts';
import { WorkerProcess } from './worker-process.ts';
import { registerWebhooks, registrationsOf, seedShops } from './webhook-scene.ts';
import {
  behavioursOf,
  judge,
  requireNoFaults,
  untilAllAreTold,
  untilSettled,
  type WebhookTrial,
} from './webhook-trial.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
const SIZE = {
  postgresql: { receivers: 200, kills: IS_FULL ? 39 : 13 },
  pglite: { receivers: 40, kills: IS_FULL ? 20 : 2 },
};
const APPS_PER_SHOP = 2;
const WRITERS = 16;
/** The armed workers give an attempt less than the 15 s of the service, and their claims end sooner when they die. */
const ATTEMPT_MS = 3_000;
const LEASE_MS = 6_000;
/** A random kill comes within this time after both workers are there. */
const KILL_WITHIN_MS = 500;
const TOLD_WITHIN_MS = 90_000;

/** Where a worker dies: at a random instant, as a notice arrives, or at a step. */
const DEATHS = [
  'random',
  'before claim_webhooks',
  'before commit of claim_webhooks',
  'after commit of claim_webhooks',
  'before send',
  'in send',
  'arrival',
  'after send',
  'before settle_delivered_webhooks',
  'before commit of settle_delivered_webhooks',
  'after commit of settle_delivered_webhooks',
  'before lock_leased_webhooks',
  'before record_attempt_results',
] as const;

// A claim that a dead worker left is claimed again as soon as it has expired, also where the attempt had come early.
const readOpenClaims = statement(
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

/** How many healthy connections have not acknowledged the last change of their shop. */
async function unacknowledged(db: Database, { connections }: WebhookTrial): Promise<number> {
  const healthy = connections.filter(({ behaviour }) => HEALTHY.has(behaviour));
  const ids = healthy.map(({ connectionId }) => connectionId);
  return (await db.one(countUnacknowledged, [ids]))?.webhooks ?? -1;
}

/** Opens receivers, fills a database and starts what registers them: the part that every trial has. */
async function openTrial(
  db: Database,
  receivers: ReceiverProcess,
  count: number,
  port: number,
): Promise<(service: ServiceProcess) => Promise<WebhookTrial>> {
  const behaviours = behavioursOf(count);
  const urls = await receivers.open(behaviours);
  const opened = behaviours.map((behaviour, n) => ({ behaviour, url: urls[n] ?? '' }));
  const url = `http://127.0.0.1:${port}`;
  const apps = await seedShops(db, opened, APPS_PER_SHOP, url);
  return async () => {
    const connections = await registerWebhooks(apps, url);
    await receivers.register(`${url}/partner/v1`, registrationsOf(connections));
    const shops = [...new Set(apps.map(({ shop }) => shop))];
    return { url, receivers, connections, writers: new StockWriters(url, shops) };
  };
}

/** Waits until every shop has something to be told of. */
async function untilAllShopsHaveChanged({ writers }: WebhookTrial): Promise<void> {
  await waitUntil(() => [...writers.truth.values()].every((units) => units.size > 0));
}

function environmentOf(port: number): Readonly<Record<string, string>> {
  return {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    SECRET_KEY: TEST_SECRET_KEY,
  };
}

/** A worker as a proof treats it. */
interface Victim {
  kill(): Promise<void>;
  stop(): Promise<number | null>;
  /** Only the armed ones can. */
  dieAt?(step: string): Promise<void>;
}

type StartWorker = (environment: Readonly<Record<string, string>>) => Promise<Victim>;

/** Kills the two workers in turns; each time another takes its place. */
async function killWorkers(
  start: () => Promise<Victim>,
  workers: Victim[],
  receivers: ReceiverProcess,
  deaths: readonly string[],
  kills: number,
): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
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

async function tell(t: TestContext, trial: WebhookTrial, kills: number): Promise<void> {
  const verdict = await judge(trial);
  const { notices, rows, interrupted } = verdict;
  t.diagnostic(
    `${trial.writers.writes.length} changes, ${kills} kills, ${notices} notices arrived, ${rows} attempts logged, ${interrupted} of them interrupted`,
  );
  requireNoFaults(verdict);
}

/** An API process, two workers that are killed in turns, 16 writers, receivers of every kind; and the verdict. */
async function tryWithTwoWorkers(
  t: TestContext,
  opened: TestDatabase,
  startWorker: StartWorker,
  deaths: readonly string[],
): Promise<void> {
  await using base = opened;
  const { receivers: count, kills } = SIZE.postgresql;
  await using receivers = new ReceiverProcess();
  const port = await findFreePort();
  const begin = await openTrial(base.db, receivers, count, port);
  const environment = { ...environmentOf(port), DATABASE_URL: base.url ?? '' };
  const service = await startServiceProcess(environment, ['serve', '--no-delivery']);
  const start = async (): Promise<Victim> => await startWorker(environment);
  const workers = [await start(), await start()];
  try {
    const trial = await begin(service);
    const writing = trial.writers.run(WRITERS);
    const beganAtMs = monotonicMs();
    await killWorkers(start, workers, receivers, deaths, kills);
    const killedAtMs = Date.now();
    await untilAllShopsHaveChanged(trial);
    trial.writers.stop();
    await writing;
    const stoppedAtMs = monotonicMs();
    await untilAllAreTold(trial, TOLD_WITHIN_MS);
    const seconds = [stoppedAtMs - beganAtMs, monotonicMs() - stoppedAtMs].map((ms) =>
      (ms / 1_000).toFixed(1),
    );
    t.diagnostic(`written for ${seconds[0]} s, all were told ${seconds[1]} s later`);
    await untilSettled(trial, killedAtMs, TOLD_WITHIN_MS);
    assert.equal(await unacknowledged(base.db, trial), 0);
    for (const worker of workers) assert.equal(await worker.stop(), 0);
    assert.deepEqual(await base.db.query(readOpenClaims), []);
    await tell(t, trial, kills);
  } finally {
    for (const worker of workers) await worker.kill();
    await service.kill();
  }
}

// Both engines at once: after the last kill there is little to do but to wait until a claim ends by itself.
describe('notices', { concurrency: true }, () => onEachEngine('under chaos', chaos));

function chaos(open: () => Promise<TestDatabase>, kind: EngineKind): void {
  const { receivers: count, kills } = SIZE[kind];
  const limits = { ATTEMPT_MS: String(ATTEMPT_MS), LEASE_MS: String(LEASE_MS) };
  it(
    `of ${count} connections with two workers, ${kills} kills, and receivers of every kind`,
    { skip: kind !== 'postgresql', timeout: 1_200_000 },
    async (t) => {
      const start: StartWorker = async (environment) =>
        await WorkerProcess.start({ ...environment, ...limits });
      await tryWithTwoWorkers(t, await open(), start, DEATHS);
    },
  );

  it(
    `of ${count} connections with two \`cardport deliver\`, ${kills} kills at random instants`,
    { skip: kind !== 'postgresql' || !IS_FULL, timeout: 1_200_000 },
    async (t) => {
      const start: StartWorker = async (environment) =>
        await startServiceProcess(environment, ['deliver']);
      await tryWithTwoWorkers(t, await open(), start, ['random']);
    },
  );

  it(
    `of ${count} connections by one process that is killed ${kills} times`,
    { skip: kind !== 'pglite', timeout: 1_200_000 },
    async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'cardport-notices-'));
      await using receivers = new ReceiverProcess();
      const port = await findFreePort();
      const begin = await inFolder(
        folder,
        async (db) => await openTrial(db, receivers, count, port),
      );
      // Who hangs is broken off when the process ends, not waited for.
      const environment = { ...environmentOf(port), DATA_DIR: folder, DRAIN_SECONDS: '2' };
      let service = await startServiceProcess(environment);
      try {
        const trial = await begin(service);
        const writing = trial.writers.run(WRITERS);
        for (let kill = 0; kill < kills; kill++) {
          await receivers.nextArrival(kill % 2 === 0 ? 'slow' : 'ok');
          if (kill % 2 !== 0) await pause(Math.random() * KILL_WITHIN_MS);
          await service.kill();
          service = await startServiceProcess(environment);
        }
        const killedAtMs = Date.now();
        await untilAllShopsHaveChanged(trial);
        trial.writers.stop();
        await writing;
        await untilAllAreTold(trial, TOLD_WITHIN_MS);
        await untilSettled(trial, killedAtMs, TOLD_WITHIN_MS);
        assert.equal(await service.stop(), 0);
        service = await startServiceProcess(environment, ['serve', '--no-delivery']);
        await tell(t, trial, kills);
        assert.equal(await service.stop(), 0);
        assert.equal(await inFolder(folder, async (db) => await unacknowledged(db, trial)), 0);
      } finally {
        await service.kill();
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
}

async function inFolder<T>(folder: string, work: (db: Database) => Promise<T>): Promise<T> {
  const engine = await pgliteEngine({ folder });
  await migrate(engine);
  const db = openDatabase(engine, { onFault: assert.ifError });
  try {
    return await work(db);
  } finally {
    await db.close();
    await engine.close();
  }
}
