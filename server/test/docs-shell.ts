import { type ChildProcess, spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { cleanEnvironment } from './cardport.ts';
import { waitUntil } from './wait-until.ts';

/** The working directory and the environment of a block. The next block inherits them. */
export interface ShellState {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface BlockRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly state: ShellState;
}

/** A server that a block has started. */
export interface Background {
  stop(): Promise<void>;
}

/**
 * The time after which a block and every process that it started are killed, longer than any block
 * takes.
 */
const BLOCK_TIMEOUT_MS = 60_000;
/** The maximum time until a server that a block starts is listening. */
const LISTEN_TIMEOUT_MS = 30_000;
/** The maximum output kept per block, in characters. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;
const ROOT = new URL('../..', import.meta.url).pathname;

/**
 * Returns the initial environment of every page, which contains only what is needed to find
 * programs.
 */
export function initialVariables(folder: string): Record<string, string> {
  const bin = join(ROOT, 'node_modules/.bin');
  return {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    // Keeps `npx` from contacting the registry.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

/**
 * Runs a script with `bash -euo pipefail`. The next block inherits the variables and the working
 * directory, as in one terminal.
 */
export async function runShell(script: string, state: ShellState): Promise<BlockRun> {
  // File descriptor 3 separates the state from the output. With `set -a`, the state also includes
  // variables that the script does not export.
  const text = `trap 'exec 1>&3 2>/dev/null; pwd; env -0' EXIT\nset -a\n${script}`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
    cwd: state.folder,
    env: cleanEnvironment(state.variables),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, stderr, stateStream] = child.stdio;
  const run = await finish(child, [stdout, stderr, stateStream]);
  const [out = '', err = '', stateText = ''] = run.texts;
  return { code: run.code, stdout: out, stderr: err, state: readState(stateText) ?? state };
}

/** Runs a program until it exits. */
export async function runProgram(
  program: string,
  args: readonly string[],
  state: ShellState,
): Promise<BlockRun> {
  const child = spawn(program, args, {
    cwd: state.folder,
    env: cleanEnvironment(state.variables),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run = await finish(child, [child.stdout, child.stderr]);
  return { code: run.code, stdout: run.texts[0] ?? '', stderr: run.texts[1] ?? '', state };
}

/**
 * Starts a server, and waits until `port` accepts connections. Throws the output if the server
 * exits first.
 */
export async function startBackground(
  script: string,
  state: ShellState,
  port: number,
): Promise<Background> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: state.folder,
    env: cleanEnvironment(state.variables),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const onOutput = (chunk: Buffer): void => {
    printed = (printed + chunk.toString('utf8')).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => onOutput(Buffer.from(String(error))));
    child.once('close', () => resolve());
  });
  const stop = async (): Promise<void> => {
    killGroup(child, 'SIGTERM');
    const timer = setTimeout(() => killGroup(child, 'SIGKILL'), 5_000);
    await ended;
    clearTimeout(timer);
  };
  try {
    await waitUntil(async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error('the process has exited');
      }
      return await isListening(port);
    }, LISTEN_TIMEOUT_MS);
  } catch (error) {
    await stop();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the server does not listen on ${port}: ${why}\n${printed}`, { cause: error });
  }
  return { stop };
}

async function finish(
  child: ChildProcess,
  streams: readonly unknown[],
): Promise<{ readonly code: number | null; readonly texts: readonly string[] }> {
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), BLOCK_TIMEOUT_MS);
  const texts = streams.map(() => '');
  for (const [index, stream] of streams.entries()) {
    if (!isReadable(stream)) continue;
    stream.on('data', (chunk: Buffer) => {
      texts[index] = (texts[index] + chunk.toString('utf8')).slice(-OUTPUT_CHARACTERS_MAX);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode) => {
      // Processes that are still running would keep the streams open.
      killGroup(child, 'SIGKILL');
      child.once('close', () => resolve(exitCode));
    });
  });
  clearTimeout(timer);
  return { code, texts };
}

function isReadable(stream: unknown): stream is NodeJS.ReadableStream {
  return typeof stream === 'object' && stream !== null && 'on' in stream;
}

function readState(stateText: string): ShellState | null {
  const end = stateText.indexOf('\n');
  if (end === -1) return null;
  const pairs = stateText
    .slice(end + 1)
    .split('\0')
    .filter((pair) => pair.includes('='))
    .map((pair): [string, string] => {
      const mark = pair.indexOf('=');
      return [pair.slice(0, mark), pair.slice(mark + 1)];
    })
    .filter(([name]) => !['SHLVL', '_', 'PWD', 'OLDPWD'].includes(name));
  return { folder: stateText.slice(0, end), variables: Object.fromEntries(pairs) };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH means that the process group has already exited.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
