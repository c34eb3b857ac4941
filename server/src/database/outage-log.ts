import type { Log } from '../base/log.ts';
import { describeError } from '../base/describe-error.ts';
import { hasJustResumed } from '../base/process-pauses.ts';
import { classifyConnectionError, findDatabaseBusy, isDiskFull } from './errors.ts';

// An outage has ended when no connection has failed for this long. One response is not enough.
const QUIET_MS = 2_000;
// The free space is unknown, so the disk counts as full until no write was refused for this long.
const UNREFUSED_MS = 60_000;
// A lost connection is an outage when the database has not responded for this long: 5 heartbeats.
const SILENCE_MS = 1_000;
const LOST_TEXT = 'connections to the database were lost and re-established';
const BUSY_LOGGED_EVERY_MS = 60_000;

export interface OutageLogOptions {
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** The data folder or the server, as the log names it. */
  readonly place: string;
  readonly nowMs?: () => number;
}

interface Outage {
  readonly beganMs: number;
  readonly reason: string;
  /** False while only one connection was lost, which is usually reopened immediately. */
  isLogged: boolean;
  lastFailureMs: number;
  /** The time of the first response after the last failure, or null. */
  answeredMs: number | null;
  requests: number;
  jobs: number;
}

/**
 * Logs an outage of the database in two lines: the beginning with its reason, and the end with the
 * number of failed requests and jobs, which are not logged themselves. A full disk is an outage of
 * writes. A single lost connection that is reopened gets one line.
 */
export class OutageLog {
  readonly #log: OutageLogOptions['log'];
  readonly #place: string;
  readonly #nowMs: () => number;
  #connectionOutage: Outage | null = null;
  #diskFullOutage: Outage | null = null;
  #busyLoggedAtMs = Number.NEGATIVE_INFINITY;
  #refusedWrites = 0;
  #workerProblems: readonly string[] = [];
  #lastAnswerMs: number;

  constructor({ log, place, nowMs = (): number => performance.now() }: OutageLogOptions) {
    this.#log = log;
    this.#place = place;
    this.#nowMs = nowMs;
    this.#lastAnswerMs = nowMs();
  }

  get refusedWrites(): number {
    return this.#refusedWrites;
  }

  /** Public texts: the log has the reasons, and the addresses of the workers. */
  get warnings(): readonly string[] {
    const { length: lost } = this.#workerProblems;
    return [
      // From the first refused write until a minute without one.
      ...(this.#diskFullOutage === null
        ? []
        : ['no space left on the disk of the database: writes are refused']),
      ...(lost === 0 ? [] : [`some shops get 503: Citus workers that cannot be used: ${lost}`]),
    ];
  }

  /** @param problems one sentence for each worker of the Citus cluster that cannot be used */
  recordWorkers(problems: readonly string[]): void {
    const isSame = problems.join() === this.#workerProblems.join();
    this.#workerProblems = problems;
    if (isSame) return;
    if (problems.length === 0) this.#log.warn({}, 'all Citus workers can be used again');
    else this.#log.error({ problems }, 'a Citus worker cannot be used: its shops get 503');
  }

  /** Returns true if the error means that a connection could not be opened, or was lost. */
  recordConnectionFailure(error: unknown): boolean {
    const fault = classifyConnectionError(error);
    if (fault === null) return false;
    const nowMs = this.#nowMs();
    this.#connectionOutage ??= newOutage(nowMs, error);
    this.#connectionOutage.lastFailureMs = nowMs;
    this.#connectionOutage.answeredMs = null;
    const isAway = fault === 'away' || nowMs - this.#lastAnswerMs > SILENCE_MS;
    // Right after a pause of this process, its own late timers look like a silent database.
    if (isAway && !hasJustResumed() && !this.#connectionOutage.isLogged) {
      this.#connectionOutage.isLogged = true;
      this.#log.error(
        { reason: describeError(error), place: this.#place },
        'the database does not respond: requests are refused until it does',
      );
    }
    return true;
  }

  /** Returns false if the database is not the cause. The caller must then log the error. */
  recordJobFailure(error: unknown): boolean {
    if (!this.recordRequestFailure(error)) {
      if (findDatabaseBusy(error) === undefined) return false;
      this.#logBusyJob(error);
      return true;
    }
    const outage = this.#connectionOutage ?? this.#diskFullOutage;
    if (outage !== null) outage.jobs += 1;
    return true;
  }

  /** Returns false if the error is not part of an outage. The caller must then log it. */
  recordRequestFailure(error: unknown): boolean {
    const fault = findDatabaseBusy(error);
    if (isDiskFull(error)) this.#beginDiskFullOutage(error);
    else if (fault === undefined) return false;
    // During an outage, any other `DatabaseBusy` is part of it, such as a timeout of the pool.
    else if (!this.recordConnectionFailure(fault.cause)) return this.#connectionOutage !== null;
    return true;
  }

  countRefusedRequest(): void {
    const outage = this.#connectionOutage ?? this.#diskFullOutage;
    if (outage !== null) outage.requests += 1;
  }

  recordRefusedWrite(error: unknown): void {
    this.#refusedWrites += 1;
    this.#beginDiskFullOutage(error);
  }

  recordAnswer(): void {
    const nowMs = this.#nowMs();
    this.#lastAnswerMs = nowMs;
    const away = this.#connectionOutage;
    if (away !== null) {
      away.answeredMs ??= nowMs;
      if (nowMs - away.lastFailureMs >= QUIET_MS) {
        this.#connectionOutage = null;
        const fields = { ...countsOf(away), seconds: secondsOf(away.answeredMs - away.beganMs) };
        if (away.isLogged) this.#log.warn(fields, 'the database responds again');
        else this.#log.warn({ ...fields, reason: away.reason }, LOST_TEXT);
      }
    }
    const diskFull = this.#diskFullOutage;
    if (diskFull !== null && nowMs - diskFull.lastFailureMs >= UNREFUSED_MS) {
      this.#diskFullOutage = null;
      const fields = {
        ...countsOf(diskFull),
        seconds: secondsOf(diskFull.lastFailureMs - diskFull.beganMs),
      };
      this.#log.warn(
        fields,
        'no write was refused for a minute: the database has free space again',
      );
    }
  }

  #beginDiskFullOutage(error: unknown): void {
    const nowMs = this.#nowMs();
    if (this.#diskFullOutage === null) {
      this.#diskFullOutage = newOutage(nowMs, error);
      this.#log.error(
        { reason: describeError(error), place: this.#place },
        'no space left on the disk of the database: writes are refused, and reads too if PostgreSQL stops',
      );
    }
    this.#diskFullOutage.lastFailureMs = nowMs;
  }

  #logBusyJob(error: unknown): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#busyLoggedAtMs < BUSY_LOGGED_EVERY_MS) return;
    this.#busyLoggedAtMs = nowMs;
    this.#log.warn({ reason: describeError(error) }, 'background work is waiting for the database');
  }
}

function newOutage(nowMs: number, error: unknown): Outage {
  const counts = { requests: 0, jobs: 0 };
  const times = { beganMs: nowMs, lastFailureMs: nowMs, answeredMs: null };
  return { ...times, ...counts, reason: describeError(error), isLogged: false };
}

function countsOf({ requests, jobs }: Outage): {
  readonly requests: number;
  readonly jobs: number;
} {
  return { requests, jobs };
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
