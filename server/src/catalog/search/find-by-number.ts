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

/** How many numbers that start as typed are ordered: `OP01-0` has 100, `1` alone is not asked. */
const STARTING_MAX = 2_000;
/** How many numbers that end as typed are ordered: as many as there are sets, at most. */
const ENDING_MAX = 2_000;
/** A number of one character starts a tenth of all numbers. */
const START_MIN = 2;

/** Cards whose number is what was typed: with the total, as typed, then whatever its zeros, set or region. */
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
  // Someone who types OP09-09 is on the way to OP09-090; who types 025 means 25.
  if (!sought.mayGoOn && sought.total === null) addNumbers(finding, withRuns, TIER.number, null);
  addSetAndNumber(finding, sought);
  for (const runs of sought.regional) {
    addNumbers(finding, numbersWithRuns(numbers, runs), TIER.numberOfRegion, null);
  }
}

/** Cards whose number starts as typed, shorter numbers first; then those that were typed with zeros left out. */
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
 * Cards whose longer number ends in the digits that were typed: 016 for OP01-016. Every set has one, so they come after
 * whatever else was meant.
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

/** Adds the cards of numbers, shorter joined forms first; a filter may leave some out. */
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
    // 1-11 and 11-1 are joined alike: the cards of both are ordered as one.
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

/** `SV2a025`, `sv2a-025/165`: every place where the code of a set may end is tried. */
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
