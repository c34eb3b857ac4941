import { type CardTables, primarySpellingOf } from './card-tables.ts';
import type { HitCollector } from './hit-collector.ts';
import { cardOf } from './spelling-table.ts';
import { NAME_KINDS } from './spelling.ts';
import { membersOf } from './grouped.ts';
import type { Term } from './query.ts';
import { createTermMatcher, type TermMatcher } from './term-matcher.ts';
import { scanTexts } from './scan-texts.ts';
import { TIER } from './tier.ts';

/**
 * Limits how many cards are checked in full, at about 3 µs each. Only terms that each match
 * thousands of cards reach this limit; then the cards with the shortest names are checked first.
 */
const CARDS_MAX = 1_500;
/**
 * Limits how many cards are checked in addition because one of their names contains all terms. This
 * check is quick, and such a card is nearly always the intended one.
 */
const SAME_NAME_MAX = 1_000;

/**
 * Adds the cards that match every term by name, number, set or rarity. If `isLoose` is true, names
 * may also match by loose spelling or sound.
 */
export function findByTerms(
  collector: HitCollector,
  terms: readonly Term[],
  isLoose: boolean,
): void {
  const { tables } = collector;
  if (terms.length < 2 || collector.isFull()) return;
  // Start with the rarest term: it rejects most cards, and its cards are the candidates.
  const matchers = terms
    .map((term) => createTermMatcher(tables, term, isLoose))
    .toSorted((a, b) => a.count - b.count);
  const [driver] = matchers;
  if (driver === undefined || driver.count === 0) return;
  const matches = new Map<number, Match>();
  const visited = new Set<number>();
  let left = SAME_NAME_MAX;
  const visit = (card: number): boolean => {
    if (visited.has(card)) return true;
    visited.add(card);
    const match = matchOf(tables, card, matchers, isLoose);
    if (match !== null) matches.set(card, match);
    return --left > 0;
  };
  visitSameName(tables, terms, visit);
  left = CARDS_MAX;
  visitCandidates(tables, driver, visit);
  addMatches(collector, matches.values());
}

/** A card that matches terms. A higher score is better. */
interface Match {
  readonly card: number;
  readonly tier: number;
  readonly score: number;
  readonly spelling: number;
}

/** Adds cards by tier, then the best score, then the shortest name. */
function addMatches(collector: HitCollector, matches: Iterable<Match>): void {
  const ordered = [...matches].toSorted(
    (a, b) => a.tier - b.tier || b.score - a.score || a.spelling - b.spelling || a.card - b.card,
  );
  for (const { card, tier, spelling, score } of ordered) {
    collector.addBySpelling(card, tier, spelling, score);
  }
}

function visitSameName(
  tables: CardTables,
  terms: readonly Term[],
  visit: (card: number) => boolean,
): void {
  const keys = terms.map(({ key }) => key);
  scanTexts(tables, keys, NAME_KINDS, (spelling) =>
    visitSpelling(tables, spelling, visit) ? false : null,
  );
}

function visitSpelling(
  tables: CardTables,
  spelling: number,
  visit: (card: number) => boolean,
): boolean {
  for (const entry of membersOf(tables.spellings.cards, spelling)) {
    if (!visit(cardOf(entry))) return false;
  }
  return true;
}

function visitCandidates(
  tables: CardTables,
  driver: TermMatcher,
  visit: (card: number) => boolean,
): boolean {
  for (const { groups, cards: list } of driver.lists) {
    for (const group of list) {
      for (const card of membersOf(groups, group)) if (!visit(card)) return false;
    }
  }
  for (const { key, kinds } of driver.texts) {
    const isWhole = scanTexts(tables, [key], kinds, (spelling) =>
      visitSpelling(tables, spelling, visit) ? false : null,
    );
    if (!isWhole) return false;
  }
  return driver.parts === null || visitCandidates(tables, driver.parts, visit);
}

/** Returns the score of a card that matches all terms, or null if it does not match one of them. */
function matchOf(
  tables: CardTables,
  card: number,
  matchers: readonly TermMatcher[],
  isLoose: boolean,
): Match | null {
  let score = 0;
  for (const matcher of matchers) {
    const fit = matcher.fitOf(card);
    if (fit === 0) return null;
    score += fit;
  }
  const spelling = primarySpellingOf(tables, card);
  return isLoose
    ? { card, tier: TIER.termsLoose, score: 0, spelling }
    : { card, tier: TIER.terms, score, spelling };
}
