import type { SoughtNumber } from './card-number.ts';
import { cardNumberOf } from './card-number.ts';
import type { Finding } from './finding.ts';
import { compareByLength } from './spelling-table.ts';
import { membersOf } from './grouped.ts';
import { labelsWithCode } from './label-table.ts';
import {
  numbersEndingIn,
  numbersJoined,
  numbersStarting,
  numbersWhole,
  numbersWithRuns,
} from './number-table.ts';
import { TIER } from './tier.ts';

/**
 * Numbers with the typed start that are sorted: `OP01-0` has 100, and a single `1` is not searched.
 */
const STARTING_MAX = 2_000;
/** Numbers with the typed end that are sorted: at most about one for each set. */
const ENDING_MAX = 2_000;
/** One character would match a tenth of all numbers. */
const START_MIN = 2;

/**
 * Cards with the typed number: first with the total, then exactly as typed, then ignoring zeros,
 * set or region.
 */
export function findByNumber(finding: Finding, sought: SoughtNumber): void {
  const { tables } = finding;
  const { numbers } = tables;
  const withRuns = numbersWithRuns(numbers, sought.runs);
  if (sought.total !== null) {
    addNumbers(finding, withRuns, TIER.numberWithTotal, (card) => hasTotal(finding, card, sought));
  }
  const asTyped =
    sought.total === null
      ? numbersJoined(numbers, sought.joined)
      : numbersWhole(numbers, sought.whole);
  addNumbers(finding, asTyped, TIER.numberAsTyped, null);
  // OP09-09 is probably the start of OP09-090, but 025 means 25.
  if (!sought.mayGoOn && sought.total === null) addNumbers(finding, withRuns, TIER.number, null);
  addSetAndNumber(finding, sought);
  for (const runs of sought.regional) {
    addNumbers(finding, numbersWithRuns(numbers, runs), TIER.numberOfRegion, null);
  }
}

/**
 * Cards with a number that starts as typed, shorter numbers first; then numbers typed without their
 * zeros.
 */
export function findByNumberStart(finding: Finding, sought: SoughtNumber): void {
  const { numbers } = finding.tables;
  if (sought.joined.length >= START_MIN && sought.total === null) {
    const starting = numbersStarting(numbers, sought.joined, STARTING_MAX);
    addNumbers(
      finding,
      starting.toSorted((a, b) =>
        compareByLength(numbers.joined[a] ?? '', numbers.joined[b] ?? ''),
      ),
      TIER.numberPrefix,
      null,
    );
  }
  const withRuns = numbersWithRuns(numbers, sought.runs);
  const started = sought.total?.slice(1) ?? '';
  addNumbers(finding, withRuns, TIER.numberUnfinished, (card) =>
    totalOf(finding, card).slice(1).startsWith(started),
  );
}

/**
 * Cards with a longer number that ends in the typed digits: 016 for OP01-016. Every set has one, so
 * these come last.
 */
export function findByNumberEnd(finding: Finding, sought: SoughtNumber): void {
  if (sought.tail === null || finding.isFull()) return;
  const ending = numbersEndingIn(finding.tables.numbers, sought.tail, ENDING_MAX);
  addNumbers(finding, ending, TIER.numberEnd, (card) =>
    sought.total === null ? true : hasTotal(finding, card, sought),
  );
}

function totalOf({ tables }: Finding, card: number): string {
  return tables.totals[tables.totalOfCard[card] ?? 0] ?? '';
}

function hasTotal(finding: Finding, card: number, { total }: SoughtNumber): boolean {
  return totalOf(finding, card) === total;
}

/** Adds the cards of these numbers, shorter joined forms first, if `isWanted` accepts them. */
function addNumbers(
  finding: Finding,
  unordered: readonly number[],
  tier: number,
  isWanted: ((card: number) => boolean) | null,
): void {
  const { numbers } = finding.tables;
  const joinedOf = (number: number): string => numbers.joined[number] ?? '';
  const ordered = unordered.toSorted((a, b) => compareByLength(joinedOf(a), joinedOf(b)));
  for (let at = 0; at < ordered.length;) {
    const joined = joinedOf(ordered[at] ?? 0);
    // 1-11 and 11-1 have the same joined form: their cards are sorted together.
    const cards: Uint32Array[] = [];
    while (at < ordered.length && joinedOf(ordered[at] ?? 0) === joined) {
      cards.push(membersOf(numbers.cards, ordered[at] ?? 0));
      at++;
    }
    const [first = new Uint32Array()] = cards;
    const ascending = cards.length === 1 ? first : mergedOf(cards);
    for (const card of ascending) {
      if (finding.isFull()) return;
      if (isWanted?.(card) !== false) finding.add(card, tier, joined);
    }
  }
}

function mergedOf(lists: readonly Uint32Array[]): Iterable<number> {
  return lists.flatMap((list) => [...list]).toSorted((a, b) => a - b);
}

/** Longer than any set code. */
const SET_CODE_MAX = 12;

/** `SV2a025`, `sv2a-025/165`: tries every position where a set code may end. */
function addSetAndNumber(finding: Finding, sought: SoughtNumber): void {
  const { sets, setOfCard, numbers } = finding.tables;
  for (let at = 1; at < Math.min(sought.joined.length, SET_CODE_MAX); at++) {
    const rest = cardNumberOf(sought.joined.slice(at));
    if (!/\d/.test(rest.joined)) return;
    const labels = labelsWithCode(sets, cardNumberOf(sought.joined.slice(0, at)).runs);
    if (labels.length === 0) continue;
    const wanted = new Set(labels);
    addNumbers(finding, numbersWithRuns(numbers, rest.runs), TIER.setAndNumber, (card) => {
      if (!wanted.has(setOfCard[card] ?? 0)) return false;
      return sought.total === null || hasTotal(finding, card, sought);
    });
  }
}
