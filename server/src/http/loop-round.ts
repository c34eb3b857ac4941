import { performance } from 'node:perf_hooks';

/** What a budget asks of the event loop. */
export interface Loop {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** For how many milliseconds, ever, the loop has waited for something to do. */
  idleMs(): number;
  /** Runs `work` once, when the round that runs now has seen to every socket that it found ready. */
  afterRound(work: () => void): void;
  /** Runs `work` once, when what the loop has just read of one socket is dealt with, and before it reads another. */
  afterRead(work: () => void): void;
  /** Runs `work` once, `ms` milliseconds from now; what waits for it alone does not keep the process. */
  after(ms: number, work: () => void): void;
}

/** The event loop of this thread. */
export const thisLoop: Loop = {
  now: () => performance.now(),
  // 0.1 µs; `eventLoopUtilization` says the same and takes twice that.
  idleMs: () => performance.nodeTiming.idleTime,
  afterRound: (work) => void setImmediate(work),
  afterRead: (work) => process.nextTick(work),
  after: (ms, work) => void setTimeout(work, ms).unref(),
};

/** How long a round may go on taking requests before the rest of it is shed. */
export interface RoundBounds {
  /** Milliseconds while the loop finds rest: a wave, or what a pause of the process left, is served whole. */
  readonly burstMs: number;
  /** Milliseconds while it finds none: what waits then is a queue that does not pass by itself. */
  readonly standingMs: number;
  /**
   * Requests that every round takes, however long they last: a process from which the machine takes its processor would
   * else shed although hardly anybody waits. Fewer than connections of a small deployment, and they would be shed.
   */
  readonly requestsMin: number;
  /** Over how many milliseconds its rest is measured. */
  readonly windowMs: number;
  /** The least share of them for which it must have waited for something to do, to count as one that finds rest. */
  readonly restShareMin: number;
}

/** Why these: decision 0122. */
export const ROUND_BOUNDS: RoundBounds = {
  burstMs: 500,
  standingMs: 200,
  requestsMin: 100,
  windowMs: 1_000,
  restShareMin: 0.05,
};

/**
 * Whether a round of the event loop has time for more requests. In one round the loop takes a request of every connection
 * that has sent one; what comes meanwhile waits in the kernel, unseen, for the next, so that the length of the rounds is
 * the wait. A round is as old as its first request: what came before it, such as answers of the database, is of requests
 * that were let in already.
 */
export class LoopRound {
  readonly #loop: Loop;
  readonly #bounds: RoundBounds;
  #isRunning = false;
  #taken = 0;
  #endsAtMs = 0;
  #finds: 'rest' | 'none' = 'rest';
  #windowAtMs: number;
  #windowIdleMs: number;

  constructor(loop: Loop = thisLoop, bounds: RoundBounds = ROUND_BOUNDS) {
    this.#loop = loop;
    this.#bounds = bounds;
    this.#windowAtMs = loop.now();
    this.#windowIdleMs = loop.idleMs();
  }

  /** Whether there is time for one more request. One that finds some counts as taken. */
  hasTime(): boolean {
    const nowMs = this.#loop.now();
    if (!this.#isRunning) this.#begin(nowMs);
    if (this.#taken >= this.#bounds.requestsMin && nowMs >= this.#endsAtMs) return false;
    this.#taken += 1;
    return true;
  }

  #begin(nowMs: number): void {
    const { burstMs, standingMs } = this.#bounds;
    if (nowMs - this.#windowAtMs >= this.#bounds.windowMs) this.#measureRest(nowMs);
    this.#isRunning = true;
    this.#taken = 0;
    this.#endsAtMs = nowMs + (this.#finds === 'rest' ? burstMs : standingMs);
    this.#loop.afterRound(this.#end);
  }

  #measureRest(nowMs: number): void {
    const idleMs = this.#loop.idleMs();
    const share = (idleMs - this.#windowIdleMs) / (nowMs - this.#windowAtMs);
    this.#finds = share < this.#bounds.restShareMin ? 'none' : 'rest';
    this.#windowAtMs = nowMs;
    this.#windowIdleMs = idleMs;
  }

  readonly #end = (): void => {
    this.#isRunning = false;
  };
}
