import { hash } from 'node:crypto';
import { uuidOfHex } from '../base/uuid.ts';

/** Pseudo-random choices, seeded with the SHA-256 of a name. They are the same in every run. */
export interface SeededRandom {
  /** Returns an integer from 0 to `bound` - 1. */
  integerBelow(bound: number): number;
  pick<const T>(from: readonly [T, ...T[]]): T;
  /** Returns one of the values, with a frequency proportional to its weight. */
  pickWeighted<T>(from: readonly [readonly [T, number], ...(readonly [T, number])[]]): T;
}

export function seededRandom(name: string): SeededRandom {
  const bytes = hash('sha256', name, 'buffer');
  let at = 0;
  const integerBelow = (bound: number): number => {
    // The hash has 8 numbers of 32 bits, more than any caller needs. After these, they repeat.
    const drawn = bytes.readUInt32BE(at % bytes.length);
    at += 4;
    return drawn % bound;
  };
  return {
    integerBelow,
    pick: (from) => from[integerBelow(from.length)] ?? from[0],
    pickWeighted: (from) => {
      const total = from.reduce((sum, [, weight]) => sum + weight, 0);
      let left = integerBelow(total);
      for (const [value, weight] of from) {
        if (left < weight) return value;
        left -= weight;
      }
      return from[0][0];
    },
  };
}

/** Derives a version 8 UUID (RFC 9562 §5.8) from a name. It is the same in every run. */
export function demoId(name: string): string {
  const hex = hash('sha256', `cardport demo ${name}`, 'hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return uuidOfHex(`${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17)}`);
}
