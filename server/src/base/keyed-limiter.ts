import { WaitEstimate } from './wait-estimate.ts';

export interface LimiterBounds {
  readonly atOnce: number;
  /** One more is refused at once. */
  readonly waitingMax: number;
  /**
   * Longest wait, in milliseconds. A task that waits longer is refused; one that is expected to is
   * refused at once.
   */
  readonly waitMsMax: number;
}

/** The tasks of one key: how many run, and those that wait, in order of arrival. */
interface Queue {
  running: number;
  readonly estimate: WaitEstimate;
  readonly waiting: Set<(isTurn: boolean) => void>;
}

/**
 * A semaphore per key: runs a limited number of tasks of each key, in order of arrival. A waiting
 * task holds no resources, so one key cannot use up what all share, such as pooled connections.
 */
export class KeyedLimiter {
  readonly #bounds: LimiterBounds;
  /** Limits all keys together. A task waits for it after it has passed the limit of its key. */
  readonly #all: KeyedLimiter | null;
  readonly #queues = new Map<string, Queue>();
  readonly #now: () => number;
  #asked = 0;
  #running = 0;

  /**
   * @param bounds of each key; `all`: of all keys together
   * @param now a monotonic clock in milliseconds
   */
  constructor(
    bounds: LimiterBounds & { readonly all?: LimiterBounds },
    now: () => number = () => performance.now(),
  ) {
    this.#bounds = bounds;
    this.#all = bounds.all === undefined ? null : new KeyedLimiter(bounds.all, now);
    this.#now = now;
  }

  get running(): number {
    return this.#all?.running ?? this.#running;
  }

  get waiting(): number {
    return this.#asked - this.running;
  }

  /**
   * Runs `work` when a permit is free. Returns undefined without running it when too many tasks
   * wait, when the wait would be too long at the recent rate, or when it has been too long.
   *
   * @param signal ends the wait, for example when the client disconnects; a running task is not
   * interrupted
   */
  async run<T>(
    key: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: T } | undefined> {
    if (signal?.aborted === true) return undefined;
    const queue = this.#queues.get(key) ?? {
      running: 0,
      estimate: new WaitEstimate(this.#bounds, this.#now),
      waiting: new Set(),
    };
    this.#queues.set(key, queue);
    this.#asked += 1;
    try {
      if (!(await this.#begin(queue, signal))) return undefined;
      try {
        return this.#all === null ? { value: await work() } : await this.#all.run('', work, signal);
      } finally {
        this.#end(key, queue);
      }
    } finally {
      this.#asked -= 1;
    }
  }

  async #begin(queue: Queue, signal: AbortSignal | undefined): Promise<boolean> {
    if (queue.running < this.#bounds.atOnce) {
      queue.running += 1;
      this.#running += 1;
      return true;
    }
    const { size } = queue.waiting;
    if (queue.estimate.wouldTimeOut(size) || size >= this.#bounds.waitingMax) return false;
    const turn = Promise.withResolvers<boolean>();
    queue.waiting.add(turn.resolve);
    const leave = (): void => {
      // A task that got its permit has left the set; it passes the permit on when it ends.
      if (queue.waiting.delete(turn.resolve)) turn.resolve(false);
    };
    const timer = setTimeout(leave, this.#bounds.waitMsMax);
    signal?.addEventListener('abort', leave, { once: true });
    const isTurn = await turn.promise;
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    return isTurn;
  }

  #end(key: string, queue: Queue): void {
    queue.estimate.end(queue.waiting.size);
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
