import { createHash } from 'node:crypto';

/** Pseudo-random choices that depend only on the name, not on the choices of other cases. */
export class Random {
  /** The case's name: `SEED/NUMBER`. */
  readonly name: string;
  #state: number;

  constructor(name: string) {
    this.name = name;
    this.#state = createHash('sha256').update(name).digest().readUInt32LE(0);
  }

  /** Returns a whole number from 0 to `bound` - 1 (mulberry32). */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  /** Returns true with a probability of `percent`. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** @throws RangeError if there is nothing to choose from */
  pick<T>(from: readonly T[]): T {
    const [picked] = from.slice(this.below(Math.max(from.length, 1))).slice(0, 1);
    if (picked === undefined) throw new RangeError('nothing to choose from');
    return picked;
  }

  /** Returns one of the names. The probability of a name is proportional to its weight. */
  weigh<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights);
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    const found = entries.find(([, weight]) => (left -= weight) < 0);
    return found?.[0] as Name;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** Returns a version 4 UUID. */
  uuid(): string {
    const hex = this.bytes(16).toString('hex');
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
  }
}
