import type { QueryNumber } from './card-number.ts';
import { type CardTables, LABEL, NAME, NUMBER, numberOfCard } from './card-tables.ts';
import { editDistanceToWords, mayBeMisspelled } from './edit-distance.ts';
import { type Budget, gramsOf, gramsOfStart } from './gram-index.ts';
import { groupAt } from './groups.ts';
import { isLatin } from './name-key.ts';
import type { Term } from './query.ts';
import { FIT, fitOfName, type NameKind, placeOf } from './score.ts';
import { numberOf } from './text-table.ts';

export const NAMES = NAME.primary | NAME.localized;
/** A Latin term of this length matches the start of a label's word, a shorter one the word. */
const LABEL_START_MIN = 3;
const LABEL_PART_MIN = 2;

/** Limits the cards of a number. Nearly every set has one that ends in the same digits. */
const NUMBERED_MAX = 5_000;

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

/** Returns how a card's number matches that of a query, or null if it does not. */
export function matchNumber(
  tables: CardTables,
  card: number,
  query: QueryNumber,
):
  | 'numberAsTyped'
  | 'number'
  | 'numberOfRegion'
  | 'numberEnd'
  | 'numberStart'
  | 'numberUnfinished'
  | null {
  const { joined, runs, regionless, total } = numberOfCard(tables, card);
  const { whole } = query;
  if (whole !== null && (joined === whole.joined || runs === whole.runs)) return 'numberAsTyped';
  const isSame = joined === query.joined || runs === query.runs;
  if (query.total !== null && total !== query.total) {
    const isTotalStart = isSame && total.slice(1).startsWith(query.total.slice(1));
    const isOfSet = tables.setCodes[tables.setOfCard[card] ?? 0] === query.total;
    if (!isOfSet) return isTotalStart ? 'numberUnfinished' : null;
  }
  if (isSame) return joined === query.joined ? 'numberAsTyped' : 'number';
  if (regionless === query.runs) return 'numberOfRegion';
  if (runs.endsWith(` ${query.runs}`)) return 'numberEnd';
  return joined.startsWith(query.joined) ? 'numberStart' : null;
}

/** Visits the cards whose number is that of a query, apart from its zeros, region and total. */
export function visitNumber(
  { numbers }: CardTables,
  { joined, runs, whole }: QueryNumber,
  visit: (card: number) => void,
): void {
  numbers.visitExact(joined, NUMBER.joined, visit);
  numbers.visitExact(runs, NUMBER.runs | NUMBER.regionless, visit);
  numbers.visitExact(whole?.joined ?? '', NUMBER.joined, visit);
  numbers.visitExact(whole?.runs ?? '', NUMBER.runs, visit);
}

/** Visits the cards with a longer number that ends in that of a query, until `visit` is false. */
export function visitNumberEnds(
  { numbers }: CardTables,
  { runs }: QueryNumber,
  budget: Budget,
  visit: (card: number) => boolean,
): void {
  const end = ` ${runs}`;
  numbers.scan(gramsOf(end), NUMBER.runs, budget, (text) => {
    if (!(numbers.texts[text] ?? '').endsWith(end)) return true;
    return numbers.everyOwner(text, NUMBER.runs, visit);
  });
}

/** Returns the labels that a term names, with their `FIT`. */
export function fitsOfLabels(
  { labels }: CardTables,
  { key, loose, code }: Term,
  budget: Budget,
): Map<number, number> {
  const fits = new Map<number, number>();
  const add = (label: number): void => void fits.set(label, FIT.label);
  const scan = (part: string, kinds: number, isFound: (text: string) => boolean): void =>
    labels.scan(isLatin(part) ? gramsOfStart(part) : gramsOf(part), kinds, budget, (text) => {
      if (isFound(labels.texts[text] ?? '')) labels.visitOwners(text, kinds, add);
      return true;
    });
  if (!isLatin(key)) {
    if (key.length >= LABEL_PART_MIN) scan(key, LABEL.key, (text) => text.includes(key));
    if (loose.length >= LABEL_PART_MIN) scan(loose, LABEL.looseKey, (text) => text.includes(loose));
  } else if (key.length < LABEL_START_MIN) labels.visitExact(key, LABEL.word, add);
  else scan(key, LABEL.word, (text) => text.startsWith(key));
  labels.visitExact(code, LABEL.code, (label) => void fits.set(label, FIT.code));
  return fits;
}

