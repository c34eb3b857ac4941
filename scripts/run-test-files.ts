import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { openTestEnvironment } from './test-environment.ts';
import { TestTracker } from './test-tracker.ts';

/** The test files of a run, and how they run. Each batch of files has its own process. */
export interface TestRun {
  readonly batches: readonly (readonly string[])[];
  /** The PostgreSQL for the tests; null for unit tests, which need no server. */
  readonly binaries: Binaries | null;
  /** True if PostgreSQL writes each commit to disk. */
  readonly isDurable: boolean;
  readonly concurrency: number;
  /** The time limit of one test. */
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The exit code of a run that a signal stopped. */
export const EXIT_INTERRUPTED = 130;

export interface RunResult {
  /** 0 when all tests passed, 1 when not, `EXIT_INTERRUPTED` after a signal. */
  readonly exitCode: number;
  /** The duration of each file, in seconds. */
  readonly seconds: ReadonlyMap<string, number>;
}

/**
 * Runs test files with a PostgreSQL server and a browser if this machine has one; with `CI=true` a
 * browser is required.
 */
export async function runTestFiles(testRun: TestRun): Promise<RunResult> {
  const none = { exitCode: 1, seconds: new Map<string, number>() };
  if (testRun.batches.length === 0) {
    console.error('no test file matches');
    return none;
  }
  const prepared = await openTestEnvironment(testRun.binaries, testRun.isDurable);
  const { variables, missing } = prepared;
  let result: RunResult = none;
  try {
    if (process.env['CI'] === 'true' && missing.length > 0) {
      console.error(`CI=true, but this machine lacks ${missing.join(' and ')}`);
      return none;
    }
    Object.assign(process.env, variables, testRun.environment);
    result = await runBatches(testRun, variables['TMPDIR'] ?? '');
    if (missing.length > 0) {
      console.log(`Tests were skipped because this machine lacks ${missing.join(' and ')}`);
    }
  } finally {
    const left = await prepared.close();
    for (const process of left) console.error(`still running after its test: ${process}`);
    if (left.length > 0) result = { ...result, exitCode: result.exitCode || 1 };
  }
  return result;
}

/**
 * A process counts as blocked if it reports nothing for this multiple of a test's time limit,
 * because its own timers should have fired.
 */
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
  const watch = new TestTracker(events, processes);
  events.compose(spec).pipe(process.stdout);
  const end = await new Promise<'all' | 'signal' | 'hang'>((resolve) => {
    events.once('end', () => resolve('all'));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => resolve('signal'));
    }
    setInterval(() => {
      const hanging = watch.findHanging(timeoutMs * SILENT_LIMITS);
      if (hanging.length === 0) return;
      for (const test of hanging) console.error(`hangs: ${test}`);
      resolve('hang');
    }, 1_000).unref();
  });
  const exitCode = end === 'signal' ? EXIT_INTERRUPTED : Number(end === 'hang' || watch.hasFailed);
  return { exitCode, seconds: watch.seconds };
}

/**
 * Returns the module that a batch's process runs: its only file, or a generated one at `path` that
 * imports its files in order.
 */
function moduleOf(files: readonly string[], path: string): string {
  const [first = ''] = files;
  if (files.length === 1) return first;
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`);
  writeFileSync(path, imports.join(''));
  return path;
}
