import type { SpellingCollector } from './spelling-collector.ts';
import { SPELLING_KIND_BITS } from './spelling.ts';
import { partitionPoint, type GroupedValues } from './grouped.ts';

/**
 * The unique texts by which cards are found, numbered by length, then alphabetically: ascending
 * numbers are in the order of rank.
 */
export interface SpellingTable {
  readonly texts: readonly string[];
  readonly wordStarts: Uint32Array;
  /** All kinds (`SPELLING_KIND`) by which cards have a text. */
  readonly kinds: Uint8Array;
  /** In the order of the texts, for prefix searches. */
  readonly alphabetical: Uint32Array;
  /** Card << `SPELLING_KIND_BITS` | kinds. */
  readonly cards: GroupedValues;
}

/** All indexes share this order: shorter first, then by UTF-16 units. */
export function compareByLength(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b);
}

/** By UTF-16 units, the same on every machine and in every locale. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** `newNumberOf` maps the number of arrival to the number in the table. */
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
  // One sort by text, then a stable counting sort by length, which needs no comparisons.
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

/** Places in `alphabetical`: `from` inclusive, `to` exclusive. */
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
