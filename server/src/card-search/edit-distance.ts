/** Limits texts, in UTF-16 units. Names and queries are cut at 256; similar texts are shorter. */
const TEXT_MAX = 256;

/** All calls reuse these rows, so that 10,000 comparisons allocate nothing. */
const rows = [
  new Uint8Array(TEXT_MAX + 1),
  new Uint8Array(TEXT_MAX + 1),
  new Uint8Array(TEXT_MAX + 1),
] as const;

/**
 * Returns the number of edits between two texts: insertions, deletions, substitutions and
 * transpositions of neighbors (optimal string alignment). Returns `max` + 1 for any distance above
 * `max` and for texts above 256 units. Only a band of width `max` is computed.
 */
export function editDistance(a: string, b: string, max: number): number {
  const far = max + 1;
  const width = b.length;
  if (Math.abs(a.length - width) > max || width > TEXT_MAX) return far;
  return lastRow(a, b, { from: 0, width }, max)?.[width] ?? far;
}

/**
 * Returns the edit distance between `a` and the nearest prefix of the text at `from` in `b`. The
 * limits are those of `editDistance`.
 */
export function editDistanceToStart(a: string, b: string, from: number, max: number): number {
  const far = max + 1;
  const width = Math.min(b.length - from, a.length + max);
  if (width < a.length - max || width > TEXT_MAX || !mayStart(a, b, from, max)) return far;
  const row = lastRow(a, b, { from, width }, max);
  if (row === null) return far;
  let least = far;
  for (let at = Math.max(0, a.length - max); at <= width; at++) {
    least = Math.min(least, row[at] ?? far);
  }
  return least;
}

/**
 * Returns false if `max` edits cannot lead from `a` to the text at `from`, because the first `max`
 * + 1 letters of both have none in common. Few words pass this test, so few tables are computed.
 */
function mayStart(a: string, b: string, from: number, max: number): boolean {
  if (a.length <= max) return true;
  for (let i = 0; i <= max; i++) {
    for (let j = from; j <= from + max; j++) if (a.charCodeAt(i) === b.charCodeAt(j)) return true;
  }
  return false;
}

interface Stretch {
  readonly from: number;
  readonly width: number;
}

/** Returns the last row of the table, or null if all distances are above `max`. */
function lastRow(
  a: string,
  b: string,
  { from, width }: Stretch,
  max: number,
): Readonly<Uint8Array> | null {
  const far = max + 1;
  let [beforeLast, last, row] = rows;
  last.fill(far, 0, width + 1);
  for (let at = 0; at <= Math.min(max, width); at++) last[at] = at;
  for (let i = 1; i <= a.length; i++) {
    row.fill(far, 0, width + 1);
    if (i <= max) row[0] = i;
    let least = row[0] ?? far;
    for (let j = Math.max(1, i - max); j <= Math.min(width, i + max); j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(from + j - 1);
      let edits = (last[j - 1] ?? far) + (isSame ? 0 : 1);
      edits = Math.min(edits, (last[j] ?? far) + 1, (row[j - 1] ?? far) + 1);
      const areSwapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(from + j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(from + j - 1);
      if (areSwapped) edits = Math.min(edits, (beforeLast[j - 2] ?? far) + 1);
      row[j] = Math.min(edits, far);
      least = Math.min(least, edits);
    }
    if (least > max) return null;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last;
}
