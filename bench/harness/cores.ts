import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** What is measured runs here, alone. */
export const MEASURED_CORE = 0;
/** The load generator, the database and the bench itself. */
export const LOAD_CORE = 1;

const canPin =
  availableParallelism() > LOAD_CORE &&
  spawnSync('taskset', ['--cpu-list', String(LOAD_CORE), 'true']).status === 0;

/** Whether processes can be held to a core: needs two of them, and util-linux' taskset. */
export function arePinned(): boolean {
  return canPin;
}

/** A command that runs on one core only, where that can be had. */
export function onCore(core: number, command: readonly string[]): readonly [string, ...string[]] {
  const [program, ...args] = command;
  if (program === undefined) throw new Error('no command');
  if (!canPin) return [program, ...args];
  return ['taskset', '--cpu-list', String(core), program, ...args];
}

/** Holds this process and its threads to come to the load's core, where that can be had. */
export function pinToLoadCore(): void {
  if (!canPin) return;
  const pinning = ['--all-tasks', '--cpu-list', '--pid', String(LOAD_CORE), String(process.pid)];
  spawnSync('taskset', pinning);
}
