import { type EventLoop, eventLoop } from './event-loop.ts';

/** How long a tick may admit requests before the rest of it is shed. */
export interface TickBounds {
  /** Long enough for a whole burst, or the backlog of a short pause of the process. */
  readonly burstMs: number;
  /** Used for a second after a request was shed: the queue does not drain without shedding. */
  readonly congestedMs: number;
  /**
   * Admitted in every tick, however long they take: otherwise a process that was denied the
   * processor would shed although hardly any request waits.
   */
  readonly requestsMin: number;
}

/** See decision 0122. */
export const TICK_BOUNDS: TickBounds = { burstMs: 500, congestedMs: 200, requestsMin: 100 };
const CONGESTED_FOR_MS = 1_000;

/**
 * Decides whether an event-loop tick has time for more requests. A tick takes one request of every
 * connection that has sent one; later ones wait in the kernel, so the length of the ticks is the
 * waiting time. The time starts with the first request of the tick: earlier work belongs to
 * requests that were already admitted.
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
