import type { CardTables } from './card-tables.ts';
import { SPELLING, SPELLING_BITS, OWN } from './spelling.ts';
import { countAtMost } from './gram-table.ts';
import { type Grouped, membersOf } from './grouped.ts';
import { type LabelTable, labelsNamed, labelsWithCode } from './label-table.ts';
import { numbersJoined, numbersWhole, numbersWithRuns } from './number-table.ts';
import type { Term } from './query.ts';
import { isWorthSeekingInside } from './sound.ts';

/** What a term matches in a card. */
export type Reading = 'number' | 'name' | 'label';

export interface TermReadings {
  readonly term: Term;
  /** An estimate of the number of matching cards. */
  readonly count: number;
  /** Cards by number, set and rarity: all members of the listed groups. */
  readonly lists: readonly CardList[];
  /** Texts to search for, with their kinds. */
  readonly texts: readonly SoughtText[];
  /** The part with the fewest cards, when the term has parts. */
  readonly parts: TermReadings | null;
  /** What the term matches in a card, or null. */
  of(card: number): Reading | null;
}

interface CardList {
  readonly groups: Grouped;
  readonly list: Iterable<number>;
}

/** What a term may mean. `isLoose`: names may also match by loose spelling or sound. */
export function readingsOf(tables: CardTables, term: Term, isLoose: boolean): TermReadings {
  const { numbers, sets, rarities } = tables;
  const loose = isLoose ? term.loose : null;
  const isNumber = numberReading(tables, term);
  const bySet = labelsOf(sets, term, loose);
  const byRarity = labelsOf(rarities, term, loose);
  const texts = soughtTexts(term, isLoose);
  const parts = term.parts.map((part) => readingsOf(tables, part, isLoose));
  const rarestPart = parts.toSorted((a, b) => a.count - b.count)[0] ?? null;
  const lists: CardList[] = [
    { groups: numbers.cards, list: isNumber.numbers },
    { groups: numbers.cards, list: isNumber.ending },
    { groups: tables.cardsOfSet, list: bySet },
    { groups: tables.cardsOfRarity, list: byRarity },
  ];
  const readAs = (card: number): Reading | null => {
    if (isNumber.of(card)) return 'number';
    if (texts.some((sought) => hasText(tables, card, sought))) return 'name';
    if (bySet.has(tables.setOfCard[card] ?? 0)) return 'label';
    if (byRarity.has(tables.rarityOfCard[card] ?? 0)) return 'label';
    if (parts.length === 0) return null;
    return parts.every((part) => part.of(card) !== null) ? 'label' : null;
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
    of: readAs,
  };
}

function labelsOf(table: LabelTable, term: Term, loose: string | null): ReadonlySet<number> {
  const named = labelsNamed(table, term.key, loose);
  for (const label of labelsWithCode(table, term.runs)) named.add(label);
  return named;
}

interface NumberReading {
  readonly numbers: ReadonlySet<number>;
  /** The numbers that end in the term. */
  readonly ending: Uint32Array;
  of(card: number): boolean;
}

/**
 * The numbers that a term may spell: as typed, ignoring zeros and region, or as the end of a longer
 * number.
 */
function numberReading(tables: CardTables, { number }: Term): NumberReading {
  if (number === null) return { numbers: new Set(), ending: new Uint32Array(), of: () => false };
  const { numbers: table, numberOfCard, totals, totalOfCard } = tables;
  const { total } = number;
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
    of(card) {
      const its = numberOfCard[card] ?? 0;
      if (whole.has(its)) return true;
      const isEnding = tail !== undefined && table.tailOfNumber[its] === tail;
      if (!isEnding && !numbers.has(its)) return false;
      return total === null || totals[totalOfCard[card] ?? 0] === total;
    },
  };
}

interface SoughtText {
  readonly key: string;
  readonly kinds: number;
}

function soughtTexts({ key, loose, sound }: Term, isLoose: boolean): SoughtText[] {
  const texts: SoughtText[] = [{ key, kinds: OWN }];
  if (!isLoose) return texts;
  if (loose !== '') texts.push({ key: loose, kinds: OWN | SPELLING.loose });
  if (sound !== null && isWorthSeekingInside(sound)) {
    texts.push({ key: sound, kinds: SPELLING.sound });
  }
  return texts;
}

function hasText(
  { spellings, spellingsOfCard }: CardTables,
  card: number,
  sought: SoughtText,
): boolean {
  const { offsets, values } = spellingsOfCard;
  const end = offsets[card + 1] ?? 0;
  for (let at = offsets[card] ?? 0; at < end; at++) {
    const entry = values[at] ?? 0;
    if ((entry & sought.kinds) === 0) continue;
    if (spellings.texts[entry >>> SPELLING_BITS]?.includes(sought.key) === true) return true;
  }
  return false;
}

function countOf({ groups, list }: CardList): number {
  const { offsets } = groups;
  let count = 0;
  for (const group of list) count += (offsets[group + 1] ?? 0) - (offsets[group] ?? 0);
  return count;
}
