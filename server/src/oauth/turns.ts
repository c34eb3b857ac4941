/** Requests that may wait for one token: fifty at once is a client's burst, a thousand is an attack on the pool. */
const WAITING_MAX = 100;

/**
 * Lets requests with the same token through one after the other, so that a token never holds more than one connection
 * of this process, however often it is sent.
 */
export class Turns {
  readonly #waiting = new Map<string, { count: number; last: Promise<unknown> }>();

  /** Runs `work` after every earlier one of `key`; undefined (and nothing is run) when 100 wait already. */
  async take<T>(key: string, work: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const queue = this.#waiting.get(key) ?? { count: 0, last: Promise.resolve() };
    if (queue.count >= WAITING_MAX) return undefined;
    const mine = queue.last.then(work, work);
    queue.count++;
    queue.last = mine;
    this.#waiting.set(key, queue);
    try {
      return { value: await mine };
    } finally {
      if (--queue.count === 0) this.#waiting.delete(key);
    }
  }
}
