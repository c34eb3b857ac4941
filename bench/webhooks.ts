// Measures the delivery of notices: `node bench/webhooks.ts [rounds]`. 500 shops, each with a receiver of its own: how many
// notices a second the whole service sends, beside the guarded sender alone in the same run; and how soon a receiver is
// told of a commit. It makes its own throw-away PostgreSQL and prints one table and one line of JSON.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../server/src/base/secrets.ts';
import type { Database } from '../server/src/database/database.ts';
import { statement } from '../server/src/database/statement.ts';
import { findFreePort } from '../server/src/base/free-port.ts';
import { type ServiceProcess, startServiceProcess } from '../server/prove/service-process.ts';
import { StockWriters } from '../server/prove/stock-writers.ts';
import { type ProvedShop, registerWebhooks, seedShops } from '../server/prove/webhook-scene.ts';
import { CountingReceivers, LoneSender } from './notice-processes.ts';
import { openBenchDatabase } from './search-database.ts';
import { spreadOf, tellSpread } from './spread.ts';

const SHOPS = 500;
const ROUNDS = 5;
/** Of one round; each makes every connection due once. */
const WAVES = 8;
const COMMITS_PER_SECOND = 100;
const LATENCY_SECONDS = 20;
const LOOK_EVERY_MS = 3;
const WAVE_WITHIN_MS = 60_000;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;
const SECRET_KEY = 'a secret key of measurements, 32 characters or more';

// Every shop has changed, and the pace of every connection has passed; each node is told as by as many commits.
export const changeEveryShop = statement(
  'bench_change_every_shop',
  `with changed as (
    update feed_head set seq = seq + 1, changed_at = clock_timestamp() returning shop_id
  ), due as (
    update webhook set leased_until = null where leased_until is not null and lease_id is null
  )
  select pg_notify('cardport', 'stock:' || shop_id) from changed`,
);
export const readBackends = statement<{ readonly pid: number }>(
  'bench_read_backends',
  `select pid from pg_stat_activity where backend_type = 'client backend'`,
);
export const readUpdates = statement<{
  readonly name: string;
  readonly updates: number;
  readonly hot: number;
}>(
  'bench_read_updates',
  `select relname as name, n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables
  where relname in ('webhook', 'webhook_attempt') order by relname`,
);
export const countUntold = statement<{ readonly untold: number }>(
  'bench_count_untold',
  `select count(*)::int as untold from webhook w join feed_head h using (shop_id)
  where w.acknowledged_seq < h.seq or w.lease_id is not null`,
);

/** Makes every connection due and waits until each notice is sent and recorded; returns the milliseconds that took. */
async function serveWave(db: Database): Promise<number> {
  const beganAtMs = performance.now();
  await db.query(changeEveryShop);
  while (((await db.one(countUntold))?.untold ?? 0) > 0) {
    if (performance.now() - beganAtMs > WAVE_WITHIN_MS) throw new Error('a wave has no end');
    await pause(LOOK_EVERY_MS);
  }
  return performance.now() - beganAtMs;
}

/** Notices a second of some waves, one after the other, and the CPU time of processes for one notice, in microseconds. */
async function measureWaves(
  waves: number,
  pids: readonly number[],
  wave: () => Promise<number>,
): Promise<{ readonly rate: number; readonly cpuUs: readonly number[] }> {
  const before = pids.map((pid) => cpuMsOf(pid) ?? 0);
  let ms = 0;
  for (let n = 0; n < waves; n++) ms += await wave();
  const notices = SHOPS * waves;
  const cpuUs = pids.map((pid, n) => {
    const [fromMs = 0, toMs = fromMs] = [before[n], cpuMsOf(pid)];
    return ((toMs - fromMs) * 1_000) / notices;
  });
  return { rate: (notices * 1_000) / ms, cpuUs };
}

/** User and system time of a process so far, in milliseconds; undefined when it is gone. */
function cpuMsOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Commits at a steady pace, one shop after the other; how long each took to reach its receiver. */
async function measureReceipts(
  writers: StockWriters,
  shops: readonly ProvedShop[],
  receivers: CountingReceivers,
): Promise<{ readonly fromRequest: readonly number[]; readonly fromAnswer: readonly number[] }> {
  await pause(2_000);
  await receivers.take();
  const writing: ReturnType<StockWriters['write']>[] = [];
  const beganAtMs = performance.now();
  for (let n = 0; n < LATENCY_SECONDS * COMMITS_PER_SECOND; n++) {
    await pause(Math.max(0, beganAtMs + (n * 1_000) / COMMITS_PER_SECOND - performance.now()));
    const shop = shops[n % shops.length];
    if (shop !== undefined) writing.push(writers.write(shop, newId()));
  }
  const writes = await Promise.all(writing);
  await pause(2_000);
  const byReceiver = Map.groupBy(await receivers.take(), ([receiver]) => receiver);
  const receiverOf = new Map(shops.map(({ id }, receiver) => [id, receiver]));
  const told = writes.map(({ shopId, askedAtMs, answeredAtMs }) => {
    const own = byReceiver.get(receiverOf.get(shopId) ?? -1) ?? [];
    const [, atMs = Infinity] = own.find(([, each]) => each > askedAtMs) ?? [];
    return { fromRequest: atMs - askedAtMs, fromAnswer: atMs - answeredAtMs };
  });
  return {
    fromRequest: told.map(({ fromRequest }) => fromRequest),
    fromAnswer: told.map(({ fromAnswer }) => fromAnswer),
  };
}

