import { performance } from 'node:perf_hooks';

/** What a budget asks of the event loop. */
export interface Loop {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** For how many milliseconds, ever, the loop has waited for something to do. */
  idleMs(): number;
  /** Runs `work` once, when the round that runs now has seen to every socket that it found ready. */
  afterRound(work: () => void): void;
  /** Runs `work` once, `ms` milliseconds from now; what waits for it alone does not keep the process. */
  after(ms: number, work: () => void): void;
}

/** The event loop of this thread. */
export const thisLoop: Loop = {
  now: () => performance.now(),
  // 0.1 µs; `eventLoopUtilization` says the same and takes twice that.
  idleMs: () => performance.nodeTiming.idleTime,
  afterRound: (work) => void setImmediate(work),
  after: (ms, work) => void setTimeout(work, ms).unref(),
};

/** How long a round may take in requests before the rest of it is shed, in milliseconds. */
export interface RoundBounds {
  /** While the loop finds rest between rounds: a wave that is over within it is served whole. */
  readonly burstMs: number;
  /** While it finds none: what waits then is a queue that does not pass by itself. */
  readonly standingMs: number;
  /** How long after its last rest a loop counts as one that finds rest. */
  readonly restedWithinMs: number;
  /** The least wait for something to do that is a rest: looking at thousands of sockets takes some tenths itself. */
  readonly restMsMin: number;
}

/** Why these: decision 0122. */
export const ROUND_BOUNDS: RoundBounds = {
  burstMs: 1_000,
  standingMs: 100,
  restedWithinMs: 1_000,
  restMsMin: 1,
};

/**
 * How much of a round of the event loop has gone to requests. In one round the loop takes a request of every connection
 * that has sent one; what waits for longer than a round waits in the kernel, unseen, so that the length of the round is
 * the wait. A round that begins behind a long one is as old as its first request: what came before it, such as answers of
 * the database, is work that was let in already and comes to its end.
 */
export class LoopRound {
  readonly #loop: Loop;
  readonly #bounds: RoundBounds;
  #isRunning = false;
  #endsAtMs = 0;
  #idleMs = 0;
  #restedAtMs: number;

  constructor(loop: Loop = thisLoop, bounds: RoundBounds = ROUND_BOUNDS) {
    this.#loop = loop;
    this.#bounds = bounds;
    this.#restedAtMs = loop.now();
  }

  /** Whether the round has time for one more request; the first of each round always finds some. */
  hasTime(): boolean {
    const nowMs = this.#loop.now();
    if (!this.#isRunning) this.#begin(nowMs);
    return nowMs < this.#endsAtMs;
  }

  #begin(nowMs: number): void {
    const { burstMs, standingMs, restedWithinMs, restMsMin } = this.#bounds;
    const idleMs = this.#loop.idleMs();
    if (idleMs - this.#idleMs >= restMsMin) this.#restedAtMs = nowMs;
    this.#idleMs = idleMs;
    const isRested = nowMs - this.#restedAtMs <= restedWithinMs;
    this.#isRunning = true;
    this.#endsAtMs = nowMs + (isRested ? burstMs : standingMs);
    this.#loop.afterRound(this.#end);
  }

  readonly #end = (): void => {
    this.#isRunning = false;
  };
}
