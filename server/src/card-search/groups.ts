/** Groups of values in two arrays. Group g is `values.slice(offsets[g], offsets[g + 1])`. */
export interface Groups {
  readonly offsets: Uint32Array;
  readonly values: Uint32Array;
}

export function groupBy(groupOf: Uint32Array, values: Uint32Array, size: number): Groups {
  const offsets = new Uint32Array(size + 1);
  for (const group of groupOf) offsets[group + 1] = (offsets[group + 1] ?? 0) + 1;
  for (let group = 0; group < size; group++) {
    offsets[group + 1] = (offsets[group + 1] ?? 0) + (offsets[group] ?? 0);
  }
  const next = offsets.slice();
  const grouped = new Uint32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const group = groupOf[at] ?? 0;
    const to = next[group] ?? 0;
    grouped[to] = values[at] ?? 0;
    next[group] = to + 1;
  }
  return { offsets, values: grouped };
}

export function groupAt({ offsets, values }: Groups, group: number): Uint32Array {
  return values.subarray(offsets[group] ?? 0, offsets[group + 1] ?? 0);
}

/** Returns the first index below `size` for which `isBefore` is false, or `size`. Uses bisection. */
export function partitionPoint(size: number, isBefore: (at: number) => boolean): number {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
