import { editDistanceToWords, mayBeMisspelled, PAIRS_PER_EDIT } from './edit-distance.ts';
import { gramsOf } from './gram-index.ts';
import { groupAt } from './groups.ts';
import {
  countOfNumber,
  fitsOfLabels,
  matchNumber,
  visitNumber,
  visitNumberEnds,
} from './match-fields.ts';
import type { Term } from './query.ts';
import { FIT, fitOfName, matchPositionOf, SCORE } from './score.ts';
import type { Search } from './search.ts';
import { kindOf, NAMES, nameSpelling, otherSpellings, type Spelling } from './spelling.ts';
import { numberOf } from './text-table.ts';

const FIT_COST = 60;

/** The accepted differences: none, spelling and script, or spelling, script and typing errors. */
export type Tolerance = 'none' | 'spelling' | 'typing';

/** At most this many cards are compared: with all terms in one name, then of the rarest term. */
const SAME_NAME_MAX = 1_000;
const CARDS_MAX = 1_500;
const SIMILAR_CARDS_MAX = 150;
const SIMILAR_NAMES = { postingsMax: 200_000, textsMax: 500 };

const SCORE_OF_TOLERANCE = {
  none: SCORE.terms,
  spelling: SCORE.termsLoose,
  typing: SCORE.termsSimilar,
} as const;

/**
 * Adds the cards that match every term, best first. Returns true if there are any, or if the page
 * is already full of better matches: no other reading of the query need be tried.
 */
export function addCardsMatchingTerms(
  search: Search,
  terms: readonly Term[],
  tolerance: Tolerance,
): boolean {
  const { budget } = search;
  const { names, namesOfCard } = search.tables;
  const score = SCORE_OF_TOLERANCE[tolerance];
  if (!search.wants(score)) return true;
  if (tolerance === 'typing' && !terms.some(({ key }) => mayBeMisspelled(key))) return false;
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
  const nameOf = (card: number): number => numberOf(groupAt(namesOfCard, card)[0] ?? 0);
  const best = [...fits]
    .filter(([, fit]) => fit > 0)
    .toSorted(([a, fitA], [b, fitB]) => fitB - fitA || nameOf(a) - nameOf(b) || a - b);
  for (const [card, fit] of best) {
    const whole = score + fit / (FIT.numberAsTyped * terms.length + 1);
    if (!search.add(card, whole, names.texts[nameOf(card)] ?? '')) break;
  }
  return best.length > 0;
}

function sumOfFits(card: number, matches: readonly TermMatch[]): number {
  let sum = 0;
  for (const match of matches) {
    const fit = match.fitOf(card);
    if (fit === 0) return 0;
    sum += fit;
  }
  return sum;
}

/** Visits cards with a name that shares letter pairs with the terms and nearly contains one. */
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

class TermMatch {
  /** An estimate of the number of matching cards. Terms are sorted by it, rarest first. */
  readonly count: number;
  readonly #search: Search;
  readonly #term: Term;
  readonly #allowsTypos: boolean;
  readonly #spellings: readonly Spelling[];
  readonly #labels: ReadonlyMap<number, number>;

  constructor(search: Search, term: Term, tolerance: Tolerance) {
    const { names, cardsOfLabel } = search.tables;
    this.#search = search;
    this.#term = term;
    this.#allowsTypos = tolerance === 'typing' && mayBeMisspelled(term.key);
    // Omit single letters: nearly every sound contains them.
    const others = otherSpellings(term).filter(({ key }) => key.length > 1);
    this.#spellings = [nameSpelling(term), ...(tolerance === 'none' ? [] : others)];
    this.#labels = fitsOfLabels(search, term);
    let count = term.number === null ? 0 : countOfNumber(search, term.number);
    for (const { key } of this.#spellings) count += names.grams.countAtMost(gramsOf(key));
    for (const label of this.#labels.keys()) count += groupAt(cardsOfLabel, label).length;
    this.count = count;
  }

  /** Returns the term's best `FIT` for a card, or 0 if the card does not match. */
  fitOf(card: number): number {
    const { tables, budget } = this.#search;
    const { number } = this.#term;
    budget.left -= FIT_COST;
    const match = number === null ? null : matchNumber(tables, card, number);
    const best = Math.max(
      match === null ? 0 : FIT[match],
      this.#labels.get(tables.setOfCard[card] ?? 0) ?? 0,
      this.#labels.get(tables.lookOfCard[card] ?? 0) ?? 0,
    );
    return best >= FIT.primary.word ? best : Math.max(best, this.#fitOfNames(card));
  }

  #fitOfNames(card: number): number {
    const { budget, tables } = this.#search;
    const { texts, wordStarts } = tables.names;
    let best = 0;
    for (const entry of groupAt(tables.namesOfCard, card)) {
      const text = numberOf(entry);
      const [name, starts] = [texts[text] ?? '', wordStarts[text] ?? 0];
      for (const spelling of this.#spellings) {
        if ((entry & spelling.kinds) === 0) continue;
        const position = matchPositionOf(spelling.key, name, starts);
        if (position === null) continue;
        best = Math.max(best, fitOfName(kindOf(spelling, entry), spelling.key, position));
      }
      if (best > 0 || !this.#allowsTypos || (entry & NAMES) === 0) continue;
      budget.left -= name.length;
      if (editDistanceToWords(this.#term.key, name, starts, 1) <= 1) best = FIT.similar;
    }
    return best;
  }

  visitListed(visit: (card: number) => boolean): void {
    const { tables } = this.#search;
    const { number } = this.#term;
    let isWanted = true;
    const visitWanted = (card: number): boolean => (isWanted &&= visit(card));
    if (number !== null) {
      visitNumber(tables, number, visitWanted);
      visitNumberEnds(this.#search, number, visitWanted);
    }
    for (const label of this.#labels.keys()) groupAt(tables.cardsOfLabel, label).every(visitWanted);
  }

  visitNamed(visit: (card: number) => boolean): void {
    const { tables, budget } = this.#search;
    for (const { key, kinds } of this.#spellings) {
      tables.names.visitContaining([key], kinds, budget, (_, text) =>
        tables.names.visitOwners(text, kinds, visit),
      );
    }
  }
}
