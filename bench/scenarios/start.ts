import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../../server/src/base/free-port.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { readCredentials } from '../../server/src/demo/credentials.ts';
import { openPackaged } from '../../server/src/database/packaged/packaged-server.ts';
import { CLUSTER_FOLDER } from '../../server/src/runtime/configured-database.ts';
import type { Bench } from '../harness/bench.ts';
import { areProcessesPinned } from '../harness/cores.ts';
import { startMeasuredProgram } from '../harness/measured-program.ts';
import { medianOf } from '../harness/rounds.ts';
import { BENCH_SECRET_KEY } from '../harness/service.ts';
import { atMost, type Figure, makeFigure, type Scenario } from '../scenario.ts';
import { fillCards } from '../search-database.ts';
import { varyCards } from '../data/vary-cards.ts';

const CARDS = 20_000;
/** The interval between readiness checks, in milliseconds. */
const CHECK_EVERY_MS = 10;
const READY_WITHIN_MS = 60_000;
const project = new URL('../..', import.meta.url).pathname;
const program = join(project, 'server/bin/cardport');

/**
 * T11: measures the time from the start of the process to its ready line. The process prints this
 * line when `/readyz` returns 200.
 */
export const startScenario: Scenario = {
  name: 'start',
  target: 'T11',
  title: 'start to ready',
  run: async (bench) => [await onPostgresql(bench), ...(await onPackaged(bench))],
};

async function onPostgresql(bench: Bench): Promise<Figure> {
  const { url } = await bench.database('start', async (db) => {
    await fillCards(db, varyCards(CARDS));
  });
  const starts = await repeat(bench, async () => await startOnce({ DATABASE_URL: url }, []));
  return figureOf(`PostgreSQL, ${CARDS.toLocaleString('en')} cards`, starts, 1_500);
}

async function onPackaged(bench: Bench): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cardport-start-'));
  try {
    const environment = { DATA_DIR: folder };
    const first = await startOnce(environment, ['--demo']);
    await startOnce(environment, ['--demo'], async () => await waitForPhotos(folder));
    const engine = await openPackaged({ folder: join(folder, CLUSTER_FOLDER) });
    const db = openDatabase(engine, { onFault: (error) => console.error(error) });
    await fillCards(db, varyCards(CARDS));
    await db.close();
    await engine.close();
    const starts = await repeat(bench, async () => await startOnce(environment, ['--demo']));
    const npm = [await startByNpm(folder), await startByNpm(folder)];
    const what = `packaged, warm, demo shop and ${CARDS.toLocaleString('en')} cards`;
    return [
      figureOf(what, starts, 1_700),
      figureOf('packaged, cold: an empty folder, creating the demo shop', [first], null),
      figureOf('`npm start` to the first 200 of /readyz, the same folder, warm', npm, null),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
}

async function repeat(bench: Bench, start: () => Promise<Start>): Promise<Start[]> {
  // The first start fills the system's file cache, as after an update. After a reboot the cache
  // would be empty.
  await start();
  const starts: Start[] = [];
  for (let round = 0; round < bench.rounds; round++) starts.push(await start());
  return starts;
}

/** Starts the service on all cores (it has no load), and stops it. */
async function startOnce(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  beforeStop: () => Promise<void> = async () => {},
): Promise<Start> {
  const port = await findFreePort();
  const env = { ...environment, ...commonEnvironment(port) };
  const command = [...onAllCores(), program, 'serve', ...args];
  await using started = await startMeasuredProgram(command, { env, readyWord: 'ready at ' });
  const start = { ms: started.readyMs, cpuMs: started.cpuMs() };
  await beforeStop();
  return start;
}

/** Later starts do not draw the demo's photos, once all of them have been uploaded. */
async function waitForPhotos(folder: string): Promise<void> {
  const endMs = performance.now() + READY_WITHIN_MS;
  while (readCredentials(join(folder, 'demo.json'))?.done.includes('photos') !== true) {
    if (performance.now() > endMs) throw new Error('the photos of the demo were not uploaded');
    await pause(CHECK_EVERY_MS);
  }
}

async function startByNpm(folder: string): Promise<Start> {
  const port = await findFreePort();
  const env = { PATH: process.env['PATH'], DATA_DIR: folder, ...commonEnvironment(port) };
  const command = [...onAllCores(), 'npm', 'start'];
  const fromMs = performance.now();
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: project,
    env,
    stdio: 'ignore',
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  while ((await requestReadiness(port)) !== 200) {
    if (performance.now() - fromMs > READY_WITHIN_MS) throw new Error('npm start: not ready');
    await pause(CHECK_EVERY_MS);
  }
  const ms = performance.now() - fromMs;
  // Signals the whole process group as a terminal would, because npm does not forward signals.
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  await ended;
  while ((await requestReadiness(port)) !== null) {
    await pause(CHECK_EVERY_MS);
  }
  return { ms, cpuMs: 0 };
}

async function requestReadiness(port: number): Promise<number | null> {
  return await new Promise((resolve) => {
    const sent = get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    sent.on('error', () => resolve(null));
  });
}

function commonEnvironment(port: number): Readonly<Record<string, string>> {
  return {
    PORT: String(port),
    SECRET_KEY: BENCH_SECRET_KEY,
    DRAIN_NOTICE_SECONDS: '0',
    HOME: process.env['HOME'] ?? '',
  };
}

function onAllCores(): string[] {
  return areProcessesPinned() ? ['taskset', '--cpu-list', `0-${availableCores() - 1}`] : [];
}

/**
 * Returns the number of cores of the machine, at least 2: Node counts only the core to which this
 * process is pinned.
 */
function availableCores(): number {
  return Math.max(2, availableParallelism());
}

function figureOf(what: string, starts: readonly Start[], mostMs: number | null): Figure {
  const times = starts.map(({ ms }) => ms);
  const ours = medianOf(times);
  const cpuMs = medianOf(starts.map((start) => start.cpuMs));
  return makeFigure({
    what,
    unit: 'ms',
    ours,
    oursSpread: (Math.max(...times) - Math.min(...times)) / ours,
    cpuMicroseconds: cpuMs > 0 ? cpuMs * 1_000 : null,
    target: mostMs === null ? null : atMost(mostMs, ours, 'ms'),
  });
}
