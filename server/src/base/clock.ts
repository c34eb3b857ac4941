/** The one source of the current instant, so that tests can hold time still. */
export interface Clock {
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is told to move. For tests and the emulator. */
export class HeldClock implements Clock {
  #nowMs: number;

  constructor(start: Date) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Moves time forward by `ms` milliseconds. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
