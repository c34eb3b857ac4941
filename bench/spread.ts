/** How long things took, in milliseconds. */
export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/** The spread of durations; `p99` is what 99 of 100 stay within. */
export function spreadOf(durationsMs: readonly number[]): Spread {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), worst: sorted.at(-1) ?? 0 };
}

/** A spread in words. */
export function tellSpread({ count, p50, p99, worst }: Spread): string {
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, worst ${worst.toFixed(1)} ms (${count})`;
}
