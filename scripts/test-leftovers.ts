import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(import.meta.url);
const GIB = 2 ** 30;
/** How long processes may take to shut down; a database must still write its data. */
const END_MS = 10_000;
/**
 * The maximum number of searches for processes. A killed process may just have started another
 * process.
 */
const ROUNDS_MAX = 20;

/**
 * A folder for the temporary files of a test run, and an environment variable that marks every
 * process of the run. When the run ends, or is killed, a separate process removes what is left of
 * both.
 */
export interface Leftovers {
  readonly variables: Readonly<Record<'TMPDIR' | 'TEST_RUN', string>>;
  /** Removes what is left. Returns the command lines of processes that were still running. */
  close(): Promise<readonly string[]>;
}

/**
 * With `inMemory` the folder is in memory if there is enough, where creating a database takes a
 * twentieth of the time.
 */
export function openLeftovers(inMemory: boolean): Leftovers {
  const parent = inMemory && hasRoomInMemory() ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(parent, 'cardport-run-'));
  const runId = randomBytes(8).toString('hex');
  const cleaner = spawn(process.execPath, ['--no-warnings', PROGRAM, runId, folder], {
    // In its own session, so that Ctrl+C in the run's process group does not reach it.
    detached: true,
    // When this run is part of another one, that one's cleaner must not kill this one's.
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

/**
 * Kills every process of the run (on Linux, where the system lists them), and removes the folder.
 */
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
        // It has ended in the meantime.
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
 * Processes with the mark, and PostgreSQL's, which overwrite their environment and work in their
 * data folders.
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

/** Empty when the process has ended or belongs to another user. */
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

/** Empty when the process has ended or belongs to another user. */
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
