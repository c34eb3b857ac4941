import { type EventLoop, eventLoop } from './event-loop.ts';

/** The limits on the requests that one event-loop tick admits. Further requests are shed. */
export interface TickBounds {
  /** The time limit without congestion, enough for a burst or the backlog of a short pause. */
  readonly burstMs: number;
  /** The shorter time limit in the second after a request was shed, which shrinks the queue. */
  readonly congestedMs: number;
  /**
   * The number of requests that each tick admits, however long they take. Otherwise a process that
   * got no processor time for a while would shed requests although only a few are waiting.
   */
  readonly requestsMin: number;
}

export const TICK_BOUNDS: TickBounds = { burstMs: 500, congestedMs: 200, requestsMin: 100 };
const CONGESTED_FOR_MS = 1_000;

/**
 * A tick reads one request from each connection that has sent one. Requests that arrive later wait
 * in the kernel until the next tick, so long ticks mean long waits. The time of a tick starts with
 * its first request, because earlier work belongs to requests that were already admitted.
 */
export class TickBudget {
  readonly #loop: EventLoop;
  readonly #bounds: TickBounds;
  #isRunning = false;
  #taken = 0;
  #endsAtMs = 0;
  #shedAtMs = Number.NEGATIVE_INFINITY;

  constructor(loop: EventLoop = eventLoop, bounds: TickBounds = TICK_BOUNDS) {
    this.#loop = loop;
    this.#bounds = bounds;
  }

  tryAdmit(): boolean {
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
    const { burstMs, congestedMs } = this.#bounds;
    const isCongested = nowMs - this.#shedAtMs < CONGESTED_FOR_MS;
    this.#isRunning = true;
    this.#taken = 0;
    this.#endsAtMs = nowMs + (isCongested ? congestedMs : burstMs);
    this.#loop.afterTick(this.#end);
  }

  readonly #end = (): void => {
    this.#isRunning = false;
  };
}
