export interface WaitLimits {
  readonly concurrency: number;
  readonly waitMsMax: number;
}

/** No task is refused before the queue has existed for this share of the longest allowed wait. */
const EVIDENCE_SHARE = 1 / 2;
/**
 * When a queue has existed for this many times `waitMsMax`, its age and its count are halved, so
 * that recent tasks count more.
 */
const MEMORY_WAITS = 2;

/**
 * Estimates which tasks would time out, from the number of tasks that ended since the queue formed.
 * Single durations are unreliable: a process's first tasks are slow, and so is one in a thousand.
 */
export class WaitEstimate {
  readonly #limits: WaitLimits;
  readonly #now: () => number;
  /** The time since which tasks have been waiting continuously, or null if none waits. */
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
   * Returns true if a new task would time out at the current rate, even if all running tasks ended
   * now. Also records when the queue formed.
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
