/** A growing list that takes 4 bytes a number, where an array takes 8 or more. */
export class Uint32List {
  #values = new Uint32Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Uint32Array(this.#length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? 0) : 0;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** Returns the list without copying it. A later push may not appear in the view. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }
}
