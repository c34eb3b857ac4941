import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a run of the command line ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run is given. */
export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input; ended at once when it is not given. */
  readonly stdin?: string | Buffer;
}

/** The program as people call it. */
export const program = new URL('../bin/cardport', import.meta.url).pathname;

/** No command of a test takes so long; beyond it the process is killed. */
const RUN_TIMEOUT_MS = 60_000;

/** Variables that child processes inherit. No setting of the service is among them. */
const PASSED_ON = ['PATH', 'TMPDIR', 'TEST_RUN', 'NODE_V8_COVERAGE'];

/** The environment of a process that a test starts: nothing of this one's settings. */
export function cleanEnvironment(
  environment: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passedOn), ...environment };
}

/** Runs `cardport` in a process of its own until it ends. */
export async function cardport(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = spawn(program, args, { env: cleanEnvironment(options.environment) });
  child.stdin.on('error', () => {
    // It ended without reading.
  });
  child.stdin.end(options.stdin ?? '');
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_TIMEOUT_MS);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await ended(child);
  clearTimeout(timer);
  return { code, stdout: await stdout, stderr: await stderr };
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

async function ended(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
}

/** A `cardport serve` that runs, or a `cardport deliver`. */
export interface ServeProcess extends AsyncDisposable {
  /** `PUBLIC_URL` as its ready line says it; of `deliver` where its metrics are. */
  readonly url: string;
  readonly pid: number;
  /** Everything it has printed so far on both streams. */
  printed(): string;
  /** Sends a signal and waits for the end; returns the exit code. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

/** Starts `cardport serve`, or a `deliver` with METRICS_PORT, on a free port and waits for its ready line. Throws what it printed when it ends before. */
export async function startServe(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = ['serve'],
): Promise<ServeProcess> {
  const child = spawn(program, args, { env: cleanEnvironment({ PORT: '0', ...environment }) });
  child.stdin.end();
  let printed = '';
  const end = ended(child);
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      const match =
        /(?:Cardport is ready|Cardport delivers webhooks; metrics|emulator is ready) at (\S+?)\.?\s/.exec(
          printed,
        );
      if (match?.[1] !== undefined) resolve(match[1]);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    end.then((code) => reject(new Error(`serve ended with ${code}: ${printed}`)), reject);
  });
  const stop = async (signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await end;
  };
  return {
    url,
    pid: child.pid ?? 0,
    printed: () => printed,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  };
}

/** A folder that goes away with its test. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'cardport-test-'));
  // The database of a process that was killed may still be shutting down in it.
  const options = { recursive: true, force: true, maxRetries: 20 };
  return { path, [Symbol.dispose]: () => rmSync(path, options) };
}
