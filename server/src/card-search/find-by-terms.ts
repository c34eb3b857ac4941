import { type CardTables, primarySpellingOf } from './card-tables.ts';
import type { HitCollector } from './hit-collector.ts';
import { cardOf } from './spelling-table.ts';
import { SPELLING_KIND_BITS, NAME_KINDS } from './spelling.ts';
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
    const match = matchOf(tables, card, terms, matchers, isLoose);
    if (match !== null) matches.set(card, match);
    return --left > 0;
  };
  visitSameName(tables, terms, visit);
  left = CARDS_MAX;
  visitCandidates(tables, driver, visit);
  const ordered = [...matches.values()].toSorted(
    (a, b) => a.tier - b.tier || a.spelling - b.spelling || a.card - b.card,
  );
  for (const { card, tier, spelling } of ordered) collector.addBySpelling(card, tier, spelling);
}

interface Match {
  readonly card: number;
  readonly tier: number;
  readonly spelling: number;
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

/** Returns the tier of a card that matches all terms, or null if it does not match one of them. */
function matchOf(
  tables: CardTables,
  card: number,
  terms: readonly Term[],
  matchers: readonly TermMatcher[],
  isLoose: boolean,
): Match | null {
  const named = new Set<Term>();
  for (const matcher of matchers) {
    const how = matcher.match(card);
    if (how === null) return null;
    if (how === 'name') named.add(matcher.term);
  }
  const spelling = primarySpellingOf(tables, card);
  if (isLoose) return { card, tier: TIER.termsLoose, spelling };
  const name = terms
    .filter((term) => named.has(term))
    .map(({ key }) => key)
    .join('');
  const place = name === '' ? null : placeInNames(tables, card, name);
  if (place === 'whole') return { card, tier: TIER.termsAreName, spelling };
  if (named.size === terms.length) return { card, tier: TIER.termsInNames, spelling };
  return { card, tier: place === 'start' ? TIER.termsStartName : TIER.terms, spelling };
}

function placeInNames(
  { spellings, spellingsOfCard }: CardTables,
  card: number,
  text: string,
): 'whole' | 'start' | null {
  let place: 'start' | null = null;
  for (const entry of membersOf(spellingsOfCard, card)) {
    if ((entry & NAME_KINDS) === 0) continue;
    const name = spellings.texts[entry >>> SPELLING_KIND_BITS] ?? '';
    if (name === text) return 'whole';
    if (name.startsWith(text)) place = 'start';
  }
  return place;
}
