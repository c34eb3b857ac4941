import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The core on which only the measured process runs. */
export const MEASURED_CORE = 0;
/** The core for the load generator, the database and the benchmark itself. */
export const LOAD_CORE = 1;

const canPin =
  availableParallelism() > LOAD_CORE &&
  spawnSync('taskset', ['--cpu-list', String(LOAD_CORE), 'true']).status === 0;

/** Returns whether processes are pinned to a core. Pinning needs two cores and `taskset`. */
export function areProcessesPinned(): boolean {
  return canPin;
}

/** Returns a command line that pins the command to one core, where possible. */
export function pinnedCommand(
  core: number,
  command: readonly string[],
): readonly [string, ...string[]] {
  const [program, ...args] = command;
  if (program === undefined) throw new Error('no command');
  if (!canPin) return [program, ...args];
  return ['taskset', '--cpu-list', String(core), program, ...args];
}

/** Pins this process and its later threads to the load core, where possible. */
export function pinToLoadCore(): void {
  if (!canPin) return;
  const pinning = ['--all-tasks', '--cpu-list', '--pid', String(LOAD_CORE), String(process.pid)];
  spawnSync('taskset', pinning);
}
