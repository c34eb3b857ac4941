import { isLatin } from './name-key.ts';

const TEXT_MAX = 256;
/** Longer queries are rare and are not compared, because the cost is quadratic in the length. */
export const SIMILAR_MAX = 64;
/** Four Latin letters with one edit would match too many names. Digits do not count. */
const PART_LATIN_MIN = 5;
const PART_MIN = 4;
/** One edit changes at most three pairs of letters (a transposition changes three). */
export const PAIRS_PER_EDIT = 3;

/** All calls reuse these rows, so that 10,000 comparisons allocate nothing. */
const ROWS = Array.from({ length: 3 }, () => new Uint8Array(TEXT_MAX + 1));

export function mayBeMisspelled(key: string): boolean {
  const letters = key.replaceAll(/\d/g, '');
  if (key.length > SIMILAR_MAX) return false;
  return letters.length >= (isLatin(letters) ? PART_LATIN_MIN : PART_MIN);
}

/** Returns the number of edits (optimal string alignment), or `max` + 1 if there are more. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  return lastRow(a, b, { from: 0, width: b.length }, max)?.[b.length] ?? max + 1;
}

/** Returns the least number of edits between `a` and any part of `b` that starts at `from`. */
export function editDistanceToStart(a: string, b: string, from: number, max: number): number {
  const width = Math.min(b.length - from, a.length + max);
  const row = width < a.length - max ? null : lastRow(a, b, { from, width }, max);
  let least = max + 1;
  for (let at = Math.max(0, a.length - max); row !== null && at <= width; at++) {
    least = Math.min(least, row[at] ?? least);
  }
  return least;
}

/** Returns the least number of edits between `a` and any part of `b` at a word start. */
export function editDistanceToWords(a: string, b: string, wordStarts: number, max: number): number {
  let least = max + 1;
  for (let at = 0, starts = wordStarts; starts !== 0 && least > 1; at++, starts >>>= 1) {
    if ((starts & 1) === 1) least = Math.min(least, editDistanceToStart(a, b, at, max));
  }
  return least;
}

/** Returns the last row of the distance table, or null if all distances exceed `max`. */
function lastRow(
  a: string,
  b: string,
  { from, width }: { readonly from: number; readonly width: number },
  max: number,
): Uint8Array | null {
  const far = max + 1;
  if (width > TEXT_MAX) return null;
  let [beforeLast = new Uint8Array(), last = beforeLast, row = beforeLast] = ROWS;
  for (let at = 0; at <= width; at++) last[at] = Math.min(at, far);
  for (let i = 1; i <= a.length; i++) {
    row.fill(far, 0, width + 1);
    if (i <= max) row[0] = i;
    let least = row[0] ?? far;
    const letter = a.charCodeAt(i - 1);
    // Cells further than `max` from the diagonal need more than `max` edits.
    for (let j = Math.max(1, i - max); j <= Math.min(width, i + max); j++) {
      const other = b.charCodeAt(from + j - 1);
      let edits = (last[j - 1] ?? far) + (letter === other ? 0 : 1);
      edits = Math.min(edits, (last[j] ?? far) + 1, (row[j - 1] ?? far) + 1, far);
      const isSwapped = letter === b.charCodeAt(from + j - 2) && other === a.charCodeAt(i - 2);
      if (isSwapped && i > 1 && j > 1) edits = Math.min(edits, (beforeLast[j - 2] ?? far) + 1);
      row[j] = edits;
      if (edits < least) least = edits;
    }
    if (least > max) return null;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last;
}
