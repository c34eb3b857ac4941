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

/** The tools that a scenario uses. */
export interface Bench {
  readonly isQuick: boolean;
  /** The number of rounds. Each measures the baseline and the service once. */
  readonly rounds: number;
  /** The duration of the load per round, for the baseline and for the service. */
  readonly roundSeconds: number;
  /** The folder for CPU profiles of the service. Null means that no profiles are taken. */
  readonly profileFolder: string | null;
  /**
   * Returns a migrated database of the run's PostgreSQL, which is as durable as in production and
   * shares a core with the load generator. The database is created, filled and analyzed on first
   * use of its name, and kept until the end of the run.
   */
  database<T>(
    name: string,
    fill: (db: Database, url: string) => Promise<T>,
  ): Promise<FilledDatabase<T>>;
  /** Starts the service on the measured core. */
  service(options: MeasuredServiceOptions): Promise<MeasuredService>;
  /** Starts a program of the benchmark, such as a baseline, on the measured core. */
  program(
    path: string,
    args: readonly string[],
    options?: MeasuredProgramOptions,
  ): Promise<MeasuredProgram>;
  log(line: string): void;
}

export interface BenchOptions extends Pick<Bench, 'isQuick' | 'profileFolder'> {
  readonly databases: FilledDatabases;
}

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const QUICK_ROUNDS = 2;
const QUICK_ROUND_SECONDS = 1;

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
    log: (line) => process.stderr.write(`${line}\n`),
  };
}
