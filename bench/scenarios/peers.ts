import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { queueLimits } from '../../server/src/delivery/due-queue.ts';
import type { Bench } from '../harness/bench.ts';
import type { MeasuredProgram } from '../harness/measured-program.ts';
import { compareRounds, type Sample } from '../harness/rounds.ts';
import { type Figure, figuresOf, makeFigure, ratioAtLeast, type Scenario } from '../scenario.ts';
import { CountingReceivers } from './counting-receivers.ts';
import { measureDeliveries, openDeliveries, SHOP_COUNT } from './webhook-deliveries.ts';

const folder = new URL('../peers/', import.meta.url).pathname;
const SENDS = queueLimits.fast.slots;
const JOBS_PER_ROUND = 30_000;
const JOBS_PER_ROUND_QUICK = 5_000;
const REDIS_WITHIN_MS = 10_000;

/**
 * Compares webhook deliveries with two job queues that a partner platform could use instead:
 * pg-boss on the same PostgreSQL, and BullMQ on Redis. All three sign the same events, send them to
 * the same receivers, and have as many requests in flight. The queues drain jobs that were added
 * before the measurement; Cardport finds the changes and records the attempts during the
 * measurement.
 */
export const peersScenario: Scenario = {
  name: 'peers',
  target: 'T8',
  title: 'deliveries beside pg-boss and BullMQ',
  isOnlyNamed: true,
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Figure[]> {
  if (!existsSync(join(folder, 'node_modules'))) {
    throw new Error('The job queues are not installed: run npm ci --prefix bench/peers.');
  }
  await using receivers = new CountingReceivers();
  const urls = await receivers.open(SHOP_COUNT);
  await using deliveries = await openDeliveries(bench, receivers, urls);
  await using redis = await startRedis();
  const addresses = urls.join(',');
  const { url: databaseUrl } = await bench.database('pg_boss', async () => {});
  const start = async (name: string, store: string): Promise<MeasuredProgram> =>
    await bench.program(join(folder, name), [store, addresses, String(SENDS)]);
  await using pgBoss = await start('pg-boss.mjs', databaseUrl);
  await using bullMq = await start('bullmq.mjs', redis.socket);

  const jobs = bench.isQuick ? JOBS_PER_ROUND_QUICK : JOBS_PER_ROUND;
  const samples: { readonly [name in 'ours' | 'pgBoss' | 'bullMq']: Sample[] } = {
    ours: [],
    pgBoss: [],
    bullMq: [],
  };
  // The first round warms up and is not counted.
  for (let round = 0; round <= bench.rounds; round++) {
    const [boss, bull] = [await drain(pgBoss, jobs), await drain(bullMq, jobs)];
    const ours = await measureDeliveries(deliveries, bench.roundSeconds);
    await pause(SETTLE_MS);
    if (round === 0) continue;
    samples.pgBoss.push(boss);
    samples.bullMq.push(bull);
    samples.ours.push(ours);
  }
  return [
    compare('pg-boss, jobs in PostgreSQL', samples.pgBoss, samples.ours),
    compare(
      'BullMQ, jobs in Redis (append-only file, a sync each second)',
      samples.bullMq,
      samples.ours,
    ),
  ];
}

/** The time within which deliveries in flight finish after a round. */
const SETTLE_MS = 1_200;

async function drain(peer: MeasuredProgram, jobs: number): Promise<Sample> {
  const response = await fetch(`${peer.ready}/${jobs}`);
  if (!response.ok) throw new Error(`${peer.ready} failed`);
  // servePeer responds with this object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (await response.json()) as Sample;
}

function compare(name: string, peer: readonly Sample[], own: readonly Sample[]): Figure {
  const compared = compareRounds(peer, own);
  return makeFigure({
    what: `${SHOP_COUNT} receivers; limit: ${name}`,
    unit: 'POSTs/s',
    ...figuresOf(compared),
    target: ratioAtLeast(1, compared.ratio),
  });
}

interface Redis extends AsyncDisposable {
  readonly socket: string;
}

/** Starts a Redis server on a Unix socket, on this process's core like PostgreSQL. */
async function startRedis(): Promise<Redis> {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    throw new Error('redis-server is not installed: install the package redis-server (Debian).');
  }
  const data = mkdtempSync(join(tmpdir(), 'cardport-redis-'));
  const socket = join(data, 'redis.sock');
  const files = ['--dir', data, '--unixsocket', socket, '--appendonly', 'yes', '--save', ''];
  const child = spawn('redis-server', ['--port', '0', ...files], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  const endAtMs = performance.now() + REDIS_WITHIN_MS;
  while (!(await accepts(socket))) {
    if (performance.now() > endAtMs) {
      await stop();
      throw new Error('Redis did not start.');
    }
    await pause(50);
  }
  return { socket, [Symbol.asyncDispose]: stop };
}

async function accepts(socket: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const client = connect(socket);
    client.once('connect', () => {
      client.destroy();
      resolve(true);
    });
    client.once('error', () => resolve(false));
  });
}
