import type { QueryNumber } from './card-number.ts';
import { cardNumberOf } from './card-number.ts';
import type { HitCollector } from './hit-collector.ts';
import { compareByLength } from './spelling-table.ts';
import { membersOf } from './grouped.ts';
import { labelsWithCode } from './label-table.ts';
import {
  numbersEndingIn,
  numbersEndingInRuns,
  numbersJoined,
  numbersStarting,
  numbersWhole,
  numbersWithRuns,
} from './number-table.ts';
import { TIER } from './tier.ts';

/**
 * Limits how many numbers with the typed start are sorted. `OP01-0` matches 100; a single `1` is
 * not searched.
 */
const STARTING_MAX = 2_000;
/** Limits how many numbers with the typed end are sorted. About one number in each set matches. */
const ENDING_MAX = 2_000;
/** A shorter start is not searched: one character would match a tenth of all numbers. */
const START_MIN = 2;

/** Finds cards by number: exactly as typed first, then without zeros, set or region. */
export function findByNumber(collector: HitCollector, query: QueryNumber): void {
  const { tables } = collector;
  const { numbers } = tables;
  const withRuns = numbersWithRuns(numbers, query.runs);
  if (query.total !== null) {
    const isWanted = (card: number): boolean => hasTotal(collector, card, query);
    const zerosAsTyped = numbersJoined(numbers, query.joined);
    addNumbers(collector, zerosAsTyped, TIER.numberAsTypedWithTotal, isWanted);
    addNumbers(collector, withRuns, TIER.numberWithTotal, isWanted);
  }
  const asTyped =
    query.total === null
      ? numbersJoined(numbers, query.joined)
      : numbersWhole(numbers, query.whole);
  addNumbers(collector, asTyped, TIER.numberAsTyped, null);
  // OP09-09 is probably the start of OP09-090, whereas 025 means 25.
  if (!query.mayBeIncomplete && query.total === null) {
    addNumbers(collector, withRuns, TIER.number, null);
  }
  addSetAndNumber(collector, query);
  for (const runs of query.regional) {
    addNumbers(collector, numbersWithRuns(numbers, runs), TIER.numberOfRegion, null);
  }
}

/** Finds numbers that start as typed, shorter first, then those typed without zeros. */
export function findByNumberStart(collector: HitCollector, query: QueryNumber): void {
  const { numbers } = collector.tables;
  if (query.joined.length >= START_MIN && query.total === null) {
    const starting = numbersStarting(numbers, query.joined, STARTING_MAX);
    addNumbers(
      collector,
      starting.toSorted((a, b) =>
        compareByLength(numbers.joined[a] ?? '', numbers.joined[b] ?? ''),
      ),
      TIER.numberPrefix,
      null,
    );
  }
  const withRuns = numbersWithRuns(numbers, query.runs);
  const started = query.total?.slice(1) ?? '';
  addNumbers(collector, withRuns, TIER.numberUnfinished, (card) =>
    totalOf(collector, card).slice(1).startsWith(started),
  );
}

/**
 * Finds longer numbers that end in the typed digits (OP01-016 for 016) or number (RD/KP01-JP001 for
 * KP01-JP001). Every set has a number that ends in the same digits, so these come last.
 */
export function findByNumberEnd(collector: HitCollector, query: QueryNumber): void {
  if (collector.isFull()) return;
  const { numbers } = collector.tables;
  const ending =
    query.tail === null
      ? numbersEndingInRuns(numbers, query.runs)
      : numbersEndingIn(numbers, query.tail, ENDING_MAX);
  addNumbers(collector, ending, TIER.numberEnd, (card) =>
    query.total === null ? true : hasTotal(collector, card, query),
  );
}

function totalOf({ tables }: HitCollector, card: number): string {
  return tables.totals[tables.totalOfCard[card] ?? 0] ?? '';
}

/** Returns whether a card has what follows the slash: its total, or its set's code (`001/SV-P`). */
function hasTotal(collector: HitCollector, card: number, { total }: QueryNumber): boolean {
  if (total === null || totalOf(collector, card) === total) return true;
  const { sets, setOfCard } = collector.tables;
  return labelsWithCode(sets, total).includes(setOfCard[card] ?? 0);
}

/** Adds the cards that `isWanted` accepts, those with shorter joined numbers first. */
function addNumbers(
  collector: HitCollector,
  unordered: readonly number[],
  tier: number,
  isWanted: ((card: number) => boolean) | null,
): void {
  const { numbers } = collector.tables;
  const joinedOf = (number: number): string => numbers.joined[number] ?? '';
  const ordered = unordered.toSorted((a, b) => compareByLength(joinedOf(a), joinedOf(b)));
  for (let at = 0; at < ordered.length;) {
    const joined = joinedOf(ordered[at] ?? 0);
    // Sort the cards of 1-11 and 11-1 together, because both numbers have the same joined form.
    const cards: Uint32Array[] = [];
    while (at < ordered.length && joinedOf(ordered[at] ?? 0) === joined) {
      cards.push(membersOf(numbers.cards, ordered[at] ?? 0));
      at++;
    }
    const [first = new Uint32Array()] = cards;
    const ascending = cards.length === 1 ? first : mergedOf(cards);
    for (const card of ascending) {
      if (collector.isFull()) return;
      if (isWanted?.(card) !== false) collector.add(card, tier, joined);
    }
  }
}

function mergedOf(lists: readonly Uint32Array[]): Iterable<number> {
  return lists.flatMap((list) => [...list]).toSorted((a, b) => a - b);
}

const SET_CODE_MAX = 12;

/** Finds `SV2a025` and `sv2a-025/165` by trying every position where the set code may end. */
function addSetAndNumber(collector: HitCollector, query: QueryNumber): void {
  const { sets, setOfCard, numbers } = collector.tables;
  for (let at = 1; at < Math.min(query.joined.length, SET_CODE_MAX); at++) {
    const rest = cardNumberOf(query.joined.slice(at));
    if (!/\d/.test(rest.joined)) return;
    const labels = labelsWithCode(sets, cardNumberOf(query.joined.slice(0, at)).runs);
    if (labels.length === 0) continue;
    const wanted = new Set(labels);
    addNumbers(collector, numbersWithRuns(numbers, rest.runs), TIER.setAndNumber, (card) => {
      if (!wanted.has(setOfCard[card] ?? 0)) return false;
      return query.total === null || hasTotal(collector, card, query);
    });
  }
}
