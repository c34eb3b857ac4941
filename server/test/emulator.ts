import { spawn } from 'node:child_process';
import { after, before, beforeEach } from 'node:test';
import { CARDPORT_PROGRAM, cleanEnvironment } from './cardport.ts';

export interface EmulatorInfo {
  readonly url: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly metadataUrl: string;
  readonly shopApiUrl: string;
  readonly adminUrl: string;
  readonly password: string;
  readonly shops: readonly EmulatedShop[];
  readonly known: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
}

export interface EmulatedShop {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly shopKey: string;
  readonly members: readonly {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly password: string;
  }[];
  readonly apps: readonly {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scopes: readonly string[];
    readonly redirectUris: readonly string[];
  }[];
  readonly seeded: Readonly<Record<string, number>>;
}

export interface AdminResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An emulator in a separate process, which ends when it is disposed. */
export interface EmulatorProcess extends EmulatorInfo, AsyncDisposable {
  readonly pid: number;
  /** Posts to `/emulator/<path>`. Throws unless the status is 200. */
  admin(path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Posts as `admin` does, but returns responses with any status. */
  tryAdmin(path: string, body?: object): Promise<AdminResponse>;
  /** Returns the output on standard error up to now. */
  printed(): string;
}

/**
 * The time limit until the emulator is ready. It usually takes seconds, but longer on a busy
 * machine.
 */
const READY_MS_MAX = 60_000;
/** The maximum time from SIGTERM to the exit. After this time the process is killed. */
const END_MS_MAX = 15_000;
/** The time limit of a call. The longest call is a reset with 20,000 units. */
const CALL_MS_MAX = 60_000;

/**
 * Starts `cardport emulate` on a free port and waits until it is ready. `args` are added to the
 * command line. The process gets no environment variables except `environment`.
 */
export async function startEmulator(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<EmulatorProcess> {
  const child = spawn(CARDPORT_PROGRAM, ['emulate', '--port', '0', '--json', ...args], {
    env: cleanEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let ready = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX);
    await ended;
    clearTimeout(timer);
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    const facts = await new Promise<EmulatorInfo>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error('the emulator was not ready in time')),
        READY_MS_MAX,
      );
      child.stdout.on('data', (chunk: Buffer) => {
        ready += chunk.toString('utf8');
        if (ready.endsWith('\n')) resolve(JSON.parse(ready) as EmulatorInfo);
      });
      void ended.then(() => reject(new Error(`the emulator has ended: ${printed}`)));
    });
    return toEmulatorProcess(facts, { pid: child.pid ?? 0, printed: () => printed, stop });
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface Running {
  readonly pid: number;
  readonly printed: () => string;
  readonly stop: () => Promise<void>;
}

function toEmulatorProcess(facts: EmulatorInfo, { pid, printed, stop }: Running): EmulatorProcess {
  const tryAdmin = async (path: string, body: object = {}): Promise<AdminResponse> => {
    const answer = await fetch(`${facts.adminUrl}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
    const parsed: unknown = await answer.json();
    return { status: answer.status, body: parsed as AdminResponse['body'] };
  };
  const admin = async (path: string, body?: object): Promise<AdminResponse['body']> => {
    const answer = await tryAdmin(path, body);
    if (answer.status === 200) return answer.body;
    throw new Error(`POST /emulator/${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  return { ...facts, pid, printed, admin, tryAdmin, [Symbol.asyncDispose]: stop };
}

/** The arguments of the shared emulator: the smallest shop, and a unique redirect URI. */
const SHARED_ARGUMENTS = [
  ['--redirect-uri', 'http://127.0.0.1:4321/callback'],
  ['--units', '60'],
].flat();
/** Invalid settings: an emulator that read them could not start. */
const SHARED_ENVIRONMENT = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  SECRET_KEY: 'short',
  DATA_DIR: '/proc/none',
};
let shared: Promise<EmulatorProcess> | null = null;
let remainingUsers = 0;

/**
 * Provides the tests of a `describe` with an emulator that is reset before each test. All tests in
 * one process share the emulator, because a start takes 4 s of CPU time and a reset 20 ms.
 */
export function useEmulator(setEmulator: (emulator: EmulatorProcess) => void): void {
  remainingUsers++;
  before(async () => {
    shared ??= startEmulator(SHARED_ARGUMENTS, SHARED_ENVIRONMENT);
    setEmulator(await shared);
  });
  beforeEach(async () => await (await shared)?.admin('reset'));
  after(async () => {
    if (--remainingUsers > 0) return;
    await (await shared)?.[Symbol.asyncDispose]();
    shared = null;
  });
}
