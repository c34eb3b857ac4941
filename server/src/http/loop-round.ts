import { type Loop, thisLoop } from './event-loop.ts';

/** How long a tick may admit requests before the rest of it is shed. */
export interface RoundBounds {
  /**
   * Milliseconds. Long enough to serve a whole burst, or the backlog of a short pause of the
   * process.
   */
  readonly burstMs: number;
  /**
   * Milliseconds, used for a second after a request was shed: by then the queue does not drain
   * without shedding.
   */
  readonly standingMs: number;
  /**
   * Requests that every tick admits, however long they take: otherwise a process that was denied
   * the processor would shed although hardly any wait. With a lower number, a small deployment
   * would shed requests of its few connections.
   */
  readonly requestsMin: number;
}

/** Decision 0122 explains the values. */
export const ROUND_BOUNDS: RoundBounds = { burstMs: 500, standingMs: 200, requestsMin: 100 };
/** How long after a shed request the queue counts as standing. */
const STANDING_FOR_MS = 1_000;

/**
 * Decides whether an event-loop tick has time for more requests. In one tick the loop takes a
 * request of every connection that has sent one; later ones wait unseen in the kernel for the next
 * tick, so the length of the ticks is the waiting time. The time of a tick starts with its first
 * request: earlier work, such as database answers, belongs to requests that were already admitted.
 */
export class LoopRound {
  readonly #loop: Loop;
  readonly #bounds: RoundBounds;
  #isRunning = false;
  #taken = 0;
  #endsAtMs = 0;
  #shedAtMs = Number.NEGATIVE_INFINITY;

  constructor(loop: Loop = thisLoop, bounds: RoundBounds = ROUND_BOUNDS) {
    this.#loop = loop;
    this.#bounds = bounds;
  }

  /** True when there is time for one more request, which then counts as admitted. */
  hasTime(): boolean {
    const nowMs = this.#loop.now();
    if (!this.#isRunning) this.#begin(nowMs);
    if (this.#taken < this.#bounds.requestsMin || nowMs < this.#endsAtMs) {
      this.#taken += 1;
      return true;
    }
    this.#shedAtMs = nowMs;
    return false;
  }

  #begin(nowMs: number): void {
    const { burstMs, standingMs } = this.#bounds;
    const isStanding = nowMs - this.#shedAtMs < STANDING_FOR_MS;
    this.#isRunning = true;
    this.#taken = 0;
    this.#endsAtMs = nowMs + (isStanding ? standingMs : burstMs);
    this.#loop.afterRound(this.#end);
  }

  readonly #end = (): void => {
    this.#isRunning = false;
  };
}
