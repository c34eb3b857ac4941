import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input. Defaults to empty. */
  readonly stdin?: string | Buffer;
}

/** The program that users start. */
export const CARDPORT_PROGRAM = new URL('../bin/cardport', import.meta.url).pathname;

/** The time after which a command is killed, longer than any command of a test takes. */
const RUN_TIMEOUT_MS = 60_000;

/** Variables that child processes inherit. None of them is a setting of the service. */
const INHERITED_VARIABLES = ['PATH', 'TMPDIR', 'TEST_RUN', 'NODE_V8_COVERAGE'];

/** The environment of a process under test, without the settings of this process. */
export function cleanEnvironment(
  environment: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const passedOn = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passedOn), ...environment };
}

/** Runs `cardport` in a separate process until it exits. */
export async function runCardport(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = spawn(CARDPORT_PROGRAM, args, { env: cleanEnvironment(options.environment) });
  child.stdin.on('error', () => {
    // A write error means that the process exited without reading its input.
  });
  child.stdin.end(options.stdin ?? '');
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_TIMEOUT_MS);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await waitForExit(child);
  clearTimeout(timer);
  return { code, stdout: await stdout, stderr: await stderr };
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

async function waitForExit(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
}

/** A running `cardport serve` or `cardport deliver`. */
export interface ServeProcess extends AsyncDisposable {
  /** `PUBLIC_URL` from the ready line. For `deliver`, the address of the metrics. */
  readonly url: string;
  readonly pid: number;
  /** Returns the output on both streams up to now. */
  printed(): string;
  /** Sends a signal and waits for the exit. Returns the exit code. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

/**
 * Starts `cardport serve`, or `deliver` with METRICS_PORT, on a free port and waits for the ready
 * line. Throws the output if the process exits first.
 */
export async function startServe(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = ['serve'],
): Promise<ServeProcess> {
  const child = spawn(CARDPORT_PROGRAM, args, {
    env: cleanEnvironment({ PORT: '0', ...environment }),
  });
  child.stdin.end();
  let printed = '';
  const end = waitForExit(child);
  const url = await new Promise<string>((resolve, reject) => {
    const onOutput = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      const match =
        /(?:Cardport is ready|Cardport delivers webhooks; metrics|emulator is ready) at (\S+?)\.?\s/.exec(
          printed,
        );
      if (match?.[1] !== undefined) resolve(match[1]);
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
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

/** Creates a folder that is removed when it is disposed. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'cardport-test-'));
  // The database of a killed process may still be writing to the folder while it shuts down.
  const options = { recursive: true, force: true, maxRetries: 20 };
  return { path, [Symbol.dispose]: () => rmSync(path, options) };
}
