import { WaitEstimate } from './wait-estimate.ts';

export interface LimiterOptions {
  readonly concurrency: number;
  /** If this many tasks wait, further tasks are refused immediately. */
  readonly waitingMax: number;
  /** A task is refused after this wait, or immediately if it would have to wait this long. */
  readonly waitMsMax: number;
}

interface KeyQueue {
  running: number;
  readonly estimate: WaitEstimate;
  readonly waiting: Set<(isTurn: boolean) => void>;
}

/** Tasks beyond a key's limit wait in order and hold no resources, such as pooled connections. */
export class KeyedLimiter {
  readonly #options: LimiterOptions;
  /** Limits all keys together. A task waits for this limiter after the limiter of its key. */
  readonly #overall: KeyedLimiter | null;
  readonly #queues = new Map<string, KeyQueue>();
  readonly #now: () => number;
  #pending = 0;
  #running = 0;

  /** `options.all` limits all keys together. `now` is a monotonic clock in milliseconds. */
  constructor(
    options: LimiterOptions & { readonly all?: LimiterOptions },
    now: () => number = () => performance.now(),
  ) {
    this.#options = options;
    this.#overall = options.all === undefined ? null : new KeyedLimiter(options.all, now);
    this.#now = now;
  }

  get running(): number {
    return this.#overall?.running ?? this.#running;
  }

  get waiting(): number {
    return this.#pending - this.running;
  }

  /**
   * Returns undefined without running `work` if too many tasks wait, or the wait is or would be too
   * long. The `signal` ends a wait, but not a running task.
   */
  async run<T>(
    key: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: T } | undefined> {
    if (signal?.aborted === true) return undefined;
    const queue = this.#queues.get(key) ?? {
      running: 0,
      estimate: new WaitEstimate(this.#options, this.#now),
      waiting: new Set(),
    };
    this.#queues.set(key, queue);
    this.#pending += 1;
    try {
      if (!(await this.#acquire(queue, signal))) return undefined;
      try {
        return this.#overall === null
          ? { value: await work() }
          : await this.#overall.run('', work, signal);
      } finally {
        this.#release(key, queue);
      }
    } finally {
      this.#pending -= 1;
    }
  }

  async #acquire(queue: KeyQueue, signal: AbortSignal | undefined): Promise<boolean> {
    if (queue.running < this.#options.concurrency) {
      queue.running += 1;
      this.#running += 1;
      return true;
    }
    const { size } = queue.waiting;
    if (queue.estimate.wouldTimeOut(size) || size >= this.#options.waitingMax) return false;
    const permit = Promise.withResolvers<boolean>();
    queue.waiting.add(permit.resolve);
    const cancel = (): void => {
      // A task with a permit is no longer in the set; it passes the permit on when it ends.
      if (queue.waiting.delete(permit.resolve)) permit.resolve(false);
    };
    const timer = setTimeout(cancel, this.#options.waitMsMax);
    signal?.addEventListener('abort', cancel, { once: true });
    const isGranted = await permit.promise;
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    return isGranted;
  }

  #release(key: string, queue: KeyQueue): void {
    queue.estimate.recordEnd(queue.waiting.size);
    const [next] = queue.waiting;
    if (next !== undefined) {
      queue.waiting.delete(next);
      next(true);
      return;
    }
    queue.running -= 1;
    this.#running -= 1;
    if (queue.running === 0) this.#queues.delete(key);
  }
}
