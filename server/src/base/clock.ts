/** The source of the current time, so that tests can stop it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that moves only by `advance`. For tests and the emulator. */
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
 * The instant to store for a change of something last changed at `previous`: `now`, or one
 * millisecond after `previous` when the clock of the node that wrote it was ahead, so that forms
 * can tell the two changes apart.
 */
export function changeInstant(previous: Date | undefined, now: Date): Date {
  return previous !== undefined && previous > now ? new Date(previous.getTime() + 1) : now;
}

export function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}

/** Makes `Date.now` of this process follow `clock`; dispose of the result to restore it. */
export function useAsDateNow(clock: Clock): Disposable {
  const original = Date.now;
  Date.now = (): number => clock.now().getTime();
  return {
    [Symbol.dispose]: () => {
      Date.now = original;
    },
  };
}
