import type { CardTables } from './card-tables.ts';
import { gramsOf, postingsOf } from './gram-table.ts';

/** How many texts one walk reads at most: about 2 ms. Only pairs of letters that a tenth of all names hold come near. */
const TEXTS_MAX = 20_000;
/** After so many texts a walk ends as soon as it has found a page of any kind: what is left are long names. */
const TEXTS_ENOUGH = 5_000;
/** A list this many times as long as the other is searched rather than walked. */
const GALLOP_RATIO = 16;

/** A page of hits at most (specification 4.8). */
const PAGE = 25;

/**
 * Walks the texts of the wanted kinds that hold a key, the shortest first. `visit` answers how many hits there are by
 * now, or null when nothing more is wanted; then, or at a bound, the walk ends and answers false.
 */
export function scanTexts(
  { forms, grams }: CardTables,
  key: string,
  kinds: number,
  visit: (form: number) => number | null,
): boolean {
  const lists: Uint32Array[] = [];
  for (const gram of gramsOf(key)) {
    const slot = grams.slots.find(gram);
    if (slot < 0) return true;
    lists.push(postingsOf(grams, slot));
  }
  lists.sort((a, b) => a.length - b.length);
  const [rarest, second] = lists;
  if (rarest === undefined) return true;
  const isWalked = second !== undefined && second.length <= rarest.length * GALLOP_RATIO;
  // A text in the list of a pair holds that pair; the pairs of a longer key may lie apart in it.
  const isLong = key.length > 2;
  let at = 0;
  let read = 0;
  for (const form of rarest) {
    if (isWalked) {
      while (at < second.length && (second[at] ?? 0) < form) at++;
      if (at === second.length) return true;
      if (second[at] !== form) continue;
    }
    if (((forms.kinds[form] ?? 0) & kinds) === 0) continue;
    if (++read > TEXTS_MAX) return false;
    if (isLong && forms.texts[form]?.includes(key) !== true) continue;
    const hits = visit(form);
    if (hits === null || (hits >= PAGE && read > TEXTS_ENOUGH)) return false;
  }
  return true;
}
