import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../server/src/base/secrets.ts';
import type { Database } from '../../server/src/database/database.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';
import { statement } from '../../server/src/database/statement.ts';
import { StockWriters, type Write } from '../../server/prove/stock-writers.ts';
import { type TrialShop, registerWebhooks, seedShops } from '../../server/prove/webhook-scene.ts';
import type { Bench } from '../harness/bench.ts';
import { watchCore } from '../harness/core-share.ts';
import { LOAD_CORE, MEASURED_CORE } from '../harness/cores.ts';
import { type MeasuredProgram, startMeasuredProgram } from '../harness/measured-program.ts';
import { cpuMsOf, peakMbOf } from '../harness/process-figures.ts';
import { interleave, medianOf, type Sample } from '../harness/rounds.ts';
import { BENCH_SECRET_KEY } from '../harness/service.ts';
import { atMost, type Figure, makeFigure, ratioAtLeast, type Scenario } from '../scenario.ts';
import { spreadOf } from '../spread.ts';
import { CountingReceivers } from './counting-receivers.ts';

/**
 * The public origin, to which tokens are bound. It is on loopback, because only a deployment on
 * loopback may send to receivers on loopback.
 */
const PUBLIC_URL = 'http://127.0.0.1:8080';
/** The number of shops. Each has one receiver. */
export const SHOP_COUNT = 500;
const WARM_SECONDS = 2;
const WARM_SECONDS_QUICK = 1;
const COMMITS_PER_SECOND = 100;
const LATENCY_SECONDS = 10;
const LATENCY_SECONDS_QUICK = 2;
/**
 * The interval at which notified shops change again. It is long enough to cost the database little.
 */
const CHANGE_EVERY_MS = 10;
/** The time within which deliveries in flight finish after the rounds or commits end. */
const SETTLE_MS = 1_200;
const P50_MS_MAX = 50;
const P99_MS_MAX = 50;
const limitProgram = new URL('webhook-deliveries-limit.ts', import.meta.url).pathname;
const program = new URL('../../server/bin/cardport', import.meta.url).pathname;

/**
 * T8: measures deliveries of 500 shops to 500 receivers under constant load: a shop changes again
 * as soon as its last delivery has succeeded. The baseline is the guarded sender alone with
 * prepared bytes, without a database, encryption or signatures.
 */
export const deliveriesScenario: Scenario = {
  name: 'deliveries',
  target: 'T8',
  title: 'deliveries to 500 receivers',
  run: measure,
};

// Changes every shop whose last delivery has succeeded, and lets its next delivery start
// immediately. Sends one notification per shop, as separate commits would.
export const changeNotifiedShops = statement(
  'bench_change_told_shops',
  `with told as (
    update webhook w set paced_until = null from feed_head h
     where h.shop_id = w.shop_id and w.lease_id is null and w.acknowledged_seq = h.seq
    returning w.shop_id
  ), changed as (
    update feed_head h set seq = seq + 1, changed_at = clock_timestamp() from told
     where h.shop_id = told.shop_id returning h.shop_id
  )
  select pg_notify('cardport', 'stock:' || shop_id) from changed`,
);
export const selectBenchBackends = statement<{ readonly pid: number }>(
  'bench_select_backends',
  `select pid from pg_stat_activity where backend_type = 'client backend' and datname = current_database()`,
);

async function measure(bench: Bench): Promise<readonly Figure[]> {
  await using receivers = new CountingReceivers();
  const urls = await receivers.open(SHOP_COUNT);
  await using limit = await bench.program(limitProgram, [urls.join(',')]);
  await using deliveries = await openDeliveries(bench, receivers, urls);
  const rates = await measureRates(bench, limit, deliveries);
  const seconds = bench.isQuick ? LATENCY_SECONDS_QUICK : LATENCY_SECONDS;
  const { publicUrl, shops } = deliveries;
  return [rates, ...(await measureReceipts(publicUrl, shops, receivers, seconds))];
}

export interface Deliveries extends AsyncDisposable {
  /** The address of the service process that sends no deliveries. */
  readonly publicUrl: string;
  readonly worker: MeasuredProgram;
  readonly receivers: CountingReceivers;
  readonly db: Database;
  readonly shops: readonly TrialShop[];
}

