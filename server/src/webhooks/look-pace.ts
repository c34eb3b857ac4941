/** A look that took long comes again after so many times as long: it never takes more than 2 % of the time. */
const REST_PER_LOOK = 50;
/** Longest between two looks, whatever they cost: what a crash left untold is told by then. */
const EVERY_MS_MAX = 10_000;

/** When a look at the whole table comes next. Times are of `performance.now`. */
export class LookPace {
  readonly #everyMs: number;
  #nextAtMs: number;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
    this.#nextAtMs = Number.NEGATIVE_INFINITY;
  }

  get nextAtMs(): number {
    return this.#nextAtMs;
  }

  /** A look that began and ended then. */
  looked(beganAtMs: number, endedAtMs: number): void {
    const restMs = Math.min((endedAtMs - beganAtMs) * REST_PER_LOOK, EVERY_MS_MAX);
    this.#nextAtMs = endedAtMs + Math.max(this.#everyMs, restMs);
  }

  /** The next look comes now. */
  hasten(): void {
    this.#nextAtMs = Number.NEGATIVE_INFINITY;
  }
}
