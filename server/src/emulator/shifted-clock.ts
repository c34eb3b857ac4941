import { type Clock, useAsDateNow } from '../base/clock.ts';

/**
 * The clock of an emulator: the machine's, so many seconds ahead. While it is installed, `Date.now` of this process is
 * ahead too, because oidc-provider asks nothing else when it dates tokens and looks whether they are over.
 */
export class ShiftedClock implements Clock, Disposable {
  readonly #machineNow = Date.now;
  readonly #dateNow = useAsDateNow(this);
  #aheadMs = 0;

  get aheadSeconds(): number {
    return this.#aheadMs / 1_000;
  }

  now(): Date {
    return new Date(this.#machineNow() + this.#aheadMs);
  }

  /** Moves everything that many whole seconds into the future. */
  advance(seconds: number): void {
    this.#aheadMs += seconds * 1_000;
  }

  reset(): void {
    this.#aheadMs = 0;
  }

  [Symbol.dispose](): void {
    this.#dateNow[Symbol.dispose]();
  }
}