/** How many updates touched no index, since the database was made. */
async function tellUpdates(db: Database, when: string): Promise<void> {
  for (const { name, updates, hot } of await db.query(readUpdates)) {
    console.log(`${`HOT updates of ${name}, ${when}`.padEnd(46)} ${hot} of ${updates}`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function tellRates(name: string, rates: readonly number[]): void {
  const spread = `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`;
  console.log(`${name.padEnd(46)} ${median(rates).toFixed(0)} a second (${spread})`);
}

const rounds = Number(process.argv[2] ?? ROUNDS);
await using base = await openBenchDatabase();
await using receivers = new CountingReceivers();
await using sender = new LoneSender();
const urls = await receivers.open(SHOPS);
const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const opened = urls.map((each) => ({ behaviour: 'ok' as const, url: each }));
const apps = await seedShops(base.db, opened, 1, url);
const shops = apps.map(({ shop }) => shop);
const environment = {
  PORT: String(port),
  PUBLIC_URL: url,
  ALLOW_LOOPBACK_WEBHOOKS: 'true',
  DATABASE_URL: base.url,
  SECRET_KEY,
  LOG_LEVEL: 'info',
};
const processes: ServiceProcess[] = [];
try {
  processes.push(await startServiceProcess(environment, ['serve', '--no-delivery']));
  await registerWebhooks(apps, url);
  // `BENCH_NODE_OPTIONS=--cpu-prof` writes where the worker's time goes.
  const { BENCH_NODE_OPTIONS: NODE_OPTIONS = '' } = process.env;
  processes.push(await startServiceProcess({ ...environment, NODE_OPTIONS }, ['deliver']));
  console.log(
    `load average ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
  );
  const workerPid = processes[1]?.pid ?? 0;
  const sendAlone = async (): Promise<number> => await sender.sendWave(urls);
  const serve = async (): Promise<number> => await serveWave(base.db);
  await measureWaves(2, [], sendAlone);
  await measureWaves(2, [], serve);
  const alone: number[] = [];
  const whole: number[] = [];
  const cpuUs: { sender: number[]; worker: number[]; database: number[] } = {
    sender: [],
    worker: [],
    database: [],
  };
  for (let round = 0; round < rounds; round++) {
    const sent = await measureWaves(WAVES, [sender.pid], sendAlone);
    alone.push(sent.rate);
    cpuUs.sender.push(sumOf(sent.cpuUs));
    const backends = (await base.db.query(readBackends)).map(({ pid }) => pid);
    const served = await measureWaves(WAVES, [workerPid, ...backends], serve);
    whole.push(served.rate);
    cpuUs.worker.push(served.cpuUs[0] ?? 0);
    cpuUs.database.push(sumOf(served.cpuUs.slice(1)));
  }
  const ratio = median(whole) / median(alone);
  tellRates('the guarded sender alone', alone);
  tellRates('the whole service', whole);
  console.log(`${'ratio (target: 0.4 or more)'.padEnd(46)} ${ratio.toFixed(2)}`);
  for (const [name, values] of Object.entries(cpuUs)) {
    console.log(`${`CPU a notice, ${name}`.padEnd(46)} ${median(values).toFixed(0)} µs`);
  }
  // Backends tell what they did when they have been idle for a second.
  await pause(2_000);
  await tellUpdates(base.db, 'after the waves');
  const writers = new StockWriters(url, shops);
  const receipts = await measureReceipts(writers, shops, receivers);
  const [fromRequest, fromAnswer] = [receipts.fromRequest, receipts.fromAnswer].map(spreadOf);
  await tellUpdates(base.db, 'in all');
  const at = `${COMMITS_PER_SECOND} commits a second`;
  if (fromRequest !== undefined && fromAnswer !== undefined) {
    console.log(`${`write's request to receipt, ${at}`.padEnd(46)} ${tellSpread(fromRequest)}`);
    console.log(`${`write's answer to receipt, ${at}`.padEnd(46)} ${tellSpread(fromAnswer)}`);
  }
  console.log(
    `load average ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
  );
  console.log(JSON.stringify({ alone, whole, ratio, cpuUs, fromRequest, fromAnswer }));
} finally {
  for (const each of processes) await each.stop();
}
