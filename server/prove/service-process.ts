import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { cleanEnvironment } from '../test/cardport.ts';

/** The service in a separate process that can be killed. */
export interface ServiceProcess {
  /** `PUBLIC_URL`. Empty for a process that does not serve requests. */
  readonly url: string;
  readonly pid: number;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM, waits until the process has ended, and returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * The time limit for a start. A first start creates a database and the demo shop while other proofs
 * run.
 */
const READY_WITHIN_MS = 120_000;
const program = new URL('../src/cli.ts', import.meta.url).pathname;

/**
 * Starts `cardport serve`, or the command in `args`, on a free port and waits until it is ready.
 * @param onOutput receives its output and log as they are written
 * @param file the program to start instead of this repository's source
 * @throws Error with its output if it exits before it is ready
 */
export async function startServiceProcess(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = ['serve'],
  onOutput: (part: string) => void = () => undefined,
  file?: string,
): Promise<ServiceProcess> {
  const [command, ...first] = file === undefined ? [process.execPath, program] : [file];
  const child = spawn(command ?? '', [...first, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnvironment({
      PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'silent',
      DRAIN_NOTICE_SECONDS: '0',
      ...environment,
    }),
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => onOutput(part.toString()));
  }
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await readReadyUrl(child, ended).catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await ended;
    throw error;
  });
  return {
    url,
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.kill('SIGTERM');
      return await ended;
    },
  };
}

async function readReadyUrl(
  child: ChildProcessByStdio<null, Readable, Readable>,
  ended: Promise<number | null>,
): Promise<string> {
  let printed = '';
  const ready = new Promise<string>((resolve) => {
    const read = (part: Buffer): void => {
      printed += part.toString();
      const line = /ready at (\S+)|Cardport delivers webhooks/.exec(printed);
      if (line === null) return;
      for (const stream of [child.stdout, child.stderr]) stream.off('data', read);
      resolve(line[1] ?? '');
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not ready in time: ${printed}`)), READY_WITHIN_MS);
  });
  const early = ended.then((code): never => {
    throw new Error(`ended with code ${code}: ${printed}`);
  });
  try {
    return await Promise.race([ready, early, late]);
  } finally {
    clearTimeout(timer);
    // An exit after the ready line is not an error.
    early.catch(() => null);
  }
}
