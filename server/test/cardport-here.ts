import { Readable } from 'node:stream';
import { systemClock } from '../src/base/clock.ts';
import { runCommandLine } from '../src/cli/command-line.ts';
import { openControlServer } from '../src/cli/control-server.ts';
import { cleanEnvironment, type Run, type RunOptions, temporaryFolder } from './cardport.ts';
import type { TestDatabase } from './engines.ts';
import { TEST_SECRET_KEY } from './service.ts';

/**
 * Runs `cardport` in this process: it finds the service or opens the database by itself, as a process does, without the
 * second of CPU that the start of one takes. What only a process has stays with `cardport`: that it ends, its code, its
 * streams and its signals.
 */
export async function cardportHere(
  args: readonly string[],
  { environment, stdin = '' }: RunOptions = {},
): Promise<Run> {
  const printed = { stdout: '', stderr: '' };
  const code = await runCommandLine(args, {
    environment: cleanEnvironment(environment),
    output: {
      out: (text) => void (printed.stdout += text),
      err: (text) => void (printed.stderr += text),
    },
    openStandardInput: () => {
      const bytes = Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]);
      return { kind: 'open', input: { bytes, bytesTotal: null } };
    },
  });
  return { code, ...printed };
}

/** A deployment of which the test's database is a part. */
export interface TestDeployment extends AsyncDisposable {
  /** The settings under which a command line finds it. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Deploys a test's database for command lines: by the URL of PostgreSQL, or by a folder in which this process takes
 * commands as the service does.
 */
export async function deploy(base: TestDatabase): Promise<TestDeployment> {
  if (base.url !== null) {
    return {
      environment: { DATABASE_URL: base.url, SECRET_KEY: TEST_SECRET_KEY },
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const folder = temporaryFolder();
  const context = {
    db: base.db,
    clock: systemClock,
    publicUrl: 'http://127.0.0.1',
    secretKey: TEST_SECRET_KEY,
  };
  const control = await openControlServer(folder.path, context, (error) => {
    console.error('control fault', error);
  });
  return {
    environment: { DATA_DIR: folder.path },
    [Symbol.asyncDispose]: async () => {
      await control.close(0);
      folder[Symbol.dispose]();
    },
  };
}
