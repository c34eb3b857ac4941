import type { CardTables } from './card-tables.ts';
import { gramsOf, postingsOf } from './gram-table.ts';
import { firstNot } from './grouped.ts';

/** How many texts one walk reads at most: about 1 ms. Only keys whose pairs many names hold apart come near. */
const TEXTS_MAX = 10_000;
/** After so many texts a walk ends as soon as a page is full of hits of any kind: what is left are long names. */
const TEXTS_ENOUGH = 3_000;
/** How many lists of pairs are compared before a text is read: the rarest ones tell nearly all there is to tell. */
const LISTS_MAX = 5;
/** A list this many times as long as the rarest is searched rather than walked. */
const GALLOP_RATIO = 16;

/**
 * Walks the texts of the wanted kinds that hold all keys, the shortest first. `visit` answers whether a page is full
 * by now, or null when nothing more is wanted; then, or at a bound, the walk ends and answers false.
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
  // A text in the list of a pair holds that pair; the pairs of a longer key may lie apart in it.
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

/** Answers whether a list holds a number; it is asked for ascending numbers only. */
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
    at += firstNot(rest, (place) => (list[at + place] ?? 0) < number);
    return list[at] === number;
  };
}