/** Compares one of several words with cards. */
export class TermMatch {
  readonly term: Term;
  /** An upper bound for the cards that match, to start with the rarest term. */
  readonly count: number;
  readonly #tables: CardTables;
  readonly #budget: Budget;
  readonly #allowsTypos: boolean;
  readonly #spellings: readonly Spelling[];
  readonly #labels: ReadonlyMap<number, number>;
  readonly #numbered: number[] = [];

  constructor(tables: CardTables, term: Term, tolerance: Tolerance, budget: Budget) {
    this.term = term;
    this.#tables = tables;
    this.#budget = budget;
    this.#allowsTypos = tolerance === 'typing' && mayBeMisspelled(term.key);
    // A single letter is in nearly every sound.
    const others =
      tolerance === 'none' ? [] : otherSpellings(term).filter(({ key }) => key.length > 1);
    this.#spellings = [nameSpelling(term), ...others];
    this.#labels = fitsOfLabels(tables, term, budget);
    let count = 0;
    for (const { key } of this.#spellings) count += tables.names.grams.countAtMost(gramsOf(key));
    for (const label of this.#labels.keys()) count += groupAt(tables.cardsOfLabel, label).length;
    if (term.number !== null) this.#findNumbered(term.number);
    this.count = count + this.#numbered.length;
  }

  /** Returns the best `FIT` of the term, or 0 if the card does not match. */
  fitOf(card: number): number {
    const { setOfCard, lookOfCard } = this.#tables;
    const { number } = this.term;
    const match = number === null ? null : matchNumber(this.#tables, card, number);
    const best = Math.max(
      match === null ? 0 : FIT[match],
      this.#labels.get(setOfCard[card] ?? 0) ?? 0,
      this.#labels.get(lookOfCard[card] ?? 0) ?? 0,
    );
    return best >= FIT.primary.word ? best : Math.max(best, this.#fitOfNames(card));
  }

  #fitOfNames(card: number): number {
    const { names, namesOfCard } = this.#tables;
    let best = 0;
    for (const entry of groupAt(namesOfCard, card)) {
      const text = numberOf(entry);
      const [name, starts] = [names.texts[text] ?? '', names.wordStarts[text] ?? 0];
      for (const spelling of this.#spellings) {
        if ((entry & spelling.kinds) === 0) continue;
        const place = placeOf(spelling.key, name, starts);
        if (place === null) continue;
        best = Math.max(best, fitOfName(kindOf(spelling, entry), spelling.key, place));
      }
      if (best > 0 || !this.#allowsTypos || !this.#isSimilar(entry, name, starts)) continue;
      best = FIT.similar;
    }
    return best;
  }

  #isSimilar(entry: number, name: string, wordStarts: number): boolean {
    if ((entry & NAMES) === 0) return false;
    this.#budget.left -= name.length;
    return editDistanceToWords(this.term.key, name, wordStarts, 1) <= 1;
  }

  #findNumbered(number: QueryNumber): void {
    const add = (card: number): boolean => this.#numbered.push(card) < NUMBERED_MAX;
    visitNumber(this.#tables, number, add);
    visitNumberEnds(this.#tables, number, this.#budget, add);
  }

  /** Visits the cards that match by number or label. */
  visitListed(visit: (card: number) => boolean): void {
    if (!this.#numbered.every(visit)) return;
    for (const label of this.#labels.keys()) {
      if (!groupAt(this.#tables.cardsOfLabel, label).every(visit)) return;
    }
  }

  /** Visits the cards that may match by name, shortest names first. */
  visitNamed(visit: (card: number) => boolean): void {
    const { names } = this.#tables;
    for (const { key, kinds } of this.#spellings) {
      names.scan(gramsOf(key), kinds, this.#budget, (text) => {
        if (!(names.texts[text] ?? '').includes(key)) return true;
        return names.everyOwner(text, kinds, visit);
      });
    }
  }
}
