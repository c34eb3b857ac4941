import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cleanEnvironment, program } from './cardport.ts';
import { isObject } from './docs-shape.ts';

/** The emulator that pages run against, as a reader starts it. */
export interface PageEmulator extends AsyncDisposable {
  readonly url: string;
  /** Sets everything to the beginning; gives what a reader exports, with a fresh access token. */
  reset(): Promise<Readonly<Record<string, string>>>;
}

/** What the emulator's redirect URIs and the pages' ports come to. */
export interface PageEmulatorOptions {
  readonly port: number;
  readonly redirectUris: readonly string[];
}

/** Starts `cardport emulate` and waits until it is ready. */
export async function startPageEmulator(options: PageEmulatorOptions): Promise<PageEmulator> {
  const args = options.redirectUris.flatMap((uri) => ['--redirect-uri', uri]);
  const child = spawn(program, ['emulate', '--json', '--port', String(options.port), ...args], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).once('line', () => resolve());
  });
  await Promise.race([
    ready,
    ended.then(() => {
      throw new Error(`the emulator has ended: ${printed}`);
    }),
  ]);
  const url = `http://127.0.0.1:${options.port}`;
  return {
    url,
    reset: async () => {
      await post(`${url}/emulator/reset`, {});
      const shown = await read(await fetch(`${url}/emulator`));
      const tokens = await post(`${url}/emulator/tokens`, {});
      return exportsOf(shown, tokens, options.redirectUris[0] ?? '');
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function exportsOf(shown: unknown, tokens: unknown, redirectUri: string): Record<string, string> {
  const text = JSON.stringify(shown);
  const find = (pattern: RegExp): string => pattern.exec(text)?.[0] ?? '';
  const accessToken = isObject(tokens) ? tokens['access_token'] : undefined;
  if (typeof accessToken !== 'string') throw new Error(`no token: ${JSON.stringify(tokens)}`);
  return {
    CLIENT_ID: find(/app_emulated\w*/),
    CLIENT_SECRET: find(/cps_emulated\w*/),
    SHOP_KEY: find(/csk_emulated\w*/),
    REDIRECT_URI: redirectUri,
    ACCESS_TOKEN: accessToken,
  };
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return await read(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function read(answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}
