import { spawn } from 'node:child_process';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { openTestEnvironment } from './test-environment.ts';

/** A run of test files, each in a process of its own. */
export interface TestRun {
  readonly files: readonly string[];
  /** The PostgreSQL that they run on. */
  readonly binaries: Binaries;
  /** Whether PostgreSQL commits to disk. */
  readonly isDurable: boolean;
  readonly concurrency: number;
  /** Longest time of one test. */
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Runs test files with a PostgreSQL server and, where this machine has one, a browser; with `CI=true` it must have one.
 *
 * @returns the exit code: 0 when every test passed.
 */
export async function runTestFiles(run: TestRun): Promise<number> {
  if (run.files.length === 0) {
    console.error('no test file matches');
    return 1;
  }
  const prepared = await openTestEnvironment(run.binaries, run.isDurable);
  const { variables, leftOut } = prepared;
  let code = 1;
  try {
    if (process.env['CI'] === 'true' && leftOut.length > 0) {
      console.error(`CI=true, but this machine lacks ${leftOut.join(' and ')}`);
      return code;
    }
    code = await spawnTests(run, { ...process.env, ...variables, ...run.environment });
    if (leftOut.length > 0) console.log(`Left out on this machine: ${leftOut.join('; ')}`);
  } finally {
    const left = await prepared.close();
    for (const process of left) console.error(`outlived its test: ${process}`);
    if (left.length > 0) code = 1;
  }
  return code;
}

async function spawnTests(run: TestRun, environment: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${run.concurrency}`,
      `--test-timeout=${run.timeoutMs}`,
      ...run.files,
    ],
    { stdio: 'inherit', env: environment },
  );
  // Stopped from outside, the run still takes its throw-away cluster down.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => child.kill(signal));
  }
  return await new Promise((resolve) => {
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}
