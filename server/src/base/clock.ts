/** Tests can stop the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Moves only by `advance`. For tests and the emulator. */
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
 * One millisecond after `previous` if the clock of the node that wrote it was ahead, so that forms
 * can tell the two changes apart.
 */
export function changeInstant(previous: Date | undefined, now: Date): Date {
  return previous !== undefined && previous > now ? new Date(previous.getTime() + 1) : now;
}

export function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}

/** Dispose of the result to restore `Date.now`. */
export function useAsDateNow(clock: Clock): Disposable {
  const original = Date.now;
  Date.now = (): number => clock.now().getTime();
  return {
    [Symbol.dispose]: () => {
      Date.now = original;
    },
  };
}
