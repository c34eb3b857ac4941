import type { CardTables } from './card-tables.ts';
import { gramsOf, postingsOf } from './gram-table.ts';
import { partitionPoint } from './grouped.ts';

/**
 * Limits a scan to about 1 ms. Only keys whose bigrams occur separately in many names reach this
 * limit.
 */
const TEXTS_MAX = 10_000;
/**
 * After this many texts, a scan ends once a page is full of hits of any kind, because only long
 * names follow.
 */
const TEXTS_ENOUGH = 3_000;
/** Limits the posting lists to intersect. The rarest lists rule out nearly all texts. */
const LISTS_MAX = 5;
/** A list longer than the rarest list by this factor is searched by bisection. */
const GALLOP_RATIO = 16;

/**
 * Visits the texts of the wanted kinds that contain all keys, shortest first. `visit` returns
 * whether a page is full, or null to stop. Returns false if the scan stopped before the end.
 */
export function scanTexts(
  { spellings, grams }: CardTables,
  keys: readonly string[],
  kinds: number,
  visit: (spelling: number) => boolean | null,
): boolean {
  const lists: Uint32Array[] = [];
  for (const gram of new Set(keys.flatMap(gramsOf))) {
    const slot = grams.slots.find(gram);
    if (slot < 0) return true;
    lists.push(postingsOf(grams, slot));
  }
  lists.sort((a, b) => a.length - b.length);
  const [rarest, ...others] = lists.slice(0, LISTS_MAX);
  if (rarest === undefined) return true;
  const readers = others.map((list) => memberReader(list, rarest.length));
  // Being in the posting list of a bigram proves that a text contains a key of two units. A longer
  // key must be compared, because its bigrams may be apart in the text.
  const unproved = keys.filter((key) => key.length > 2 || lists.length > LISTS_MAX);
  let read = 0;
  for (const spelling of rarest) {
    if (((spellings.kinds[spelling] ?? 0) & kinds) === 0) continue;
    if (!readers.every((holds) => holds(spelling))) continue;
    if (++read > TEXTS_MAX) return false;
    const text = spellings.texts[spelling] ?? '';
    if (!unproved.every((key) => text.includes(key))) continue;
    const isPageFull = visit(spelling);
    if (isPageFull === null || (isPageFull && read > TEXTS_ENOUGH)) return false;
  }
  return true;
}

/** Returns a membership test for a sorted list. It must be called with ascending numbers. */
function memberReader(list: Uint32Array, asked: number): (number: number) => boolean {
  let at = 0;
  if (list.length <= asked * GALLOP_RATIO) {
    return (number) => {
      while ((list[at] ?? Number.POSITIVE_INFINITY) < number) at++;
      return list[at] === number;
    };
  }
  return (number) => {
    const rest = list.length - at;
    at += partitionPoint(rest, (place) => (list[at + place] ?? 0) < number);
    return list[at] === number;
  };
}
