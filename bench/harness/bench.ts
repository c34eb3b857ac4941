import type { Database } from '../../server/src/database/database.ts';
import type { FilledDatabase, FilledDatabases } from './filled-databases.ts';
import {
  type MeasuredProgram,
  type MeasuredProgramOptions,
  startMeasuredProgram,
} from './measured-program.ts';
import {
  type MeasuredService,
  type MeasuredServiceOptions,
  startMeasuredService,
} from './service.ts';

/** What a scenario works with. */
export interface Bench {
  readonly isQuick: boolean;
  /** How often limit and ours take turns. */
  readonly rounds: number;
  /** How long one of them is loaded each time. */
  readonly roundSeconds: number;
  /** Where profiles of the service go; null: none is taken. */
  readonly profileFolder: string | null;
  /**
   * A migrated database of the run's one PostgreSQL, which commits as durably as in production and shares the load's
   * core. It is made and filled when its name is asked for first, analyzed, and stays until the end of the run.
   */
  database<T>(
    name: string,
    fill: (db: Database, url: string) => Promise<T>,
  ): Promise<FilledDatabase<T>>;
  /** The service on the measured core. */
  service(options: MeasuredServiceOptions): Promise<MeasuredService>;
  /** A program of the bench, such as a limit, on the measured core, with Node. */
  program(
    path: string,
    args: readonly string[],
    options?: MeasuredProgramOptions,
  ): Promise<MeasuredProgram>;
  /** Tells whoever waits how far it is. */
  say(line: string): void;
}

export interface BenchOptions extends Pick<Bench, 'isQuick' | 'profileFolder'> {
  readonly databases: FilledDatabases;
}

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const QUICK_ROUNDS = 2;
const QUICK_ROUND_SECONDS = 1;

/** Makes what one scenario works with. */
export function makeBench({ isQuick, profileFolder, databases }: BenchOptions): Bench {
  const profiling = profileFolder === null ? [] : [`--cpu-prof --cpu-prof-dir=${profileFolder}`];
  return {
    isQuick,
    rounds: isQuick ? QUICK_ROUNDS : ROUNDS,
    roundSeconds: isQuick ? QUICK_ROUND_SECONDS : ROUND_SECONDS,
    profileFolder,
    database: async (name, fill) => await databases.take(name, fill),
    service: async (more) => {
      const NODE_OPTIONS = [...profiling, more.env?.['NODE_OPTIONS'] ?? ''].join(' ').trim();
      const env = { ...more.env, ...(NODE_OPTIONS === '' ? {} : { NODE_OPTIONS }) };
      return await startMeasuredService({ ...more, env });
    },
    program: async (path, args, more) =>
      await startMeasuredProgram([process.execPath, path, ...args], more),
    say: (line) => process.stderr.write(`${line}\n`),
  };
}
