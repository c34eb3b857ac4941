import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(import.meta.url);
const GIB = 2 ** 30;
/** How long processes may take to exit. A database needs this time to write its data. */
const END_MS = 10_000;
/** The maximum number of searches. A killed process may just have started another one. */
const ROUNDS_MAX = 20;

/**
 * A folder for a test run's temporary files, and an environment variable that marks its processes.
 * When the run ends or is killed, a separate process kills those processes and removes the folder.
 */
export interface RunCleanup {
  readonly variables: Readonly<Record<'TMPDIR' | 'TEST_RUN', string>>;
  /** Returns the command lines of processes that were still running. */
  close(): Promise<readonly string[]>;
}

/**
 * Creates the folder, and starts the process that cleans up. `inMemory` uses a folder in memory, if
 * there is room, because creating a database there takes a twentieth of the time.
 */
export function startCleanup(inMemory: boolean): RunCleanup {
  const parent = inMemory && hasRoomInMemory() ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(parent, 'cardport-run-'));
  const runId = randomBytes(8).toString('hex');
  const cleaner = spawn(process.execPath, ['--no-warnings', PROGRAM, runId, folder], {
    // Run it in its own session, so that Ctrl+C in the run's process group does not reach it.
    detached: true,
    // The cleaner of an outer run must not kill this run's cleaner.
    env: { ...process.env, TEST_RUN: runId },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  cleaner.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const ended = once(cleaner, 'close');
  return {
    variables: { TMPDIR: folder, TEST_RUN: runId },
    close: async () => {
      cleaner.stdin.end();
      await ended;
      return output.split('\n').filter((line) => line !== '');
    },
  };
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || freemem() < 4 * GIB) return false;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= 2 * GIB;
  } catch {
    return false;
  }
}

/** Kills the run's processes (on Linux only, where /proc lists them), and removes the folder. */
function clean(runId: string, folder: string): void {
  const until = Date.now() + END_MS;
  while (Date.now() < until && processesOf(runId, folder).length > 0) pause();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const pids = processesOf(runId, folder);
    if (pids.length === 0) break;
    for (const pid of pids) {
      if (round === 0) console.log(commandLineOf(pid));
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has just ended.
      }
    }
    pause();
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}

/**
 * Finds the run's processes by their environment, or by their working folder, because PostgreSQL
 * overwrites its environment.
 */
function processesOf(runId: string, folder: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter(
      (pid) =>
        readProcess(pid, 'environ').split('\0').includes(`TEST_RUN=${runId}`) ||
        workingFolderOf(pid).startsWith(`${folder}/`),
    );
}

/** Returns an empty text if the process has ended or belongs to another user. */
function workingFolderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function commandLineOf(pid: number): string {
  return `${pid} ${readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim()}`;
}

/** Returns an empty text if the process has ended or belongs to another user. */
function readProcess(pid: number, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.main) {
  const [runId = '', folder = ''] = process.argv.slice(2);
  process.stdin.resume().once('end', () => clean(runId, folder));
}
