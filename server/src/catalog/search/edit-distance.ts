/**
 * How many slips lead from one text to another: a letter too many, missing, wrong, or two that changed places (optimal
 * string alignment). Answers `max` + 1 for anything above `max`; only a band of that width is computed.
 */
export function editDistance(a: string, b: string, max: number): number {
  const far = max + 1;
  if (Math.abs(a.length - b.length) > max) return far;
  let beforeLast = new Uint8Array(b.length + 1).fill(far);
  let last = new Uint8Array(b.length + 1).fill(far);
  let row = new Uint8Array(b.length + 1);
  for (let at = 0; at <= Math.min(max, b.length); at++) last[at] = at;
  for (let i = 1; i <= a.length; i++) {
    row.fill(far);
    if (i <= max) row[0] = i;
    let least = row[0] ?? far;
    for (let j = Math.max(1, i - max); j <= Math.min(b.length, i + max); j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let slips = (last[j - 1] ?? far) + (isSame ? 0 : 1);
      slips = Math.min(slips, (last[j] ?? far) + 1, (row[j - 1] ?? far) + 1);
      const areSwapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (areSwapped) slips = Math.min(slips, (beforeLast[j - 2] ?? far) + 1);
      row[j] = Math.min(slips, far);
      least = Math.min(least, slips);
    }
    if (least > max) return far;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length] ?? far, far);
}
