import type { QueryNumber } from './card-number.ts';
import { type CardTables, LABEL, NUMBER, numberOfCard } from './card-tables.ts';
import { gramsOf } from './gram-index.ts';
import { isLatin } from './name-key.ts';
import type { Term } from './query.ts';
import { FIT, type SCORE } from './score.ts';
import type { Search } from './search.ts';

/** A shorter Latin term must match a whole word of a label, not only its start. */
const LABEL_START_MIN = 3;
const LABEL_PART_MIN = 2;

type VisitCard = (card: number) => boolean;
type NumberMatch = Extract<keyof typeof SCORE, `number${string}`> | null;

export function matchNumber(tables: CardTables, card: number, query: QueryNumber): NumberMatch {
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

/** Visits the cards with the number of the query, ignoring zeros, region and total. */
export function visitNumber(tables: CardTables, query: QueryNumber, visit: VisitCard): void {
  const { numbers } = tables;
  const { joined, runs, whole } = query;
  numbers.visitExact(joined, NUMBER.joined, visit);
  numbers.visitExact(runs, NUMBER.runs, visit);
  numbers.visitExact(whole?.joined ?? '', NUMBER.joined, visit);
  numbers.visitExact(whole?.runs ?? '', NUMBER.runs, visit);
}

/** Visits the cards with a longer number that ends with this one, until `visit` returns false. */
export function visitNumberEnds(search: Search, query: QueryNumber, visit: VisitCard): void {
  const { numbers } = search.tables;
  const end = ` ${query.runs}`;
  const visitText = (text: string, number: number): boolean =>
    !text.endsWith(end) || numbers.visitOwners(number, NUMBER.runs, visit);
  numbers.visitContaining([end], NUMBER.runs, search.budget, visitText);
}

/** Estimates how many cards `visitNumber` and `visitNumberEnds` visit. */
export function countOfNumber({ tables }: Search, number: QueryNumber): number {
  const { ids, numbers } = tables;
  let count = 0;
  visitNumber(tables, number, () => ++count > 0);
  const ends = numbers.grams.countAtMost(gramsOf(` ${number.runs}`));
  return count + ends * Math.ceil(ids.size / Math.max(1, numbers.texts.length));
}

/** Returns the `FIT` of each label that the term matches. */
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
