import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;
/** Fields of /proc/PID/stat after the name (proc(5)): user and system time, in ticks. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/**
 * Returns the user and system time in milliseconds of a process with all its threads, or 0 if the
 * process has ended.
 */
export function cpuMsOf(pid: number): number {
  const text = readOrEmpty(`/proc/${pid}/stat`);
  // The process name is in parentheses and may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TICKS] ?? 0) + Number(fields[SYSTEM_TICKS] ?? 0)) * TICK_MS;
}

/** Returns the resident memory of a process in MB, or 0 if the process has ended. */
export function residentMbOf(pid: number): number {
  return kilobytesOf(`/proc/${pid}/status`, 'VmRSS') / 1_024;
}

/** Returns the peak resident memory of a process in MB, or 0 if the process has ended. */
export function peakMbOf(pid: number): number {
  return kilobytesOf(`/proc/${pid}/status`, 'VmHWM') / 1_024;
}

/**
 * Returns the resident memory in MB of all processes whose working directory is this folder.
 * PostgreSQL's processes run in its data directory. Shared memory is counted once.
 */
export function residentMbIn(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => worksIn(folder, name));
  const kilobytes = pids.map((pid) => kilobytesOf(`/proc/${pid}/smaps_rollup`, 'Pss'));
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1_024;
}

function worksIn(folder: string, pid: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`);
  } catch {
    return false;
  }
}

/** Returns the number of open file descriptors of a process, or 0 if the process has ended. */
export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function kilobytesOf(file: string, name: string): number {
  const line = new RegExp(String.raw`^${name}:\s+(\d+)`, 'm').exec(readOrEmpty(file));
  return Number(line?.[1] ?? 0);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
