import { type Clock, useAsDateNow } from '../base/clock.ts';

/**
 * The machine's time plus an offset. While installed it also shifts `Date.now` of this process,
 * because oidc-provider uses only `Date.now` to date tokens and check their expiry.
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
