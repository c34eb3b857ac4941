import type { QueryNumber } from './card-number.ts';
import { type CardTables, NUMBER, numberOfCard } from './card-tables.ts';
import { type Budget, gramsOf } from './gram-index.ts';
import type { SCORE } from './score.ts';
import type { Search } from './search.ts';

export type NumberMatch = Extract<keyof typeof SCORE, `number${string}`>;

/** Returns how a card's number matches that of a query, or null if it does not. */
export function matchNumber(
  tables: CardTables,
  card: number,
  query: QueryNumber,
): NumberMatch | null {
  const { joined, runs, regionless, total } = numberOfCard(tables, card);
  const { whole } = query;
  if (whole !== null && (joined === whole.joined || runs === whole.runs)) return 'numberAsTyped';
  const isSame = joined === query.joined || runs === query.runs;
  const isOfSet = tables.setCodes[tables.setOfCard[card] ?? 0] === query.total;
  if (query.total !== null && total !== query.total && !isOfSet) {
    const isTotalStart = isSame && total.slice(1).startsWith(query.total.slice(1));
    return isTotalStart ? 'numberUnfinished' : null;
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

/** Visits the cards with a longer number that ends in that of a query, until false. */
export function visitNumberEnds(
  { numbers }: CardTables,
  { runs }: QueryNumber,
  budget: Budget,
  visit: (card: number) => boolean,
): void {
  const end = ` ${runs}`;
  numbers.visitContaining(
    [end],
    NUMBER.runs,
    budget,
    (text, number) => !text.endsWith(end) || numbers.visitOwners(number, NUMBER.runs, visit),
  );
}

/** Returns about how many cards `visitNumber` and `visitNumberEnds` visit. */
export function countOfNumber({ tables }: Search, number: QueryNumber): number {
  const { ids, numbers } = tables;
  let count = 0;
  visitNumber(tables, number, () => count++);
  const ends = numbers.grams.countAtMost(gramsOf(` ${number.runs}`));
  return count + ends * Math.ceil(ids.size / Math.max(1, numbers.texts.length));
}
