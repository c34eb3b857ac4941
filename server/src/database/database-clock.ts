import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** The database read `at` between `sentMs` and `receivedMs`, both times of `performance.now`. */
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

// After this long without a reading, readiness checks fail. A quartz clock drifts by less than
// 0.1 ms per second, so this clock is off by at most 6 ms by then. With a shorter limit, each
// restart of the listening connection would be an outage.
const SILENCE_MS_MAX = 60_000;
// The largest step back that this clock follows slowly. A larger step means that the database's
// clock was set, or that a different server responds.
const AHEAD_MS_MAX = 5_000;
/** How long this clock waits before it follows a large step back, while `/readyz` returns 503. */
const STEP_BACK_AFTER_MS = 10_000;
// The speed of this clock while it is ahead of the database's. With 0, the time would stand still.
const SLOWED_RATE = 0.5;
// A larger skew is logged, because NTP is accurate to a few hundredths of a second.
const SKEW_LOGGED_MS = 2_000;
/** The error of a reading, because the driver truncates microseconds. */
const TRUNCATION_MS = 1;

/**
 * A clock that adds the elapsed monotonic time to the last reading of the database's clock, so that
 * the machine's wall clock has no effect. It goes back only after a large step back of the
 * database's clock that lasted `STEP_BACK_AFTER_MS` (decision 0219).
 *
 * The database reads its clock between query and response, so a reading bounds the offset of the
 * two clocks. The offset changes only when it is outside those bounds, so a slow response changes
 * nothing, and the error is at most the shortest recent round trip.
 */
export class DatabaseClock implements Clock {
  readonly #log: DatabaseClockOptions['log'];
  readonly #machineNow: () => number;
  readonly #monotonicNow: () => number;
  /** The database's time minus the monotonic time, within the bounds of the readings. */
  #offsetMs = Number.NaN;
  #lastReadingMs = Number.NEGATIVE_INFINITY;
  // How far this clock was ahead of the database's at `#aheadAtMs`. While ahead, it runs slower.
  #aheadMs = 0;
  #aheadAtMs = 0;
  #steppedBackAtMs: number | null = null;
  /** True once `now` has returned an instant. From then on, the time must not go back. */
  #isUsed = false;
  #isSkewLogged = false;

  constructor({ log, ...options }: DatabaseClockOptions) {
    this.#log = log;
    // The original `Date.now`, because `useAsDateNow` may replace it with this clock.
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

  /** How far this machine's clock is ahead of the database's; negative if it is behind. */
  get machineSkewSeconds(): number {
    return (this.#machineNow() - this.#monotonicNow() - this.#offsetMs) / 1_000;
  }

  /** The reason why this clock cannot be trusted, as a sentence for the operator, or null. */
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

  // Follows a step forward immediately, a small step back slowly, and a large one after a while.
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
        `${this.problem ?? ''}: this process is not ready until it can trust the clock`,
      );
    } else if (nowMs - this.#steppedBackAtMs >= STEP_BACK_AFTER_MS) {
      this.#log.warn(
        { seconds: this.#aheadMs / 1_000 },
        'the clock of the database was set back: this process now follows it',
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
