import { isLatin } from './name-key.ts';

/** Limits texts, in UTF-16 units. Names and queries are cut at 256; similar texts are shorter. */
const TEXT_MAX = 256;
/** The cost of a comparison is quadratic in the length, and longer queries are rare. */
export const SIMILAR_MAX = 64;
/**
 * The least letters of a part of a name: four Latin letters with an edit begin too many names, and
 * a kana carries as much information as two Latin letters. Numbers allow no edits.
 */
const PART_LATIN_MIN = 5;
const PART_MIN = 4;
/** An edit changes at most three pairs of letters, in the case of a transposition. */
export const PAIRS_PER_EDIT = 3;

/** All calls reuse these rows, so that 10,000 comparisons allocate nothing. */
const ROWS = Array.from({ length: 3 }, () => new Uint8Array(TEXT_MAX + 1));

/** Returns whether a key may be a part of a name with a typing error. */
export function mayBeMisspelled(key: string): boolean {
  const letters = key.replaceAll(/\d/g, '');
  if (key.length > SIMILAR_MAX) return false;
  return letters.length >= (isLatin(letters) ? PART_LATIN_MIN : PART_MIN);
}

/**
 * Returns the number of edits between two texts: insertions, deletions, substitutions and
 * transpositions of neighbors (optimal string alignment). Returns `max` + 1 for any distance above
 * `max` and for texts above 256 units.
 */
export function editDistance(a: string, b: string, max: number): number {
  const row = Math.abs(a.length - b.length) > max ? null : lastRow(a, b, max);
  return row?.[b.length] ?? max + 1;
}

/** Returns the edit distance between `a` and the nearest beginning of the text at `from` in `b`. */
export function editDistanceToStart(a: string, b: string, from: number, max: number): number {
  const start = b.slice(from, from + a.length + max);
  const row = start.length < a.length - max ? null : lastRow(a, start, max);
  return Math.min(max + 1, ...(row?.subarray(Math.max(0, a.length - max), start.length + 1) ?? []));
}

/** Returns the edit distance to the nearest word start of a text, at most `max` + 1. */
export function editDistanceToWords(
  key: string,
  text: string,
  wordStarts: number,
  max: number,
): number {
  let least = max + 1;
  for (let at = 0, starts = wordStarts; starts !== 0 && least > 1; at++, starts >>>= 1) {
    if ((starts & 1) === 1) least = Math.min(least, editDistanceToStart(key, text, at, max));
  }
  return least;
}

/** Returns the last row of the table, or null if all distances are above `max`. */
function lastRow(a: string, b: string, max: number): Uint8Array | null {
  const [far, width] = [max + 1, b.length];
  if (width > TEXT_MAX) return null;
  let [beforeLast = new Uint8Array(), last = beforeLast, row = beforeLast] = ROWS;
  for (let at = 0; at <= width; at++) last[at] = Math.min(at, far);
  for (let i = 1; i <= a.length; i++) {
    row.fill(far, 0, width + 1);
    if (i <= max) row[0] = i;
    let least = row[0] ?? far;
    // Only a band of width `max` can be within `max` edits.
    for (let j = Math.max(1, i - max); j <= Math.min(width, i + max); j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let edits = (last[j - 1] ?? far) + (isSame ? 0 : 1);
      edits = Math.min(edits, (last[j] ?? far) + 1, (row[j - 1] ?? far) + 1, far);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && i > 1 && j > 1;
      if (isSwapped) edits = Math.min(edits, (beforeLast[j - 2] ?? far) + 1);
      row[j] = edits;
      least = Math.min(least, edits);
    }
    if (least > max) return null;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last;
}
