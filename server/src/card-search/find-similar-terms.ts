import { type CardTables, primarySpellingOf } from './card-tables.ts';
import { allowsMisspelling, editDistanceToWords } from './find-similar-prefixes.ts';
import { BIGRAMS_PER_EDIT } from './find-similar.ts';
import type { HitCollector } from './hit-collector.ts';
import { gramsOf } from './gram-table.ts';
import { membersOf } from './grouped.ts';
import type { Term } from './query.ts';
import { cardOf } from './spelling-table.ts';
import { NAME_KINDS, SPELLING_KIND_BITS } from './spelling.ts';
import { createTermMatcher, type TermMatcher } from './term-matcher.ts';
import { findTextsSharingBigrams } from './shared-bigrams.ts';
import { TIER } from './tier.ts';

/** Limits how many postings are counted, rarest bigrams first, to about 1 ms. */
const COUNTED_MAX = 200_000;
/** Limits the texts compared with each term, best candidates first, to about 1 ms. */
const COMPARED_MAX = 500;
/**
 * Limits how many cards are checked in full, to about 1 ms. It applies once to the candidates by
 * name and once to those by set or number.
 */
const CARDS_MAX = 150;

/**
 * Finds cards that match every term, where some terms match the start of a word of a name with one
 * edit. Cards with fewer such terms come first. The candidates are cards with similar names, and
 * cards of the rarest matching set, rarity or number.
 */
export function findSimilarTerms(collector: HitCollector, terms: readonly Term[]): void {
  if (terms.length < 2 || collector.isFull() || !terms.some(({ key }) => allowsMisspelling(key))) {
    return;
  }
  const { tables } = collector;
  // Start with the rarest term, because it rejects most cards.
  const matchers = terms
    .map((term) => createTermMatcher(tables, term, true))
    .toSorted((a, b) => a.count - b.count);
  const matches = new Map<number, Match>();
  const visited = new Set<number>();
  let left = CARDS_MAX;
  const visit = (card: number): boolean => {
    if (visited.has(card)) return true;
    visited.add(card);
    const edits = countMisspelledTerms(tables, card, matchers);
    if (edits !== null && edits > 0) {
      const tier = edits === 1 ? TIER.similarTermByOne : TIER.similarTermByMore;
      matches.set(card, { card, tier, spelling: primarySpellingOf(tables, card) });
    }
    return --left > 0;
  };
  visitCardsBySimilarName(tables, terms, visit);
  left = CARDS_MAX;
  visitCardsOfLists(matchers, visit);
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

/** Visits cards with a name that shares bigrams with the terms and nearly matches one term. */
function visitCardsBySimilarName(
  tables: CardTables,
  terms: readonly Term[],
  visit: (card: number) => boolean,
): void {
  const { grams, spellings } = tables;
  const misspellable = terms.filter(({ key }) => allowsMisspelling(key));
  const bigrams = [...new Set(misspellable.flatMap(({ key }) => gramsOf(key)))];
  const candidates = findTextsSharingBigrams(grams, {
    bigrams,
    from: 0,
    to: spellings.texts.length,
    missing: BIGRAMS_PER_EDIT * misspellable.length,
    countedMax: COUNTED_MAX,
    textsMax: COMPARED_MAX,
  });
  for (const spelling of candidates) {
    if (((spellings.kinds[spelling] ?? 0) & NAME_KINDS) === 0) continue;
    if (!misspellable.some(({ key }) => isAtWord(tables, spelling, key))) continue;
    for (const entry of membersOf(spellings.cards, spelling)) {
      if (!visit(cardOf(entry))) return;
    }
  }
}

/** Visits the cards of the sets, rarities and numbers that match terms, the rarest term first. */
function visitCardsOfLists(
  matchers: readonly TermMatcher[],
  visit: (card: number) => boolean,
): void {
  for (const { groups, cards: list } of matchers.flatMap(({ lists }) => lists)) {
    for (const group of list) {
      for (const card of membersOf(groups, group)) if (!visit(card)) return;
    }
  }
}

/** Returns how many terms match a card only with an edit, or null if a term does not match. */
function countMisspelledTerms(
  tables: CardTables,
  card: number,
  matchers: readonly TermMatcher[],
): number | null {
  let edits = 0;
  for (const matcher of matchers) {
    if (matcher.fitOf(card) > 0) continue;
    if (!hasSimilarWord(tables, card, matcher.term.key)) return null;
    edits++;
  }
  return edits;
}

function hasSimilarWord(tables: CardTables, card: number, key: string): boolean {
  if (!allowsMisspelling(key)) return false;
  for (const entry of membersOf(tables.spellingsOfCard, card)) {
    if ((entry & NAME_KINDS) !== 0 && isAtWord(tables, entry >>> SPELLING_KIND_BITS, key)) {
      return true;
    }
  }
  return false;
}

function isAtWord({ spellings }: CardTables, spelling: number, key: string): boolean {
  const text = spellings.texts[spelling] ?? '';
  return editDistanceToWords(key, text, spellings.wordStarts[spelling] ?? 0, 1) <= 1;
}
