import type { Log } from '../base/log.ts';
import { describeError } from '../base/describe-error.ts';
import { classifyConnectionError, findDatabaseBusy, isDiskFull } from './errors.ts';

// An outage counts as over when no connection has failed for this long. A single response does not
// prove that it is over.
const QUIET_MS = 2_000;
// A full disk counts as over when no write was refused for this long, because the database does not
// report its free space.
const UNREFUSED_MS = 60_000;
// A lost connection counts as an outage when the database has not responded for this long (five
// heartbeats).
const SILENCE_MS = 1_000;
const LOST_TEXT = 'connections to the database were lost and re-established';
const BUSY_LOGGED_EVERY_MS = 60_000;

export interface OutageLogOptions {
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** The data folder or the server, which the log lines name for the operator. */
  readonly place: string;
  readonly nowMs?: () => number;
}

interface Outage {
  readonly beganMs: number;
  readonly reason: string;
  /** False while only one connection was lost, because it is usually reopened immediately. */
  isLogged: boolean;
  lastFailureMs: number;
  /** The time of the first response after the last failure, or null. */
  answeredMs: number | null;
  requests: number;
  jobs: number;
}

/**
 * Logs an outage of the database in two lines: the reason when it begins, and the counts when it
 * ends. Requests and jobs that fail during the outage are counted instead of logged. A full disk is
 * logged as an outage of writes. A single lost connection that is reopened gets one line.
 */
export class OutageLog {
  readonly #log: OutageLogOptions['log'];
  readonly #place: string;
  readonly #nowMs: () => number;
  #connectionOutage: Outage | null = null;
  #diskFullOutage: Outage | null = null;
  #busyLoggedAtMs = Number.NEGATIVE_INFINITY;
  #refusedWrites = 0;
  #lastAnswerMs: number;

  constructor({ log, place, nowMs = (): number => performance.now() }: OutageLogOptions) {
    this.#log = log;
    this.#place = place;
    this.#nowMs = nowMs;
    this.#lastAnswerMs = nowMs();
  }

  /** Returns the number of writes refused because the disk was full, since the process started. */
  get refusedWrites(): number {
    return this.#refusedWrites;
  }

  /**
   * True from the first write refused because of a full disk until none was refused for a minute.
   */
  get isDiskFull(): boolean {
    return this.#diskFullOutage !== null;
  }

  /**
   * Records an error of a connection. Returns false if the error is not about a connection that
   * could not be opened or was lost.
   */
  recordConnectionFailure(error: unknown): boolean {
    const fault = classifyConnectionError(error);
    if (fault === null) return false;
    const nowMs = this.#nowMs();
    this.#connectionOutage ??= newOutage(nowMs, error);
    this.#connectionOutage.lastFailureMs = nowMs;
    this.#connectionOutage.answeredMs = null;
    const isAway = fault === 'away' || nowMs - this.#lastAnswerMs > SILENCE_MS;
    if (isAway && !this.#connectionOutage.isLogged) {
      this.#connectionOutage.isLogged = true;
      this.#log.error(
        { reason: describeError(error), place: this.#place },
        'the database does not respond: requests are refused until it does',
      );
    }
    return true;
  }

  /**
   * Records a failed job. Returns false when the database is not the cause of the error, so that
   * the caller logs it.
   */
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

  /**
   * Records a failed request. Returns false when the error is not part of an outage, so that the
   * caller logs it.
   */
  recordRequestFailure(error: unknown): boolean {
    const fault = findDatabaseBusy(error);
    if (isDiskFull(error)) this.#beginDiskFullOutage(error);
    else if (fault === undefined) return false;
    // While an outage lasts, every busy error counts as part of it, for example a timeout of the
    // pool.
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
        'no space left on the disk of the database: writes are refused, reads continue',
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
