import { createHash } from 'node:crypto';

/** Pseudo-random choices. The same seed makes the same choices. */
export class Random {
  #state: number;

  /** A generator of its own for each name, so that one case draws the same whatever the others drew. */
  constructor(name: string) {
    this.#state = createHash('sha256').update(name).digest().readUInt32LE(0);
  }

  /** A whole number from 0 to `bound` - 1 (mulberry32). */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** @throws RangeError when there is nothing to choose from */
  pick<T>(from: readonly T[]): T {
    const [picked] = from.slice(this.below(Math.max(from.length, 1))).slice(0, 1);
    if (picked === undefined) throw new RangeError('nothing to choose from');
    return picked;
  }

  /** One of the names, as often as its weight says. */
  weigh<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights);
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    const found = entries.find(([, weight]) => (left -= weight) < 0);
    return found?.[0] as Name;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** A version 4 uuid. */
  uuid(): string {
    const hex = this.bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
