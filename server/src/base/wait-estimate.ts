export interface WaitLimits {
  readonly concurrency: number;
  readonly waitMsMax: number;
}

/** A queue must have lasted this share of the longest wait before tasks are refused. */
const EVIDENCE_SHARE = 1 / 2;
/** After this many longest waits, the older half of the data is dropped to follow the rate. */
const MEMORY_WAITS = 2;

/**
 * Estimates which tasks would time out, from the number of tasks that ended since the queue formed.
 * The durations of single tasks say little: the first ones of a process are slow, and so is one in
 * a thousand.
 */
export class WaitEstimate {
  readonly #limits: WaitLimits;
  readonly #now: () => number;
  /** Since when tasks have been waiting continuously; null when none waits. */
  #sinceMs: number | null = null;
  #ended = 0;

  constructor(limits: WaitLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  recordEnd(waiting: number): void {
    if (waiting === 0) this.#sinceMs = null;
    else this.#ended += 1;
  }

  /**
   * Assumes the current rate, even if all running tasks ended now. Also records since when tasks
   * have been waiting.
   */
  wouldTimeOut(waiting: number): boolean {
    const { concurrency, waitMsMax } = this.#limits;
    const nowMs = this.#now();
    if (waiting === 0 || this.#sinceMs === null) {
      this.#sinceMs = waiting === 0 ? null : nowMs;
      this.#ended = 0;
      return false;
    }
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < waitMsMax * EVIDENCE_SHARE) return false;
    const wouldTimeOut = (waiting + 1) * elapsedMs > waitMsMax * (this.#ended + concurrency);
    if (elapsedMs >= waitMsMax * MEMORY_WAITS) {
      this.#sinceMs = nowMs - elapsedMs / 2;
      this.#ended /= 2;
    }
    return wouldTimeOut;
  }
}
