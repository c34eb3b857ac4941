import type { CardTables } from './card-tables.ts';
import { SPELLING_KIND, SPELLING_KIND_BITS, NAME_KINDS } from './spelling.ts';
import { countAtMost } from './gram-table.ts';
import { type GroupedValues, membersOf } from './grouped.ts';
import { type LabelTable, labelsNamed, labelsWithCode } from './label-table.ts';
import { numbersJoined, numbersWhole, numbersWithRuns } from './number-table.ts';
import type { Term } from './query.ts';
import { isSearchableAsSubstring } from './phonetic-key.ts';
import { WORD_PLACE, type WordPlace, wordPlaceOf } from './word-place.ts';

/** How well a term fits a card; higher is better. The score of a card is the sum over its terms. */
const FIT = {
  numberAsTyped: 12,
  number: 11,
  word: 10,
  wordStart: 8,
  localizedWord: 7,
  localizedStart: 6,
  code: 5,
  label: 4,
  numberEnd: 4,
  inside: 2,
  localizedInside: 1,
  parts: 1,
  none: 0,
} as const;

export interface TermMatcher {
  readonly term: Term;
  readonly count: number;
  readonly lists: readonly GroupedCards[];
  readonly texts: readonly QueryText[];
  /** The part of the term with the fewest cards, or null if the term has no parts. */
  readonly parts: TermMatcher | null;
  /** Returns how well the term fits a card (`FIT`), or 0 if the card does not match. */
  fitOf(card: number): number;
}

interface GroupedCards {
  readonly groups: GroupedValues;
  readonly cards: Iterable<number>;
}

/** Creates a matcher. If `isLoose` is true, names also match by loose spelling or sound. */
export function createTermMatcher(tables: CardTables, term: Term, isLoose: boolean): TermMatcher {
  const { numbers, sets, rarities } = tables;
  const loose = isLoose ? term.loose : null;
  const isNumber = createNumberMatcher(tables, term);
  const bySet = labelsOf(sets, term, loose);
  const byRarity = labelsOf(rarities, term, loose);
  const texts = queryTexts(term, isLoose);
  const parts = term.parts.map((part) => createTermMatcher(tables, part, isLoose));
  const rarestPart = parts.toSorted((a, b) => a.count - b.count)[0] ?? null;
  const lists: GroupedCards[] = [
    { groups: numbers.cards, cards: isNumber.numbers },
    { groups: numbers.cards, cards: isNumber.ending },
    { groups: tables.cardsOfSet, cards: bySet },
    { groups: tables.cardsOfRarity, cards: byRarity },
  ];
  const codes = [
    term.runs === '' ? [] : labelsWithCode(sets, term.runs),
    labelsWithCode(rarities, term.runs),
  ];
  const labelFitOf = (card: number): number => {
    const set = tables.setOfCard[card] ?? 0;
    const rarity = tables.rarityOfCard[card] ?? 0;
    if (!bySet.has(set) && !byRarity.has(rarity)) return FIT.none;
    return codes[0]?.includes(set) === true || codes[1]?.includes(rarity) === true
      ? FIT.code
      : FIT.label;
  };
  const fitOf = (card: number): number => {
    const fit = Math.max(isNumber.fitOf(card), labelFitOf(card));
    if (fit >= FIT.word) return fit;
    const best = texts.reduce((most, text) => Math.max(most, textFitOf(tables, card, text)), fit);
    if (best > FIT.none || parts.length === 0) return best;
    return parts.every((part) => part.fitOf(card) > FIT.none) ? FIT.parts : FIT.none;
  };
  return {
    term,
    count:
      lists.reduce((sum, each) => sum + countOf(each), 0) +
      texts.reduce((sum, { key }) => sum + countAtMost(tables.grams, key), 0) +
      (rarestPart?.count ?? 0),
    lists,
    texts,
    parts: rarestPart,
    fitOf,
  };
}

function labelsOf(table: LabelTable, term: Term, loose: string | null): ReadonlySet<number> {
  const named = labelsNamed(table, term.key, loose);
  for (const label of labelsWithCode(table, term.runs)) named.add(label);
  return named;
}

interface NumberMatcher {
  readonly numbers: ReadonlySet<number>;
  readonly ending: Uint32Array;
  fitOf(card: number): number;
}

/**
 * Returns a matcher for the numbers that a term may spell: as typed, without zeros and region, or
 * as the end of a longer number.
 */
