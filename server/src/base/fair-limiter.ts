import { FairQueue, type FairQueueOptions, type Group, type QueueEntry } from './fair-queue.ts';
import { WaitEstimate } from './wait-estimate.ts';

export interface LimiterOptions extends Pick<FairQueueOptions<never>, 'bounds'> {
  /** A task is refused after this wait, or immediately if it would have to wait this long. */
  readonly waitMsMax: number;
}

/**
 * The result of waiting: `now` if it is this task's turn, `evicted` if its place was given to
 * another group, `late` if it waited too long, and `gone` if the signal was aborted.
 */
export type WaitResult = 'now' | 'evicted' | 'late' | 'gone';

/** A place in the queue. It is held until `release`, which may be called repeatedly. */
export interface Place {
  readonly wait: (signal?: AbortSignal) => Promise<WaitResult>;
  readonly release: () => void;
}

/** The task of a place. `settle` is null until the task waits. */
interface Task {
  settle: ((result: WaitResult) => void) | null;
}

/**
 * Limits the tasks of all tenants together and of each, and lets them take turns (`FairQueue`).
 * Waiting tasks hold no resources, such as pooled connections.
 */
export class FairLimiter {
  readonly #waitMsMax: number;
  readonly #concurrency: number;
  readonly #now: () => number;
  readonly #queue: FairQueue<Task>;
  /** For the groups whose tasks have had to wait. */
  readonly #estimates = new WeakMap<Group<Task>, WaitEstimate>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor({ bounds, waitMsMax }: LimiterOptions, now = (): number => performance.now()) {
    this.#waitMsMax = waitMsMax;
    this.#concurrency = Math.min(...bounds.map(({ running }) => running));
    this.#now = now;
    this.#queue = new FairQueue({ bounds, now, onEvicted: ({ settle }) => settle?.('evicted') });
  }

  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * Returns undefined without running `work` if too many tasks wait, or the wait is or would be too
   * long. `path` names the groups of the task, widest first, for example shop and app. The `signal`
   * ends a wait, but not a running task.
   */
  async run<T>(
    path: readonly string[],
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: T } | undefined> {
    if (signal?.aborted === true) return undefined;
    const entry = this.#add(path);
    if (entry === undefined) return undefined;
    try {
      if ((await this.#wait(entry, signal)) !== 'now') return undefined;
      return { value: await work() };
    } finally {
      this.#release(entry);
    }
  }

  /** Takes a place in the queue before the task can start. Returns undefined as `run` does. */
  reserve(path: readonly string[]): Place | undefined {
    const entry = this.#add(path);
    if (entry === undefined) return undefined;
    return {
      wait: async (signal) => await this.#wait(entry, signal),
      release: () => this.#release(entry),
    };
  }

  #add(path: readonly string[]): QueueEntry<Task> | undefined {
    const group = this.#queue.find(path);
    if (group?.waiting === 0) this.#estimates.delete(group);
    else if (group !== undefined && this.#estimateOf(group).wouldTimeOut(group.waiting)) {
      return undefined;
    }
    return this.#queue.add(path, { settle: null });
  }

  async #wait(entry: QueueEntry<Task>, signal: AbortSignal | undefined): Promise<WaitResult> {
    if (entry.state === 'removed') return 'evicted';
    const turn = Promise.withResolvers<WaitResult>();
    entry.item.settle = turn.resolve;
    const leave = (result: WaitResult): void => {
      // A task that has started keeps its slot until its release.
      if (entry.state !== 'waiting') return;
      this.#queue.remove(entry);
      turn.resolve(result);
    };
    const onAbort = (): void => leave('gone');
    if (signal?.aborted === true) onAbort();
    this.#startTasks();
    if (entry.state === 'running') return 'now';
    const timer =
      this.#waitMsMax === Infinity ? undefined : setTimeout(leave, this.#waitMsMax, 'late');
    signal?.addEventListener('abort', onAbort, { once: true });
    const result = await turn.promise;
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    return result;
  }

  #release(entry: QueueEntry<Task>): void {
    const { group, state } = entry;
    this.#queue.remove(entry);
    if (state !== 'running') return;
    this.#estimates.get(group)?.recordEnd(group.waiting);
    this.#startTasks();
  }

  #startTasks(): void {
    for (;;) {
      const entry = this.#queue.take(({ settle }) => settle !== null);
      if (entry === undefined) return;
      entry.item.settle?.('now');
    }
  }

  #estimateOf(group: Group<Task>): WaitEstimate {
    const known = this.#estimates.get(group);
    if (known !== undefined) return known;
    const limits = { concurrency: this.#concurrency, waitMsMax: this.#waitMsMax };
    const estimate = new WaitEstimate(limits, this.#now);
    this.#estimates.set(group, estimate);
    return estimate;
  }
}
