export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/** Returns the distribution of durations. `p99` is the time within which 99 % complete. */
export function spreadOf(durationsMs: readonly number[]): Spread {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), worst: sorted.at(-1) ?? 0 };
}

export function formatSpread({ count, p50, p99, worst }: Spread): string {
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, worst ${worst.toFixed(1)} ms (${count})`;
}
