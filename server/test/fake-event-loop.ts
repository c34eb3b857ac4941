import type { EventLoop } from '../src/http/event-loop.ts';

/** An event loop with ticks and a clock that a test controls. */
export class FakeEventLoop implements EventLoop {
  nowMs = 0;
  totalIdleMs = 0;
  readonly #ends: (() => void)[] = [];
  readonly #readEnds: (() => void)[] = [];
  readonly #later: { readonly atMs: number; readonly work: () => void }[] = [];

  now(): number {
    return this.nowMs;
  }

  idleMs(): number {
    return this.totalIdleMs;
  }

  afterTick(work: () => void): void {
    this.#ends.push(work);
  }

  afterRead(work: () => void): void {
    this.#readEnds.push(work);
  }

  after(ms: number, work: () => void): void {
    this.#later.push({ atMs: this.nowMs + ms, work });
  }

  /** Ends the read of a socket and runs the work that waits for the end of the read. */
  endRead(): void {
    for (const work of this.#readEnds.splice(0)) work();
  }

  /** Ends the tick and runs the work that waits for the end of the tick. */
  endTick(): void {
    for (const work of this.#ends.splice(0)) work();
  }

  /** Advances the clock and runs due timers. The loop counts as idle for `restedMs` of `ms`. */
  advance(ms: number, restedMs = 0): void {
    this.nowMs += ms;
    this.totalIdleMs += restedMs;
    for (const timer of this.#later.splice(0)) {
      if (timer.atMs <= this.nowMs) timer.work();
      else this.#later.push(timer);
    }
  }
}
