import type { SpellingCollector } from './spelling-collector.ts';
import { SPELLING_KIND_BITS } from './spelling.ts';
import { partitionPoint, type GroupedValues } from './grouped.ts';

/**
 * The unique texts by which cards are found. They are numbered by length, then alphabetically, so
 * ascending numbers are in the order of rank.
 */
export interface SpellingTable {
  readonly texts: readonly string[];
  readonly wordStarts: Uint32Array;
  /** The kinds (`SPELLING_KIND`) by which cards have each text. */
  readonly kinds: Uint8Array;
  /** The numbers sorted by text, for prefix searches. */
  readonly alphabetical: Uint32Array;
  /** The cards of each text, as card << `SPELLING_KIND_BITS` | kinds. */
  readonly cards: GroupedValues;
}

/** Compares texts by length, then by UTF-16 units. All indexes share this order. */
export function compareByLength(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b);
}

/** Compares texts by UTF-16 units, which gives the same order in every locale. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The sorted texts. `newNumberOf` maps a collector's number to the number in the table. */
export interface OrderedSpellings {
  readonly texts: string[];
  readonly wordStarts: Uint32Array;
  readonly alphabetical: Uint32Array;
  readonly newNumberOf: Uint32Array;
}

export function orderSpellings(collector: SpellingCollector): OrderedSpellings {
  const { size } = collector;
  const sorted = Array.from({ length: size }, (_, number) => number).toSorted(
    (a, b) =>
      compareTexts(collector.textOf(a), collector.textOf(b)) ||
      collector.wordStartsOf(a) - collector.wordStartsOf(b),
  );
  // Sort once by text, then with a stable counting sort by length, which needs no comparisons.
  const countOfLength = new Uint32Array(longestOf(collector) + 2);
  for (let number = 0; number < size; number++) {
    const slot = collector.textOf(number).length + 1;
    countOfLength[slot] = (countOfLength[slot] ?? 0) + 1;
  }
  for (let slot = 1; slot < countOfLength.length; slot++) {
    countOfLength[slot] = (countOfLength[slot] ?? 0) + (countOfLength[slot - 1] ?? 0);
  }
  const texts = Array.from({ length: size }, () => '');
  const wordStarts = new Uint32Array(size);
  const alphabetical = new Uint32Array(size);
  const newNumberOf = new Uint32Array(size);
  for (const [at, number] of sorted.entries()) {
    const text = collector.textOf(number);
    const newNumber = countOfLength[text.length] ?? 0;
    countOfLength[text.length] = newNumber + 1;
    texts[newNumber] = text;
    wordStarts[newNumber] = collector.wordStartsOf(number);
    alphabetical[at] = newNumber;
    newNumberOf[number] = newNumber;
  }
  return { texts, wordStarts, alphabetical, newNumberOf };
}

function longestOf(collector: SpellingCollector): number {
  let longest = 0;
  for (let number = 0; number < collector.size; number++) {
    longest = Math.max(longest, collector.textOf(number).length);
  }
  return longest;
}

/** A range of indexes in `alphabetical`: `from` is inclusive, `to` exclusive. */
export type Range = readonly [from: number, to: number];

export function equalRange({ texts, alphabetical }: SpellingTable, key: string): Range {
  const from = partitionPoint(
    alphabetical.length,
    (at) => (texts[alphabetical[at] ?? 0] ?? '') < key,
  );
  const count = partitionPoint(
    alphabetical.length - from,
    (at) => texts[alphabetical[from + at] ?? 0] === key,
  );
  return [from, from + count];
}

export function prefixRange({ texts, alphabetical }: SpellingTable, key: string): Range {
  const from = partitionPoint(
    alphabetical.length,
    (at) => (texts[alphabetical[at] ?? 0] ?? '') < key,
  );
  const count = partitionPoint(alphabetical.length - from, (at) =>
    (texts[alphabetical[from + at] ?? 0] ?? '').startsWith(key),
  );
  return [from, from + count];
}

export function cardOf(entry: number): number {
  return entry >>> SPELLING_KIND_BITS;
}
