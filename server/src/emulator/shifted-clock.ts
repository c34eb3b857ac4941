import { type Clock, useAsDateNow } from '../base/clock.ts';

/**
 * A clock with the machine's time plus an offset. It also shifts `Date.now` of this process until
 * it is disposed of, because oidc-provider dates tokens and checks their expiry with `Date.now`.
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
