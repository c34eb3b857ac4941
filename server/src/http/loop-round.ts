import { type Loop, thisLoop } from './event-loop.ts';

/** How long a round may go on taking requests before the rest of it is shed. */
export interface RoundBounds {
  /** Milliseconds. A wave, or what a pause of the process left, is served whole. */
  readonly burstMs: number;
  /** Milliseconds in the second after a request was shed: what waits then is a queue that does not pass by itself. */
  readonly standingMs: number;
  /**
   * Requests that every round takes, however long they last: a process from which the machine takes its processor would
   * otherwise shed although hardly any wait. Fewer than the connections of a small deployment, and those would be shed.
   */
  readonly requestsMin: number;
}

/** Why these: decision 0122. */
export const ROUND_BOUNDS: RoundBounds = { burstMs: 500, standingMs: 200, requestsMin: 100 };
/** For how long a shed request says that a queue stands. */
const STANDING_FOR_MS = 1_000;

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
  #shedAtMs = Number.NEGATIVE_INFINITY;

  constructor(loop: Loop = thisLoop, bounds: RoundBounds = ROUND_BOUNDS) {
    this.#loop = loop;
    this.#bounds = bounds;
  }

  /** Whether there is time for one more request. One that finds some counts as taken. */
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
