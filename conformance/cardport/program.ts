import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { isObject } from '../expect.ts';

/** The program as people call it. */
const PROGRAM = new URL('../../server/bin/cardport', import.meta.url).pathname;
/** No command takes so long; beyond it the process is killed. */
const COMMAND_TIMEOUT_MS = 60_000;
/** A start that migrates an empty database takes some seconds on a busy machine. */
const START_TIMEOUT_MS = 60_000;

/** Settings of a process of Cardport: nothing else of this one's environment but the PATH. */
export type Environment = Readonly<Record<string, string>>;

/** Runs a command with `--json` to its end and returns what it printed. Throws when it fails. */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  stdin = '',
): Promise<Readonly<Record<string, unknown>>> {
  const child = spawn(PROGRAM, [...args, '--json'], {
    env: { PATH: process.env['PATH'], ...environment },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
  const printed = collect(child);
  child.stdin.on('error', () => {
    // It ended without reading.
  });
  child.stdin.end(stdin);
  const code = await ended(child);
  clearTimeout(timer);
  const { out, err } = printed();
  if (code !== 0) throw new Error(`cardport ${args.join(' ')} ended with ${code}: ${err}${out}`);
  const value: unknown = JSON.parse(out);
  if (!isObject(value)) throw new Error(`cardport ${args.join(' ')} printed no object`);
  return value;
}

/** A process of Cardport that runs until it is stopped. */
export interface RunningProgram {
  /** Everything that it printed until it was ready. */
  readonly printed: string;
  stop(): Promise<void>;
}

/** Starts a command that stays, and waits for the line that says it is ready. */
export async function startProgram(
  args: readonly string[],
  environment: Environment,
  isReady: (printed: string) => boolean,
): Promise<RunningProgram> {
  const child = spawn(PROGRAM, args, { env: { PATH: process.env['PATH'], ...environment } });
  child.stdin.end();
  const end = ended(child);
  let printed = '';
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      if (isReady(printed)) resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    end.then(
      (code) => reject(new Error(`cardport ${args.join(' ')} ended with ${code}: ${printed}`)),
      reject,
    );
  });
  clearTimeout(timer);
  return {
    printed,
    stop: async () => {
      child.kill('SIGTERM');
      await end;
    },
  };
}

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}

function collect(child: ChildProcess): () => { readonly out: string; readonly err: string } {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8');
  });
  return () => ({ out, err });
}

async function ended(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}
