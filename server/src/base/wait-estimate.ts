export interface WaitBounds {
  /** Works that run at once. */
  readonly atOnce: number;
  /** Longest wait, in milliseconds. */
  readonly waitMsMax: number;
}

/** The share of the longest wait for which a queue must have stood before it is judged. */
const EVIDENCE_SHARE = 1 / 2;
/** After so many longest waits the older half of what was seen is forgotten, so that the estimate follows the latest rate. */
const MEMORY_WAITS = 2;

/**
 * Foresees which works would time out in a queue, from how many have ended since the queue formed. It refuses on evidence
 * only: how long single works took says little, since the first of a process are slow, and so is one among a thousand; a
 * burst that is over before half of the longest wait is never judged.
 */
export class WaitEstimate {
  readonly #bounds: WaitBounds;
  readonly #now: () => number;
  /** Since when at least one work has waited all the time; null: none waits. */
  #sinceMs: number | null = null;
  /** Works that have ended since then. */
  #ended = 0;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(bounds: WaitBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /** Notes that a work has ended, while so many waited for its place. */
  end(waiting: number): void {
    if (waiting === 0) this.#sinceMs = null;
    else this.#ended += 1;
  }

  /**
   * Whether one more behind so many would time out at the latest rate, even if all that runs ended now. The work that it
   * is asked for counts as one that came.
   */
  wouldTimeOut(waiting: number): boolean {
    const { atOnce, waitMsMax } = this.#bounds;
    const nowMs = this.#now();
    if (waiting === 0 || this.#sinceMs === null) {
      this.#sinceMs = waiting === 0 ? null : nowMs;
      this.#ended = 0;
      return false;
    }
    const stoodMs = nowMs - this.#sinceMs;
    if (stoodMs < waitMsMax * EVIDENCE_SHARE) return false;
    const wouldTimeOut = (waiting + 1) * stoodMs > waitMsMax * (this.#ended + atOnce);
    if (stoodMs >= waitMsMax * MEMORY_WAITS) {
      this.#sinceMs = nowMs - stoodMs / 2;
      this.#ended /= 2;
    }
    return wouldTimeOut;
  }
}