/** Registers a webhook of one shop for each address, and starts a worker that delivers. */
export async function openDeliveries(
  bench: Bench,
  receivers: CountingReceivers,
  urls: readonly string[],
): Promise<Deliveries> {
  const opened = urls.map((url) => ({ behavior: 'ok' as const, url }));
  const { url: databaseUrl, data: apps } = await bench.database(
    'deliveries',
    async (db) => await seedShops(db, opened, 1, PUBLIC_URL),
  );
  const env = { ALLOW_LOOPBACK_WEBHOOKS: 'true', PUBLIC_URL };
  const shared = { databaseUrl, core: MEASURED_CORE, args: ['--no-delivery'] };
  await using opening = new AsyncDisposableStack();
  const service = opening.use(await bench.service({ ...shared, publicUrl: PUBLIC_URL, env }));
  await registerWebhooks(apps, service.url);
  const worker = opening.use(await startWorker(bench, databaseUrl, env));
  const engine = postgresqlEngine(databaseUrl);
  opening.defer(async () => await engine.close());
  const db = openDatabase(engine, { onFault: (error) => console.error(error) });
  opening.defer(async () => await db.close());
  const stack = opening.move();
  const shops = apps.map(({ shop }) => shop);
  return {
    publicUrl: service.url,
    worker,
    receivers,
    db,
    shops,
    [Symbol.asyncDispose]: async () => await stack.disposeAsync(),
  };
}

async function startWorker(
  { profileFolder }: Bench,
  databaseUrl: string,
  env: Readonly<Record<string, string>>,
): Promise<MeasuredProgram> {
  const profiling =
    profileFolder === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` };
  const own = { DATABASE_URL: databaseUrl, SECRET_KEY: BENCH_SECRET_KEY, PORT: '0' };
  return await startMeasuredProgram([program, 'deliver'], {
    readyWord: 'Cardport delivers webhooks',
    env: { ...env, ...own, ...profiling },
  });
}

async function measureRates(
  bench: Bench,
  limit: MeasuredProgram,
  deliveries: Deliveries,
): Promise<Figure> {
  const { worker, receivers, db, shops } = deliveries;
  const databaseCosts: number[] = [];
  const receiverCosts: number[] = [];
  const [measuredShares, loadShares]: [number[], number[]] = [[], []];
  const sendAlone = async (seconds: number): Promise<Sample> => {
    const fromMs = limit.cpuMs();
    const sent: unknown = await (await fetch(`${limit.ready}/${seconds}`)).json();
    // The baseline program responds with this object.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { ...(sent as Omit<Sample, 'cpuMs'>), cpuMs: limit.cpuMs() - fromMs };
  };
  const serve = async (seconds: number): Promise<Sample> => {
    const backends = (await db.query(selectBenchBackends)).map(({ pid }) => pid);
    const databaseMs = (): number => backends.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
    const [databaseFromMs, receiversFromMs] = [databaseMs(), cpuMsOf(receivers.pid)];
    const [measuredShare, loadShare] = [watchCore(MEASURED_CORE), watchCore(LOAD_CORE)];
    const sample = await measureDeliveries(deliveries, seconds);
    measuredShares.push(measuredShare() * 100);
    loadShares.push(loadShare() * 100);
    databaseCosts.push(((databaseMs() - databaseFromMs) * 1_000) / sample.count);
    receiverCosts.push(((cpuMsOf(receivers.pid) - receiversFromMs) * 1_000) / sample.count);
    await pause(SETTLE_MS);
    return sample;
  };
  const warmSeconds = bench.isQuick ? WARM_SECONDS_QUICK : WARM_SECONDS;
  await sendAlone(warmSeconds);
  await serve(warmSeconds);
  // Autovacuum does this within a minute. A query plan made for an empty attempt log is bad for a
  // full one.
  await db.runScript('vacuum analyze webhook, webhook_attempt, feed_head');
  const compared = await interleave(
    bench.rounds,
    async () => await sendAlone(bench.roundSeconds),
    async () => await serve(bench.roundSeconds),
  );
  const { limit: most, ours, ratio } = compared;
  return makeFigure({
    what: `${shops.length} shops that change all the time; limit: the guarded sender alone with prepared bytes`,
    unit: 'deliveries/s',
    limit: most.rate,
    ours: ours.rate,
    ratio,
    limitSpread: most.spread,
    oursSpread: ours.spread,
    cpuMicroseconds: ours.cpuMicroseconds,
    limitCpuMicroseconds: most.cpuMicroseconds,
    memoryMb: peakMbOf(worker.pid),
    target: ratioAtLeast(0.45, ratio),
    // If neither core is fully used, the round trip is the limit, because each connection has one
    // delivery in flight.
    notes: `the worker's core ${medianText(measuredShares)} % busy; the second ${medianText(loadShares)} %, with ${medianText(databaseCosts)} µs per delivery in the database and ${medianText(receiverCosts)} in the receivers`,
  });
}

