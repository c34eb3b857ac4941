import type { CardNumber } from './card-number.ts';
import { compareByLength, compareTexts } from './spelling-table.ts';
import { partitionPoint, type GroupedValues, groupMembers, membersOf } from './grouped.ts';

/** The card numbers in natural order. Number 0 is the empty number. */
export interface NumberTable {
  readonly runs: readonly string[];
  readonly joined: readonly string[];
  /** The numbers sorted by joined form, for prefix searches. */
  readonly alphabetical: Uint32Array;
  readonly cards: GroupedValues;
  /** Maps the last run of digits to its index in `ofTail`. */
  readonly tails: ReadonlyMap<string, number>;
  readonly tailOfNumber: Uint32Array;
  readonly ofTail: GroupedValues;
}

const TAIL = /\d+$/;

export function tailOf(runs: string): string {
  const digits = TAIL.exec(runs);
  return digits === null ? '' : runs.slice(digits.index - 1);
}

/** Compares in natural order. Of equal numbers, that with fewer leading zeros comes first. */
export function compareNumbers(a: CardNumber, b: CardNumber): number {
  return compareTexts(a.runs, b.runs) || compareByLength(a.joined, b.joined);
}

export function buildNumbers(
  sorted: readonly CardNumber[],
  numberOfCard: Uint32Array,
): NumberTable {
  const tails = new Map<string, number>();
  const tailOfNumber = new Uint32Array(sorted.length);
  for (const [number, { runs }] of sorted.entries()) {
    const tail = tailOf(runs);
    const known = tails.get(tail) ?? tails.size;
    tails.set(tail, known);
    tailOfNumber[number] = known;
  }
  const joined = sorted.map((number) => number.joined);
  return {
    runs: sorted.map((number) => number.runs),
    joined,
    alphabetical: Uint32Array.from(sorted.keys()).toSorted((a, b) =>
      compareTexts(joined[a] ?? '', joined[b] ?? ''),
    ),
    cards: groupMembers(numberOfCard, sorted.length),
    tails,
    tailOfNumber,
    ofTail: groupMembers(tailOfNumber, tails.size),
  };
}

export function numbersWithRuns({ runs: all }: NumberTable, runs: string): number[] {
  const found: number[] = [];
  if (runs === '') return found;
  const from = partitionPoint(all.length, (at) => (all[at] ?? '') < runs);
  for (let number = from; number < all.length && all[number] === runs; number++) found.push(number);
  return found;
}

/** Returns all numbers with this joined form, which is the same for `1-11` and `11-1`. */
export function numbersJoined(table: NumberTable, joined: string): number[] {
  return numbersFrom(table, joined, (each) => each === joined, Number.POSITIVE_INFINITY);
}

export function numbersWhole(table: NumberTable, whole: CardNumber | null): number[] {
  if (whole === null) return [];
  return [
    ...new Set([...numbersJoined(table, whole.joined), ...numbersWithRuns(table, whole.runs)]),
  ];
}

export function numbersStarting(table: NumberTable, start: string, max: number): number[] {
  return numbersFrom(table, start, (each) => each.startsWith(start), max);
}

export function numbersEndingIn(table: NumberTable, tail: string, max: number): number[] {
  const place = table.tails.get(tail);
  return place === undefined ? [] : [...membersOf(table.ofTail, place).subarray(0, max)];
}

/** Returns the longer numbers that end in these runs: `RD/KP01-JP001` for `KP01-JP001`. */
export function numbersEndingInRuns(table: NumberTable, runs: string): number[] {
  const place = table.tails.get(tailOf(runs));
  if (place === undefined) return [];
  const ending = [...membersOf(table.ofTail, place)];
  return ending.filter((number) => table.runs[number]?.endsWith(` ${runs}`) === true);
}

function numbersFrom(
  { joined, alphabetical }: NumberTable,
  start: string,
  isFound: (joined: string) => boolean,
  max: number,
): number[] {
  const found: number[] = [];
  const from = partitionPoint(
    alphabetical.length,
    (at) => (joined[alphabetical[at] ?? 0] ?? '') < start,
  );
  for (let at = from; at < alphabetical.length && found.length < max; at++) {
    const number = alphabetical[at] ?? 0;
    if (!isFound(joined[number] ?? '')) break;
    found.push(number);
  }
  return found;
}
