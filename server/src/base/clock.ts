export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock for tests and the emulator that moves only by `advance`. */
export class ManualClock implements Clock {
  #nowMs: number;

  constructor(start: Date) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

/**
 * Returns the time of a change: `now`, or one millisecond after the previous change if that is not
 * earlier. Forms detect edit conflicts by this time, so two versions never have the same time.
 */
export function nextChangeInstant(previous: Date | undefined, now: Date): Date {
  return previous !== undefined && previous >= now ? new Date(previous.getTime() + 1) : now;
}

export function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}

/** Makes `Date.now` return the time of `clock` until the result is disposed of. */
export function useAsDateNow(clock: Clock): Disposable {
  const original = Date.now;
  Date.now = (): number => clock.now().getTime();
  return {
    [Symbol.dispose]: () => {
      Date.now = original;
    },
  };
}
