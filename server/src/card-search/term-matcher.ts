import type { CardTables } from './card-tables.ts';
import { SPELLING_KIND, SPELLING_KIND_BITS, NAME_KINDS } from './spelling.ts';
import { countAtMost } from './gram-table.ts';
import { type GroupedValues, membersOf } from './grouped.ts';
import { type LabelTable, labelsNamed, labelsWithCode } from './label-table.ts';
import { numbersJoined, numbersWhole, numbersWithRuns } from './number-table.ts';
import type { Term } from './query.ts';
import { isSearchableAsSubstring } from './phonetic-key.ts';

export type MatchKind = 'number' | 'name' | 'label';

export interface TermMatcher {
  readonly term: Term;
  readonly count: number;
  readonly lists: readonly GroupedCards[];
  readonly texts: readonly QueryText[];
  /** The part of the term with the fewest cards, or null if the term has no parts. */
  readonly parts: TermMatcher | null;
  match(card: number): MatchKind | null;
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
  const readAs = (card: number): MatchKind | null => {
    if (isNumber.matches(card)) return 'number';
    if (texts.some((queryText) => hasText(tables, card, queryText))) return 'name';
    if (bySet.has(tables.setOfCard[card] ?? 0)) return 'label';
    if (byRarity.has(tables.rarityOfCard[card] ?? 0)) return 'label';
    if (parts.length === 0) return null;
    return parts.every((part) => part.match(card) !== null) ? 'label' : null;
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
    match: readAs,
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
  matches(card: number): boolean;
}

/**
 * Returns a matcher for the numbers that a term may spell: as typed, without zeros and region, or
 * as the end of a longer number.
 */
function createNumberMatcher(tables: CardTables, { number }: Term): NumberMatcher {
  if (number === null) {
    return { numbers: new Set(), ending: new Uint32Array(), matches: () => false };
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
    matches(card) {
      const its = numberOfCard[card] ?? 0;
      if (whole.has(its)) return true;
      const isEnding = tail !== undefined && table.tailOfNumber[its] === tail;
      if (!isEnding && !numbers.has(its)) return false;
      if (total === null || totals[totalOfCard[card] ?? 0] === total) return true;
      return ofTotal.includes(tables.setOfCard[card] ?? 0);
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

function hasText(
  { spellings, spellingsOfCard }: CardTables,
  card: number,
  queryText: QueryText,
): boolean {
  const { offsets, values } = spellingsOfCard;
  const end = offsets[card + 1] ?? 0;
  for (let at = offsets[card] ?? 0; at < end; at++) {
    const entry = values[at] ?? 0;
    if ((entry & queryText.kinds) === 0) continue;
    if (spellings.texts[entry >>> SPELLING_KIND_BITS]?.includes(queryText.key) === true) {
      return true;
    }
  }
  return false;
}

function countOf({ groups, cards: list }: GroupedCards): number {
  const { offsets } = groups;
  let count = 0;
  for (const group of list) count += (offsets[group + 1] ?? 0) - (offsets[group] ?? 0);
  return count;
}