function medianText(values: readonly number[]): string {
  return medianOf(values).toFixed(0);
}

/** Keeps all shops changing for this many seconds, and counts the deliveries that arrive. */
export async function measureDeliveries(
  { worker, receivers, db }: Pick<Deliveries, 'worker' | 'receivers' | 'db'>,
  seconds: number,
): Promise<Sample> {
  const [beganAtMs, cpuFromMs, from] = [performance.now(), worker.cpuMs(), await receivers.count()];
  const endMs = beganAtMs + seconds * 1_000;
  while (performance.now() < endMs) {
    await db.query(changeNotifiedShops);
    await pause(CHANGE_EVERY_MS);
  }
  const count = (await receivers.count()) - from;
  const tookSeconds = (performance.now() - beganAtMs) / 1_000;
  return { count, seconds: tookSeconds, cpuMs: worker.cpuMs() - cpuFromMs };
}

/**
 * Commits changes to one shop after another at a steady rate, and measures the time from each write
 * request to the resulting delivery.
 */
async function measureReceipts(
  url: string,
  shops: readonly TrialShop[],
  receivers: CountingReceivers,
  seconds: number,
): Promise<readonly Figure[]> {
  const writers = new StockWriters(url, shops);
  const writeFor = async (forSeconds: number): Promise<readonly Write[]> => {
    const writing: Promise<Write>[] = [];
    const beganAtMs = performance.now();
    for (let n = 0; n < forSeconds * COMMITS_PER_SECOND; n++) {
      await pause(Math.max(0, beganAtMs + (n * 1_000) / COMMITS_PER_SECOND - performance.now()));
      const shop = shops[n % shops.length];
      if (shop !== undefined) writing.push(writers.write(shop, newId()));
    }
    const writes = await Promise.all(writing);
    await pause(SETTLE_MS);
    return writes;
  };
  // The first writes open the connections to the service and to its database.
  await writeFor(WARM_SECONDS);
  await receivers.take();
  const writes = await writeFor(seconds);
  const byReceiver = Map.groupBy(await receivers.take(), ([receiver]) => receiver);
  const receiverOf = new Map(shops.map(({ id }, receiver) => [id, receiver]));
  const spread = spreadOf(
    writes.map(({ shopId, askedAtMs }) => {
      const own = byReceiver.get(receiverOf.get(shopId) ?? -1) ?? [];
      const [, atMs = Number.POSITIVE_INFINITY] = own.find(([, each]) => each > askedAtMs) ?? [];
      return atMs - askedAtMs;
    }),
  );
  const what = `${COMMITS_PER_SECOND} commits a second: from the request of the write to its receiver`;
  return [
    makeFigure({
      what: `${what}, p50`,
      unit: 'ms',
      ours: spread.p50,
      target: atMost(P50_MS_MAX, spread.p50, 'ms'),
    }),
    makeFigure({
      what: `${what}, p99`,
      unit: 'ms',
      ours: spread.p99,
      target: atMost(P99_MS_MAX, spread.p99, 'ms'),
      notes: `worst ${spread.worst.toFixed(0)} ms`,
    }),
  ];
}
