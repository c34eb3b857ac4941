import type { CardTables } from './card-tables.ts';
import { FORM, FORM_BITS, OWN } from './form.ts';
import { countAtMost } from './gram-table.ts';
import { type Grouped, membersOf } from './grouped.ts';
import { labelsNamed, labelsWithCode } from './label-table.ts';
import { numbersJoined, numbersWithRuns } from './number-table.ts';
import type { Term } from './query.ts';

/** As what a term is true of a card. */
export type Reading = 'number' | 'name' | 'label';

/** A text of a card with its kinds. */
export interface CardText {
  readonly text: string;
  readonly kinds: number;
}

/** What a term may mean in one index. */
export interface TermReadings {
  readonly term: Term;
  /** How many cards it may be true of, about. */
  readonly count: number;
  /** Cards by number, set and rarity: all members of the listed groups. */
  readonly lists: readonly { readonly groups: Grouped; readonly list: readonly number[] }[];
  /** Texts to look for, with the kinds that they must be of. */
  readonly texts: readonly { readonly key: string; readonly kinds: number }[];
  /** The part with the fewest cards, when the term may be put together from parts. */
  readonly parts: TermReadings | null;
  /** As what it is true of a card, or null. */
  of(card: number, texts: readonly CardText[]): Reading | null;
}

/** The texts of a card. */
export function textsOf({ forms, formsOfCard }: CardTables, card: number): CardText[] {
  return Array.from(membersOf(formsOfCard, card), (entry) => ({
    text: forms.texts[entry >>> FORM_BITS] ?? '',
    kinds: entry & ((1 << FORM_BITS) - 1),
  }));
}

/** What a term may mean. `isLoose`: names may be spelled otherwise, or typed as they sound. */
export function readingsOf(tables: CardTables, term: Term, isLoose: boolean): TermReadings {
  const { numbers, sets, rarities, grams } = tables;
  const byNumber = numbersOf(tables, term);
  const bySet = new Set([
    ...labelsWithCode(sets, term.runs),
    ...labelsNamed(sets, term.key, isLoose ? term.loose : null),
  ]);
  const byRarity = new Set([
    ...labelsWithCode(rarities, term.runs),
    ...labelsNamed(rarities, term.key, isLoose ? term.loose : null),
  ]);
  const lists = [
    { groups: numbers.cards, list: [...byNumber] },
    { groups: tables.cardsOfSet, list: [...bySet] },
    { groups: tables.cardsOfRarity, list: [...byRarity] },
  ];
  const texts = soughtTexts(term, isLoose);
  const parts = term.parts.map((part) => readingsOf(tables, part, isLoose));
  const rarestPart = parts.toSorted((a, b) => a.count - b.count)[0] ?? null;
  const total = term.number?.total ?? null;
  const readAs = (card: number, own: readonly CardText[]): Reading | null => {
    if (byNumber.has(tables.numberOfCard[card] ?? 0)) {
      if (total === null || tables.totals[tables.totalOfCard[card] ?? 0] === total) return 'number';
    }
    if (own.some((each) => texts.some((sought) => holds(each, sought)))) return 'name';
    if (bySet.has(tables.setOfCard[card] ?? 0)) return 'label';
    if (byRarity.has(tables.rarityOfCard[card] ?? 0)) return 'label';
    if (parts.length === 0) return null;
    return parts.every((part) => part.of(card, own) !== null) ? 'label' : null;
  };
  return {
    term,
    count:
      lists.reduce((sum, { groups, list }) => sum + countOf(groups, list), 0) +
      texts.reduce((sum, { key }) => sum + countAtMost(grams, key), 0) +
      (rarestPart?.count ?? 0),
    lists,
    texts,
    parts: rarestPart,
    of: readAs,
  };
}

/** The numbers that a term may spell: as typed, whatever its zeros and region, or the end of a longer number. */
function numbersOf({ numbers }: CardTables, { number }: Term): Set<number> {
  if (number === null) return new Set();
  const tail = number.tail === null ? undefined : numbers.tails.get(number.tail);
  return new Set([
    ...numbersWithRuns(numbers, number.runs),
    ...(number.total === null ? numbersJoined(numbers, number.joined) : []),
    ...number.regional.flatMap((runs) => numbersWithRuns(numbers, runs)),
    ...(tail === undefined ? [] : membersOf(numbers.ofTail, tail)),
  ]);
}

interface SoughtText {
  readonly key: string;
  readonly kinds: number;
}

function soughtTexts({ key, loose, sound }: Term, isLoose: boolean): SoughtText[] {
  const texts: SoughtText[] = [{ key, kinds: OWN }];
  if (!isLoose) return texts;
  if (loose !== '') texts.push({ key: loose, kinds: OWN | FORM.loose });
  if (sound !== null && sound !== '') texts.push({ key: sound, kinds: FORM.sound });
  return texts;
}

function holds({ text, kinds }: CardText, sought: SoughtText): boolean {
  return (kinds & sought.kinds) !== 0 && text.includes(sought.key);
}

function countOf({ offsets }: Grouped, groups: readonly number[]): number {
  let count = 0;
  for (const group of groups) count += (offsets[group + 1] ?? 0) - (offsets[group] ?? 0);
  return count;
}
