import { isDatabaseUnavailable } from './unavailable.ts';

/** Faults of works that come again and again: an outage of the database is told of once, whatever it makes fail. */
export class OutageFaults {
  readonly #onFault: (error: unknown) => void;
  #isTold = false;

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** A work has failed: told, unless it is the database that was away already. */
  failed(error: unknown): void {
    if (isDatabaseUnavailable(error)) {
      if (this.#isTold) return;
      this.#isTold = true;
    }
    this.#onFault(error);
  }

  /** A work has succeeded: the next outage is another. */
  passed(): void {
    this.#isTold = false;
  }
}
