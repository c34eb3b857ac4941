import { type CardTables, primarySpellingOf } from './card-tables.ts';
import { bearsSlip, slipsAtWords } from './find-similar-starts.ts';
import { PAIRS_PER_SLIP } from './find-similar.ts';
import type { Finding } from './finding.ts';
import { gramsOf } from './gram-table.ts';
import { membersOf } from './grouped.ts';
import type { Term } from './query.ts';
import { cardOf } from './spelling-table.ts';
import { OWN, SPELLING_BITS } from './spelling.ts';
import { readingsOf, type TermReadings } from './term-readings.ts';
import { textsSharing } from './texts-sharing.ts';
import { TIER } from './tier.ts';

/** Maximum number of postings to count, rarest pairs first: about 1 ms. */
const COUNTED_MAX = 200_000;
/**
 * Maximum number of texts to compare with each term, those with the most common pairs first: about
 * 1 ms.
 */
const COMPARED_MAX = 500;
/**
 * Maximum number of cards to check in full, once for the candidates by name and once for those by
 * set or number: about 1 ms.
 */
const CARDS_MAX = 150;

/**
 * Cards that match every term, some of them with one slip at the start of a word of a name: fewer
 * such terms first. The candidates are cards with similar names, and cards of the rarest matching
 * set, rarity or number.
 */
export function findSimilarTerms(finding: Finding, terms: readonly Term[]): void {
  if (terms.length < 2 || finding.isFull() || !terms.some(({ key }) => bearsSlip(key))) return;
  const { tables } = finding;
  // The rarest term first: it rejects most cards.
  const readings = terms
    .map((term) => readingsOf(tables, term, true))
    .toSorted((a, b) => a.count - b.count);
  const matches = new Map<number, Match>();
  const visited = new Set<number>();
  let left = CARDS_MAX;
  const visit = (card: number): boolean => {
    if (visited.has(card)) return true;
    visited.add(card);
    const slips = slipsOf(tables, card, readings);
    if (slips !== null && slips > 0) {
      const tier = slips === 1 ? TIER.similarTermByOne : TIER.similarTermByMore;
      matches.set(card, { card, tier, spelling: primarySpellingOf(tables, card) });
    }
    return --left > 0;
  };
  visitNames(tables, terms, visit);
  left = CARDS_MAX;
  visitLists(readings, visit);
  const ordered = [...matches.values()].toSorted(
    (a, b) => a.tier - b.tier || a.spelling - b.spelling || a.card - b.card,
  );
  for (const { card, tier, spelling } of ordered) finding.addBySpelling(card, tier, spelling);
}

interface Match {
  readonly card: number;
  readonly tier: number;
  readonly spelling: number;
}

/**
 * Visits the cards of the names that share most pairs with the terms and match one of them with at
 * most one slip.
 */
function visitNames(
  tables: CardTables,
  terms: readonly Term[],
  visit: (card: number) => boolean,
): void {
  const { grams, spellings } = tables;
  const slipping = terms.filter(({ key }) => bearsSlip(key));
  const pairs = [...new Set(slipping.flatMap(({ key }) => gramsOf(key)))];
  const candidates = textsSharing(grams, {
    pairs,
    from: 0,
    to: spellings.texts.length,
    missing: PAIRS_PER_SLIP * slipping.length,
    countedMax: COUNTED_MAX,
    textsMax: COMPARED_MAX,
  });
  for (const spelling of candidates) {
    if (((spellings.kinds[spelling] ?? 0) & OWN) === 0) continue;
    if (!slipping.some(({ key }) => isAtWord(tables, spelling, key))) continue;
    for (const entry of membersOf(spellings.cards, spelling)) {
      if (!visit(cardOf(entry))) return;
    }
  }
}

/** Visits the cards of the sets, rarities and numbers that match terms, the rarest term first. */
function visitLists(readings: readonly TermReadings[], visit: (card: number) => boolean): void {
  for (const { groups, list } of readings.flatMap(({ lists }) => lists)) {
    for (const group of list) {
      for (const card of membersOf(groups, group)) if (!visit(card)) return;
    }
  }
}

/** The number of terms that match a card only with a slip; null when one does not match at all. */
function slipsOf(
  tables: CardTables,
  card: number,
  readings: readonly TermReadings[],
): number | null {
  let slips = 0;
  for (const reading of readings) {
    if (reading.of(card) !== null) continue;
    if (!hasSimilarWord(tables, card, reading.term.key)) return null;
    slips++;
  }
  return slips;
}

function hasSimilarWord(tables: CardTables, card: number, key: string): boolean {
  if (!bearsSlip(key)) return false;
  for (const entry of membersOf(tables.spellingsOfCard, card)) {
    if ((entry & OWN) !== 0 && isAtWord(tables, entry >>> SPELLING_BITS, key)) return true;
  }
  return false;
}

function isAtWord({ spellings }: CardTables, spelling: number, key: string): boolean {
  const text = spellings.texts[spelling] ?? '';
  return slipsAtWords(key, text, spellings.wordStarts[spelling] ?? 0, 1) <= 1;
}
