import type { Signal } from './platform.ts';
import { untilAborted } from './until-aborted.ts';

/** Works of one key go one after the other. Nothing is kept of keys that have none. */
export class Turns {
  readonly #queues = new Map<string, { last: Promise<unknown>; count: number }>();

  /** How many works of this key wait or run. */
  countOf(key: string): number {
    return this.#queues.get(key)?.count ?? 0;
  }

  /**
   * Runs the work after those of the same key that came before, whatever became of them. Who is aborted while he waits
   * gets the signal's reason and his work never runs; those behind him still wait for those before him.
   */
  async take<T>(key: string, work: () => Promise<T>, signal?: Signal): Promise<T> {
    const queue = this.#queues.get(key) ?? { last: Promise.resolve(), count: 0 };
    const before = queue.last;
    const mine = untilAborted(before, signal).then(work);
    queue.last = Promise.allSettled([before, mine]);
    queue.count++;
    this.#queues.set(key, queue);
    try {
      return await mine;
    } finally {
      queue.count--;
      if (queue.count === 0) this.#queues.delete(key);
    }
  }
}
