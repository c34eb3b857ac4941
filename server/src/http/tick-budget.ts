import { type EventLoop, eventLoop } from './event-loop.ts';

/** How long a tick may admit requests before further requests of the tick are shed. */
export interface TickBounds {
  /** The limit without congestion, enough for a burst or the backlog of a short pause. */
  readonly burstMs: number;
  /**
   * The limit for a second after a request was shed, because without shedding the queue remains.
   */
  readonly congestedMs: number;
  /**
   * This many requests are admitted in every tick, however long they take. Otherwise a process that
   * got no processor time would shed requests although hardly any wait.
   */
  readonly requestsMin: number;
}

export const TICK_BOUNDS: TickBounds = { burstMs: 500, congestedMs: 200, requestsMin: 100 };
const CONGESTED_FOR_MS = 1_000;

/**
 * Decides whether an event-loop tick has time for more requests. A tick takes one request of every
 * connection that has sent any. Later requests wait in the kernel, so the length of ticks
 * determines the waiting time. The time of a tick starts with its first request, because earlier
 * work belongs to requests that were already admitted.
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
