/** A list of whole numbers below 2^32 that grows by doubling: 4 bytes a number, where an array takes 8 and more. */
export class Uint32List {
  #values = new Uint32Array(1_024);
  #length = 0;

  /** How many numbers it holds. */
  get length(): number {
    return this.#length;
  }

  /** Adds a number at the end. */
  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Uint32Array(this.#length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  /** The number at a place; 0 beyond the end. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? 0) : 0;
  }

  /** Puts another number at a place that is filled already. */
  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** The numbers so far, without a copy: a later push may leave it behind. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }
}
