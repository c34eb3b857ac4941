import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { openTestEnvironment } from './test-environment.ts';
import { TestWatch } from './test-watch.ts';

/** A run of tests: every batch of files in a process of its own. */
export interface TestRun {
  readonly batches: readonly (readonly string[])[];
  /** The PostgreSQL that they run on, or null: units need none. */
  readonly binaries: Binaries | null;
  /** Whether PostgreSQL commits to disk. */
  readonly isDurable: boolean;
  readonly concurrency: number;
  /** Longest time of one test. */
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The exit code of a run that a signal ended. */
export const INTERRUPTED = 130;

/** How a run ended. */
export interface RunResult {
  /** 0 when every test passed, 1 when not, `INTERRUPTED` after a signal. */
  readonly exitCode: number;
  /** What each file took, in seconds. */
  readonly seconds: ReadonlyMap<string, number>;
}

/** Runs test files with a PostgreSQL server and, where this machine has one, a browser; with `CI=true` it must have one. */
export async function runTestFiles(testRun: TestRun): Promise<RunResult> {
  const none = { exitCode: 1, seconds: new Map<string, number>() };
  if (testRun.batches.length === 0) {
    console.error('no test file matches');
    return none;
  }
  const prepared = await openTestEnvironment(testRun.binaries, testRun.isDurable);
  const { variables, leftOut } = prepared;
  let result: RunResult = none;
  try {
    if (process.env['CI'] === 'true' && leftOut.length > 0) {
      console.error(`CI=true, but this machine lacks ${leftOut.join(' and ')}`);
      return none;
    }
    Object.assign(process.env, variables, testRun.environment);
    result = await runBatches(testRun, variables['TMPDIR'] ?? '');
    if (leftOut.length > 0) console.log(`Left out on this machine: ${leftOut.join('; ')}`);
  } finally {
    const left = await prepared.close();
    for (const process of left) console.error(`outlived its test: ${process}`);
    if (left.length > 0) result = { ...result, exitCode: result.exitCode || 1 };
  }
  return result;
}

/** A process that reports nothing for this many times the limit of a test is blocked: its own timers cannot fire. */
const SILENT_LIMITS = 1.5;

async function runBatches(
  { batches, concurrency, timeoutMs }: TestRun,
  folder: string,
): Promise<RunResult> {
  const processes = new Map(
    batches.map((files, index) => [moduleOf(files, join(folder, `batch-${index}.ts`)), files]),
  );
  const files = [...processes.keys()];
  const events = run({ files, concurrency, execArgv: [`--test-timeout=${timeoutMs}`] });
  const watch = new TestWatch(events, processes);
  events.compose(spec).pipe(process.stdout);
  const end = await new Promise<'all' | 'signal' | 'hang'>((resolve) => {
    events.once('end', () => resolve('all'));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => resolve('signal'));
    }
    setInterval(() => {
      const hanging = watch.hanging(timeoutMs * SILENT_LIMITS);
      if (hanging.length === 0) return;
      for (const test of hanging) console.error(`hangs: ${test}`);
      resolve('hang');
    }, 1_000).unref();
  });
  const exitCode = end === 'signal' ? INTERRUPTED : Number(end === 'hang' || watch.hasFailed);
  return { exitCode, seconds: watch.seconds };
}

/** The module that a batch's process runs: its file, or one at `path` that imports its files in their order. */
function moduleOf(files: readonly string[], path: string): string {
  const [first = ''] = files;
  if (files.length === 1) return first;
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`);
  writeFileSync(path, imports.join(''));
  return path;
}
