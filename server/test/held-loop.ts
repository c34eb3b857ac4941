import type { Loop } from '../src/http/event-loop.ts';

/** An event loop whose rounds and clock a test moves. */
export class HeldLoop implements Loop {
  nowMs = 0;
  restedMs = 0;
  readonly #ends: (() => void)[] = [];
  readonly #readEnds: (() => void)[] = [];
  readonly #later: { readonly atMs: number; readonly work: () => void }[] = [];

  now(): number {
    return this.nowMs;
  }

  idleMs(): number {
    return this.restedMs;
  }

  afterRound(work: () => void): void {
    this.#ends.push(work);
  }

  afterRead(work: () => void): void {
    this.#readEnds.push(work);
  }

  after(ms: number, work: () => void): void {
    this.#later.push({ atMs: this.nowMs + ms, work });
  }

  /** Ends the read of a socket; what was to run after it has run. */
  endRead(): void {
    for (const work of this.#readEnds.splice(0)) work();
  }

  /** Ends the round; what was to run after it has run. */
  endRound(): void {
    for (const work of this.#ends.splice(0)) work();
  }

  /** Lets time pass, of which the loop rested for some; timers that are due run. */
  pass(ms: number, restedMs = 0): void {
    this.nowMs += ms;
    this.restedMs += restedMs;
    for (const timer of this.#later.splice(0)) {
      if (timer.atMs <= this.nowMs) timer.work();
      else this.#later.push(timer);
    }
  }
}
