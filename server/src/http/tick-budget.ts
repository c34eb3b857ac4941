import { type EventLoop, eventLoop } from './event-loop.ts';

/** How long a tick may admit requests before the rest of it is shed. */
export interface TickBounds {
  /**
   * Milliseconds. Long enough to serve a whole burst, or the backlog of a short pause of the
   * process.
   */
  readonly burstMs: number;
  /**
   * Milliseconds, used for a second after a request was shed: by then the queue does not drain
   * without shedding.
   */
  readonly congestedMs: number;
  /**
   * Requests that every tick admits, however long they take: otherwise a process that was denied
   * the processor would shed although hardly any wait. With a lower number, a small deployment
   * would shed requests of its few connections.
   */
  readonly requestsMin: number;
}

/** Decision 0122 explains the values. */
export const TICK_BOUNDS: TickBounds = { burstMs: 500, congestedMs: 200, requestsMin: 100 };
/** How long after a shed request the queue counts as standing. */
const CONGESTED_FOR_MS = 1_000;

/**
 * Decides whether an event-loop tick has time for more requests. In one tick the loop takes a
 * request of every connection that has sent one; later ones wait unseen in the kernel for the next
 * tick, so the length of the ticks is the waiting time. The time of a tick starts with its first
 * request: earlier work, such as database answers, belongs to requests that were already admitted.
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

  /** True when there is time for one more request, which then counts as admitted. */
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
