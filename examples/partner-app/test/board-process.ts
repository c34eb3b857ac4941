import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../../../server/test/cardport.ts';
import type { EmulatorProcess } from '../../../server/test/emulator.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The example app in a separate process, as its users run it. */
export interface BoardProcess {
  readonly url: string;
  /** Returns the complete output so far. */
  printed(): string;
  /** Sends a signal and waits until the process has exited. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts the app for an emulator and waits until it listens. */
export async function startBoard(
  emulator: EmulatorProcess,
  { port, dataFile }: { readonly port: number; readonly dataFile: string },
): Promise<BoardProcess> {
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    env: cleanEnvironment({
      CARDPORT_URL: emulator.baseUrl,
      APP_URL: url,
      CLIENT_ID: 'app_emulated',
      CLIENT_SECRET: 'cps_emulated',
      DATA_FILE: dataFile,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const ended = waitForExit(child);
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      if (printed.includes(`The price board is at ${url}`)) resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    void ended.then(() => reject(new Error(`the board has ended: ${printed}`)));
  });
  return {
    url,
    printed: () => printed,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}

async function waitForExit(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
}

/** Returns a free port on 127.0.0.1. The redirect URI must name it before the app starts. */
export async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** Returns the first column of a query on the app's database, while the app runs. */
export function queryDatabase(dataFile: string, query: string): readonly unknown[] {
  const db = new DatabaseSync(dataFile, { readOnly: true, timeout: 5_000 });
  try {
    return db
      .prepare(query)
      .all()
      .map((row) => Object.values(row)[0]);
  } finally {
    db.close();
  }
}
