import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** An emulator in a separate process, as a partner's tests would start it. */
export interface RunningEmulator extends AsyncDisposable {
  readonly baseUrl: string;
  readonly authUrl: string;
  /** Sends `POST /emulator/<path>` to the admin API. */
  tell(path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
}

const PROGRAM = fileURLToPath(new URL('../../server/bin/cardport', import.meta.url));

/** Starts an emulator on a free port and waits until it is ready. */
export async function startEmulator(): Promise<RunningEmulator> {
  const child = spawn(PROGRAM, ['emulate', '--port', '0', '--json', '--units', '40'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url, baseUrl, authUrl } = await readyLine(child);
  return {
    baseUrl,
    authUrl,
    tell: async (path, body = {}) => {
      const answer = await fetch(`${url}/emulator/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`POST /emulator/${path}: ${answer.status} ${text}`);
      const told = JSON.parse(text) as Readonly<Record<string, unknown>>;
      return told;
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

interface Addresses {
  readonly url: string;
  readonly baseUrl: string;
  readonly authUrl: string;
}

async function readyLine(child: ChildProcess): Promise<Addresses> {
  if (child.stdout === null) throw new Error('the output of the emulator cannot be read');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  const addresses = JSON.parse(String(value)) as Addresses;
  return addresses;
}