function createNumberMatcher(tables: CardTables, { number }: Term): NumberMatcher {
  if (number === null) {
    return { numbers: new Set(), ending: new Uint32Array(), fitOf: () => FIT.none };
  }
  const { numbers: table, numberOfCard, totals, totalOfCard } = tables;
  const { total } = number;
  const ofTotal = total === null ? [] : labelsWithCode(tables.sets, total);
  const numbers = new Set([
    ...numbersWithRuns(table, number.runs),
    ...(total === null ? numbersJoined(table, number.joined) : []),
    ...number.regional.flatMap((runs) => numbersWithRuns(table, runs)),
  ]);
  const whole = new Set(numbersWhole(table, number.whole));
  const tail = number.tail === null ? undefined : table.tails.get(number.tail);
  return {
    numbers: new Set([...numbers, ...whole]),
    ending: tail === undefined ? new Uint32Array() : membersOf(table.ofTail, tail),
    fitOf(card) {
      const its = numberOfCard[card] ?? 0;
      if (whole.has(its)) return FIT.numberAsTyped;
      const isEnding = tail !== undefined && table.tailOfNumber[its] === tail;
      if (!isEnding && !numbers.has(its)) return FIT.none;
      const hasTotal = total === null || totals[totalOfCard[card] ?? 0] === total;
      if (!hasTotal && !ofTotal.includes(tables.setOfCard[card] ?? 0)) return FIT.none;
      if (table.joined[its] === number.joined) return FIT.numberAsTyped;
      return numbers.has(its) ? FIT.number : FIT.numberEnd;
    },
  };
}

interface QueryText {
  readonly key: string;
  readonly kinds: number;
}

function queryTexts({ key, loose, phonetic }: Term, isLoose: boolean): QueryText[] {
  const texts: QueryText[] = [{ key, kinds: NAME_KINDS }];
  if (!isLoose) return texts;
  if (loose !== '') texts.push({ key: loose, kinds: NAME_KINDS | SPELLING_KIND.loose });
  if (phonetic !== null && isSearchableAsSubstring(phonetic)) {
    texts.push({ key: phonetic, kinds: SPELLING_KIND.phonetic });
  }
  return texts;
}

function textFitOf(
  { spellings, spellingsOfCard }: CardTables,
  card: number,
  { key, kinds }: QueryText,
): number {
  const { offsets, values } = spellingsOfCard;
  const end = offsets[card + 1] ?? 0;
  let best: number = FIT.none;
  for (let at = offsets[card] ?? 0; at < end; at++) {
    const entry = values[at] ?? 0;
    if ((entry & kinds) === 0) continue;
    const spelling = entry >>> SPELLING_KIND_BITS;
    const place = placeOf(
      key,
      spellings.texts[spelling] ?? '',
      spellings.wordStarts[spelling] ?? 0,
    );
    if (place === null) continue;
    const isPrimary = (entry & SPELLING_KIND.primary) !== 0;
    best = Math.max(best, isPrimary ? FIT_OF_PLACE[place] : FIT_OF_PLACE_IN_LOCALIZED[place]);
  }
  return best;
}

const FIT_OF_PLACE = {
  [WORD_PLACE.word]: FIT.word,
  [WORD_PLACE.start]: FIT.wordStart,
  [WORD_PLACE.inside]: FIT.inside,
} as const;
const FIT_OF_PLACE_IN_LOCALIZED = {
  [WORD_PLACE.word]: FIT.localizedWord,
  [WORD_PLACE.start]: FIT.localizedStart,
  [WORD_PLACE.inside]: FIT.localizedInside,
} as const;

/** Shorter Latin terms count as the start of no word: “L” would fit every Luffy and Lugia. */
const LATIN_START_MIN = 3;
const LATIN = /^[\u0021-\u024f]+$/;

function placeOf(key: string, text: string, wordStarts: number): WordPlace | null {
  const place = wordPlaceOf(key, text, wordStarts);
  const isStartEnough = key.length >= LATIN_START_MIN || !LATIN.test(key);
  return place === WORD_PLACE.start && !isStartEnough ? WORD_PLACE.inside : place;
}

function countOf({ groups, cards: list }: GroupedCards): number {
  const { offsets } = groups;
  let count = 0;
  for (const group of list) count += (offsets[group + 1] ?? 0) - (offsets[group] ?? 0);
  return count;
}
