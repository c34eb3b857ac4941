import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * A worker that is further off sends nothing: receivers refuse timestamps that are 300 s off, and every instant that it
 * writes is off by as much. Less, and a machine that has just woken would stop for nothing.
 */
const SKEW_MS_MAX = 60_000;
/** From there on the clock is not kept by NTP, which holds it within some hundredths of a second. */
const TOLD_MS = 2_000;
/** Often enough for who looks at the last minutes of a log, and no flood. */
const TOLD_EVERY_MS = 60_000;

export const readClock = statement<{ readonly at: Date }>(
  'read_clock',
  'select clock_timestamp() as at',
);

/** How far this machine's clock is from the database's, which all workers share. */
export class ClockSkew {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #nowMs: () => number;
  #skewMs = Number.NaN;
  #isTold = false;
  #isTooFar = false;
  #toldAtMs = 0;

  /** `nowMs` counts milliseconds from anywhere: `performance.now`. */
  constructor(clock: Clock, log: Log, nowMs: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Positive when this machine's clock is ahead; `NaN` before the first look. */
  get seconds(): number {
    return this.#skewMs / 1_000;
  }

  /** True while nothing may be sent by this clock. */
  get isTooFar(): boolean {
    return this.#isTooFar;
  }

  /** Looks at both clocks. The time that the database takes to answer is no skew. */
  async look(db: Queryable): Promise<void> {
    const asked = this.#clock.now();
    const row = await db.one(readClock);
    if (row !== undefined) this.#note(skewMsOf(asked, row.at, this.#clock.now()));
  }

  #note(skewMs: number): void {
    this.#skewMs = skewMs;
    const wasTooFar = this.#isTooFar;
    this.#isTooFar = Math.abs(skewMs) > SKEW_MS_MAX;
    const fields = { skewSeconds: this.seconds };
    if (this.#isTooFar) {
      const nowMs = this.#nowMs();
      if (wasTooFar && nowMs - this.#toldAtMs < TOLD_EVERY_MS) return;
      this.#toldAtMs = nowMs;
      this.#log.warn(fields, `${this.#words()}: no webhook is told of anything until it is set`);
    } else if (wasTooFar) {
      this.#log.info(fields, 'the clock of this machine is right again: webhooks are told');
    } else if (Math.abs(skewMs) >= TOLD_MS && !this.#isTold) {
      this.#isTold = true;
      this.#log.warn(fields, `${this.#words()}: set it by NTP`);
    }
  }

  #words(): string {
    const seconds = Math.abs(this.seconds).toFixed(1);
    const side = this.#skewMs > 0 ? 'ahead of' : 'behind';
    return `the clock of this machine is ${seconds} s ${side} the database's`;
  }
}

/**
 * How far a clock is ahead of another one that said `at` between its `asked` and its `answered`: 0 when it may have been
 * any instant in between, else the least that it can be.
 */
export function skewMsOf(asked: Date, at: Date, answered: Date): number {
  const aheadMs = asked.getTime() - at.getTime();
  const behindMs = at.getTime() - answered.getTime();
  if (aheadMs > 0) return aheadMs;
  return behindMs > 0 ? -behindMs : 0;
}
