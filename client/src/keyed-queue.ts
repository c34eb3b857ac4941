import type { Signal } from './platform.ts';
import { untilAborted } from './until-aborted.ts';

/** Runs tasks of the same key one after the other. A key without tasks uses no memory. */
export class KeyedQueue {
  readonly #queues = new Map<string, { last: Promise<unknown>; count: number }>();

  /** Returns the number of tasks of this key that are waiting or running. */
  pendingCount(key: string): number {
    return this.#queues.get(key)?.count ?? 0;
  }

  /**
   * Runs the task after earlier tasks of the same key, whether they succeeded or failed. If the
   * signal is aborted first, `run` throws its reason and never runs the task; later tasks still
   * wait.
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: Signal): Promise<T> {
    const queue = this.#queues.get(key) ?? { last: Promise.resolve(), count: 0 };
    const previous = queue.last;
    const result = untilAborted(previous, signal).then(task);
    queue.last = Promise.allSettled([previous, result]);
    queue.count++;
    this.#queues.set(key, queue);
    try {
      return await result;
    } finally {
      queue.count--;
      if (queue.count === 0) this.#queues.delete(key);
    }
  }
}
