import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** `at` lies between the two instants of `performance.now`. */
export interface ClockReading {
  readonly sentMs: number;
  readonly at: Date;
  readonly receivedMs: number;
}

export interface DatabaseClockOptions {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly machineNow?: () => number;
  readonly monotonicNow?: () => number;
}

export const readDatabaseTime = statement<{ readonly at: Date }>(
  'read_database_time',
  'select clock_timestamp() as at',
);

/**
 * A quartz clock drifts by less than 0.1 ms per second, so a node is within 6 ms after such a
 * silence. A shorter limit would add an outage to each restart of the listening connection.
 */
const SILENCE_MS_MAX = 60_000;
/** A larger step back: the clock was set, or another server responds. */
const AHEAD_MS_MAX = 5_000;
/** How long such a step must last before this clock follows it; until then `/readyz` is 503. */
const STEP_BACK_AFTER_MS = 10_000;
/** The rate of this clock while it is ahead: half, so that instants still differ. */
const SLOWED_RATE = 0.5;
/** Skew that is logged. NTP keeps a machine within some hundredths of a second. */
const SKEW_LOGGED_MS = 2_000;
/** The driver truncates microseconds. */
const TRUNCATION_MS = 1;

/**
 * The database's clock as last read, advanced by the monotonic clock: the machine's wall clock has
 * no effect. It never goes back, except after `STEP_BACK_AFTER_MS` (decision 0219).
 *
 * The database read its clock at some instant between query and response. The offset changes only
 * when it is outside these bounds, so a slow response changes nothing, and the error is at most the
 * shortest recent round trip.
 */
export class DatabaseClock implements Clock {
  readonly #log: DatabaseClockOptions['log'];
  readonly #machineNow: () => number;
  readonly #monotonicNow: () => number;
  /** The database's time minus the monotonic time. */
  #offsetMs = Number.NaN;
  #lastReadingMs = Number.NEGATIVE_INFINITY;
  /** This clock minus the database's at `#aheadAtMs`. It runs slower until they agree. */
  #aheadMs = 0;
  #aheadAtMs = 0;
  #steppedBackAtMs: number | null = null;
  /** Once an instant was returned, no later one may precede it. */
  #isUsed = false;
  #isSkewLogged = false;

  constructor({ log, ...options }: DatabaseClockOptions) {
    this.#log = log;
    // `useAsDateNow` may replace `Date.now` by this clock.
    this.#machineNow = options.machineNow ?? Date.now;
    this.#monotonicNow = options.monotonicNow ?? ((): number => performance.now());
  }

  /** @throws Error before the first reading */
  now(): Date {
    const nowMs = this.#monotonicNow();
    this.#isUsed = true;
    const now = new Date(nowMs + this.#offsetMs + this.#aheadAt(nowMs));
    if (Number.isNaN(now.getTime())) throw new Error('the database clock has not been read');
    return now;
  }

  /** Of this machine's clock; negative when it is behind the database's. */
  get machineSkewSeconds(): number {
    return (this.#machineNow() - this.#monotonicNow() - this.#offsetMs) / 1_000;
  }

  /** In a sentence for the operator; null while this clock can be trusted. */
  get problem(): string | null {
    const nowMs = this.#monotonicNow();
    const silentMs = nowMs - this.#lastReadingMs;
    if (silentMs > SILENCE_MS_MAX) {
      return `the clock of the database could not be read for ${seconds(silentMs)} s`;
    }
    const aheadMs = this.#aheadAt(nowMs);
    if (aheadMs <= AHEAD_MS_MAX) return null;
    return `the clock of the database went back by ${seconds(aheadMs)} s`;
  }

  async read(db: Queryable): Promise<void> {
    for (let reading = 0; reading < 2; reading++) {
      const sentMs = this.#monotonicNow();
      const row = await db.one(readDatabaseTime);
      if (row !== undefined) {
        this.addReading({ sentMs, at: row.at, receivedMs: this.#monotonicNow() });
      }
    }
  }

  addReading({ sentMs, at, receivedMs }: ClockReading): void {
    const atMs = at.getTime();
    const minOffsetMs = atMs - receivedMs;
    const maxOffsetMs = atMs + TRUNCATION_MS - sentMs;
    const previousMs = this.#offsetMs;
    const isFirst = Number.isNaN(previousMs);
    this.#offsetMs = isFirst
      ? (minOffsetMs + maxOffsetMs) / 2
      : Math.min(Math.max(previousMs, minOffsetMs), maxOffsetMs);
    this.#lastReadingMs = receivedMs;
    if (this.#isUsed && !isFirst) this.#follow(previousMs, receivedMs);
    this.#logSkew();
  }

  /** Forward at once, back slowly, far back at once but only when the step lasts. */
  #follow(previousMs: number, nowMs: number): void {
    const change = this.#offsetMs - previousMs;
    if (change > AHEAD_MS_MAX) {
      this.#log.warn(
        { seconds: change / 1_000 },
        'the clock of the database jumped forward: it was set, or this machine was suspended',
      );
    }
    this.#aheadMs = Math.max(this.#aheadAt(nowMs) - change, 0);
    this.#aheadAtMs = nowMs;
    if (this.#aheadMs <= AHEAD_MS_MAX) {
      this.#steppedBackAtMs = null;
    } else if (this.#steppedBackAtMs === null) {
      this.#steppedBackAtMs = nowMs;
      this.#log.warn(
        {},
        `${this.problem ?? ''}: this process is not ready until the clock is certain`,
      );
    } else if (nowMs - this.#steppedBackAtMs >= STEP_BACK_AFTER_MS) {
      this.#log.warn(
        { seconds: this.#aheadMs / 1_000 },
        'time moved back with the clock of the database',
      );
      this.#aheadMs = 0;
      this.#steppedBackAtMs = null;
    }
  }

  #aheadAt(nowMs: number): number {
    return Math.max(this.#aheadMs - (nowMs - this.#aheadAtMs) * SLOWED_RATE, 0);
  }

  #logSkew(): void {
    const skewMs = this.machineSkewSeconds * 1_000;
    const isSkewed = Math.abs(skewMs) >= (this.#isSkewLogged ? SKEW_LOGGED_MS / 2 : SKEW_LOGGED_MS);
    if (isSkewed === this.#isSkewLogged) return;
    this.#isSkewLogged = isSkewed;
    const fields = { skewSeconds: skewMs / 1_000 };
    if (isSkewed) {
      const side = skewMs > 0 ? 'ahead of' : 'behind';
      const message = `the clock of this machine is ${seconds(Math.abs(skewMs))} s ${side} the database's`;
      this.#log.warn(
        fields,
        `${message}; Cardport uses the database's clock; keep both in sync with NTP`,
      );
    } else {
      this.#log.info(fields, 'the clock of this machine agrees with the database again');
    }
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
