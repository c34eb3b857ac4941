import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Only the measured process runs here. */
export const MEASURED_CORE = 0;
/** The load generator, the database and the benchmark itself. */
export const LOAD_CORE = 1;

const canPin =
  availableParallelism() > LOAD_CORE &&
  spawnSync('taskset', ['--cpu-list', String(LOAD_CORE), 'true']).status === 0;

/** Whether processes can be pinned to a core: this needs two cores and taskset of util-linux. */
export function arePinned(): boolean {
  return canPin;
}

/** A command line that pins the command to one core, where possible. */
export function onCore(core: number, command: readonly string[]): readonly [string, ...string[]] {
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
