/** Works of one key go one after the other. Nothing is kept of keys that have none. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work after those of the same key that came before, whatever became of them. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
