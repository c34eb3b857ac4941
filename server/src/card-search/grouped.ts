/** Groups of ascending values in two arrays: group g is `values[offsets[g] … offsets[g + 1]]`. */
export interface GroupedValues {
  readonly offsets: Uint32Array;
  readonly values: Uint32Array;
}

export function groupMembers(groupOf: Uint32Array, groups: number): GroupedValues {
  const offsets = new Uint32Array(groups + 1);
  for (const group of groupOf) offsets[group + 1] = (offsets[group + 1] ?? 0) + 1;
  for (let group = 0; group < groups; group++) {
    offsets[group + 1] = (offsets[group + 1] ?? 0) + (offsets[group] ?? 0);
  }
  const next = offsets.slice();
  const values = new Uint32Array(groupOf.length);
  for (let member = 0; member < groupOf.length; member++) {
    const group = groupOf[member] ?? 0;
    const at = next[group] ?? 0;
    values[at] = member;
    next[group] = at + 1;
  }
  return { offsets, values };
}

export function membersOf({ offsets, values }: GroupedValues, group: number): Uint32Array {
  return values.subarray(offsets[group] ?? 0, offsets[group + 1] ?? 0);
}

/** Returns the first index for which `isBefore` is false, or `length`. Uses bisection. */
export function partitionPoint(length: number, isBefore: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
