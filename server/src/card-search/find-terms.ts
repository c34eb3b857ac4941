import type { Search } from './search.ts';
import { editDistanceToWords, mayBeMisspelled, PAIRS_PER_EDIT } from './edit-distance.ts';
import { gramsOf } from './gram-index.ts';
import { groupAt } from './groups.ts';
import type { Term } from './query.ts';
import { FIT_MAX, SCORE } from './score.ts';
import { NAMES, TermMatch, type Tolerance } from './term-match.ts';
import { numberOf } from './text-table.ts';

/** Limits the cards that are compared: those with all terms in one name, and of the rarest term. */
const SAME_NAME_MAX = 1_000;
const CARDS_MAX = 1_500;
const SIMILAR_CARDS_MAX = 150;
const SIMILAR_NAMES = { postingsMax: 200_000, textsMax: 500 };

const SCORE_OF_TOLERANCE = {
  none: SCORE.terms,
  spelling: SCORE.termsLoose,
  typing: SCORE.termsSimilar,
} as const;

/** Finds the cards that match every term by name, number, set or look, ordered by how well. */
export function findTerms(search: Search, terms: readonly Term[], tolerance: Tolerance): void {
  const { budget } = search;
  const { names } = search.tables;
  const score = SCORE_OF_TOLERANCE[tolerance];
  if (!search.wants(score)) return;
  if (tolerance === 'typing' && !terms.some(({ key }) => mayBeMisspelled(key))) return;
  // Start with the rarest term: it rejects most cards, and its cards are the candidates.
  const matches = terms
    .map((term) => new TermMatch(search, term, tolerance))
    .toSorted((a, b) => a.count - b.count);
  const fits = new Map<number, number>();
  const visitAtMost = (max: number): ((card: number) => boolean) => {
    let left = max;
    return (card) => {
      if (fits.has(card)) return true;
      fits.set(card, sumOfFits(card, matches));
      return --left > 0 && budget.left > 0;
    };
  };
  if (tolerance === 'typing') {
    visitSimilar(search, terms, visitAtMost(SIMILAR_CARDS_MAX));
    const visit = visitAtMost(SIMILAR_CARDS_MAX);
    for (const match of matches) match.visitListed(visit);
  } else {
    const keys = terms.map(({ key }) => key);
    const visitSameName = visitAtMost(SAME_NAME_MAX);
    names.visitContaining(keys, NAMES, budget, (_, text) =>
      names.visitOwners(text, NAMES, visitSameName),
    );
    const visit = visitAtMost(CARDS_MAX);
    matches[0]?.visitListed(visit);
    matches[0]?.visitNamed(visit);
  }
  addBest(search, fits, (fit) => score + fit / (FIT_MAX * terms.length + 1));
}

function addBest(
  search: Search,
  fits: ReadonlyMap<number, number>,
  scoreOf: (fit: number) => number,
): void {
  const { tables } = search;
  const nameOf = (card: number): number => numberOf(groupAt(tables.namesOfCard, card)[0] ?? 0);
  const ordered = [...fits]
    .filter(([, fit]) => fit > 0)
    .toSorted(([a, fitA], [b, fitB]) => fitB - fitA || nameOf(a) - nameOf(b) || a - b);
  for (const [card, fit] of ordered) {
    if (!search.add(card, scoreOf(fit), tables.names.texts[nameOf(card)] ?? '')) return;
  }
}

/** Returns the sum of how well each term fits a card, or 0 if one does not match. */
function sumOfFits(card: number, matches: readonly TermMatch[]): number {
  let sum = 0;
  for (const match of matches) {
    const fit = match.fitOf(card);
    if (fit === 0) return 0;
    sum += fit;
  }
  return sum;
}

/** Visits the cards with a name that shares letters with the terms and nearly has one of them. */
function visitSimilar(
  { tables: { names }, budget }: Search,
  terms: readonly Term[],
  visit: (card: number) => boolean,
): void {
  const keys = terms.map(({ key }) => key).filter(mayBeMisspelled);
  const missing = PAIRS_PER_EDIT * keys.length;
  const range = { from: 0, to: names.texts.length, missing, ...SIMILAR_NAMES };
  for (const text of names.grams.mostSharing([...new Set(keys.flatMap(gramsOf))], range, budget)) {
    const [name, wordStarts] = [names.texts[text] ?? '', names.wordStarts[text] ?? 0];
    const isSimilar = keys.some((key) => editDistanceToWords(key, name, wordStarts, 1) <= 1);
    if (isSimilar && !names.visitOwners(text, NAMES, visit)) return;
  }
}
