import { WaitEstimate } from './wait-estimate.ts';

/** How much work runs and waits. */
export interface LimiterBounds {
  /** Works that run at once. */
  readonly atOnce: number;
  /** Works that wait; one more is turned away at once. */
  readonly waitingMax: number;
  /** Longest wait, in milliseconds. A work that waits longer is turned away; so is, at once, one that foreseeably would. */
  readonly waitMsMax: number;
}

/** The works of a key: how many run, and those that wait, first come first served. */
interface Queue {
  running: number;
  readonly estimate: WaitEstimate;
  readonly waiting: Set<(isTurn: boolean) => void>;
}

/**
 * Runs the works of one key a few at a time, first come first served. A work that waits holds nothing, so one key cannot
 * take everything that all of them share, such as pooled connections.
 */
export class KeyedLimiter {
  readonly #bounds: LimiterBounds;
  /** Bounds what all keys together run; a work waits for it once its key has let it through. */
  readonly #all: KeyedLimiter | null;
  readonly #queues = new Map<string, Queue>();
  readonly #now: () => number;
  #asked = 0;
  #running = 0;

  /**
   * @param bounds of each key; `all`: of all keys together
   * @param now a clock in milliseconds that never goes back
   */
  constructor(
    bounds: LimiterBounds & { readonly all?: LimiterBounds },
    now: () => number = () => performance.now(),
  ) {
    this.#bounds = bounds;
    this.#all = bounds.all === undefined ? null : new KeyedLimiter(bounds.all, now);
    this.#now = now;
  }

  /** Works that run now. */
  get running(): number {
    return this.#all?.running ?? this.#running;
  }

  /** Works that wait. */
  get waiting(): number {
    return this.#asked - this.running;
  }

  /**
   * Runs `work` when it is its turn; undefined (and nothing is run) when too many wait already, when the wait would be too
   * long at the rate at which works ended lately, or when it was.
   *
   * @param signal ends the wait, as when nobody wants the result any more; a work that runs is left alone
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
      // One whose turn has come is no longer there: its place must be handed on by itself.
      if (queue.waiting.delete(turn.resolve)) turn.resolve(false);
    };
    const timer = setTimeout(leave, this.#bounds.waitMsMax);
    signal?.addEventListener('abort', leave, { once: true });
    const isTurn = await turn.promise;
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    return isTurn;
  }

  /** Hands the place on to the first that waits. */
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
