import { LABEL, NAME } from './card-tables.ts';
import { editDistanceToWords, mayBeMisspelled } from './edit-distance.ts';
import { gramsOf } from './gram-index.ts';
import { groupAt } from './groups.ts';
import type { Search } from './search.ts';
import { countOfNumber, matchNumber, visitNumber, visitNumberEnds } from './match-number.ts';
import { isLatin } from './name-key.ts';
import type { Term } from './query.ts';
import { FIT, fitOfName, type NameKind, placeOf } from './score.ts';
import { numberOf } from './text-table.ts';

export const NAMES = NAME.primary | NAME.localized;
/** A Latin term of this length matches the start of a label's word, a shorter one the word. */
const LABEL_START_MIN = 3;
const LABEL_PART_MIN = 2;

/** The work of comparing a term with a card. */
const FIT_COST = 60;

/** What names may differ in from a term: nothing, spelling and script, or also typing errors. */
export type Tolerance = 'none' | 'spelling' | 'typing';

/** A key of a term, and the kinds of names that are compared with it. */
export interface Spelling {
  readonly key: string;
  readonly kinds: number;
  /** How a card's own name with this key is scored. */
  readonly own: NameKind;
  /** How its names in other languages are. */
  readonly other: NameKind;
}

export function nameSpelling({ key }: Term): Spelling {
  return { key, kinds: NAMES, own: 'primary', other: 'localized' };
}

/** Returns the loose key and the sound of a term, if it has them. */
export function otherSpellings({ key, loose, sound }: Term): Spelling[] {
  // If the loose key equals the key, the names are already compared with it.
  const kinds = loose === key ? NAME.loose : NAMES | NAME.loose;
  const spellings: Spelling[] = [
    { key: loose, kinds, own: 'loose', other: 'loose' },
    { key: sound, kinds: NAME.sound, own: 'sound', other: 'sound' },
  ];
  return spellings.filter((spelling) => spelling.key !== '');
}

export function kindOf({ own, other }: Spelling, entry: number): NameKind {
  return (entry & NAME.primary) === 0 ? other : own;
}

/** Returns the labels that a term names, with their `FIT`. */
export function fitsOfLabels({ tables, budget }: Search, term: Term): Map<number, number> {
  const { labels } = tables;
  const { key, loose, code } = term;
  const fits = new Map<number, number>();
  const addText =
    (kind: number) =>
    (_: string, number: number): boolean =>
      labels.visitOwners(number, kind, (label) => void fits.set(label, FIT.label));
  if (!isLatin(key)) {
    if (key.length >= LABEL_PART_MIN) {
      labels.visitContaining([key], LABEL.key, budget, addText(LABEL.key));
      labels.visitContaining([loose], LABEL.looseKey, budget, addText(LABEL.looseKey));
    }
  } else if (key.length >= LABEL_START_MIN) {
    labels.visitStarting(key, LABEL.word, budget, addText(LABEL.word));
  } else labels.visitExact(key, LABEL.word, (label) => void fits.set(label, FIT.label));
  labels.visitExact(code, LABEL.code, (label) => void fits.set(label, FIT.code));
  return fits;
}

/** Compares one of several words with cards. */
export class TermMatch {
  /** An upper bound for the cards that match, to start with the rarest term. */
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
    // A single letter is in nearly every sound.
    const others = otherSpellings(term).filter(({ key }) => key.length > 1);
    this.#spellings = [nameSpelling(term), ...(tolerance === 'none' ? [] : others)];
    this.#labels = fitsOfLabels(search, term);
    let count = term.number === null ? 0 : countOfNumber(search, term.number);
    for (const { key } of this.#spellings) count += names.grams.countAtMost(gramsOf(key));
    for (const label of this.#labels.keys()) count += groupAt(cardsOfLabel, label).length;
    this.count = count;
  }

  /** Returns the best `FIT` of the term, or 0 if the card does not match. */
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
        const place = (entry & spelling.kinds) === 0 ? null : placeOf(spelling.key, name, starts);
        if (place !== null) {
          best = Math.max(best, fitOfName(kindOf(spelling, entry), spelling.key, place));
        }
      }
      if (best > 0 || !this.#allowsTypos || (entry & NAMES) === 0) continue;
      budget.left -= name.length;
      if (editDistanceToWords(this.#term.key, name, starts, 1) <= 1) best = FIT.similar;
    }
    return best;
  }

  /** Visits the cards that match by number or label, until `visit` returns false. */
  visitListed(visit: (card: number) => boolean): void {
    const { tables, budget } = this.#search;
    const { number } = this.#term;
    let isWanted = true;
    const visitWanted = (card: number): boolean => (isWanted &&= visit(card));
    if (number !== null) {
      visitNumber(tables, number, visitWanted);
      visitNumberEnds(tables, number, budget, visitWanted);
    }
    for (const label of this.#labels.keys()) groupAt(tables.cardsOfLabel, label).every(visitWanted);
  }

  /** Visits the cards that match by name, shortest names first, until `visit` returns false. */
  visitNamed(visit: (card: number) => boolean): void {
    const { tables, budget } = this.#search;
    for (const { key, kinds } of this.#spellings) {
      tables.names.visitContaining([key], kinds, budget, (_, text) =>
        tables.names.visitOwners(text, kinds, visit),
      );
    }
  }
}
