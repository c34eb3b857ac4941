/** What one round counted. */
export interface Sample {
  readonly count: number;
  readonly seconds: number;
  /** CPU time of the measured process meanwhile; null when nobody looked. */
  readonly cpuMs: number | null;
}

/** The rounds of one side. */
export interface Rates {
  /** Of a second, the median of the rounds. */
  readonly rate: number;
  /** (Most - least) / median. */
  readonly spread: number;
  /** CPU time for one, in microseconds, the median of the rounds. */
  readonly cpuMicroseconds: number | null;
}

/** Both sides of rounds that took turns. */
export interface Compared {
  readonly limit: Rates;
  readonly ours: Rates;
  /** Ours of the limit: the median of the rounds' own ratios, so that a slow minute weighs on both. */
  readonly ratio: number;
}

/** Measures the limit and ours in turns, so that both see the same machine. */
export async function interleave(
  rounds: number,
  measureLimit: () => Promise<Sample>,
  measureOurs: () => Promise<Sample>,
): Promise<Compared> {
  const limits: Sample[] = [];
  const ours: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    limits.push(await measureLimit());
    ours.push(await measureOurs());
  }
  const ratios = ours.map((sample, round) => rateOf(sample) / rateOf(limits[round]));
  return { limit: ratesOf(limits), ours: ratesOf(ours), ratio: medianOf(ratios) };
}

/** The rates of some rounds. */
export function ratesOf(samples: readonly Sample[]): Rates {
  const rates = samples.map(rateOf);
  const costs = samples.flatMap(({ count, cpuMs }) =>
    cpuMs === null ? [] : [(cpuMs * 1_000) / Math.max(1, count)],
  );
  const rate = medianOf(rates);
  return {
    rate,
    spread: (Math.max(...rates) - Math.min(...rates)) / rate,
    cpuMicroseconds: costs.length === 0 ? null : medianOf(costs),
  };
}

function rateOf(sample: Sample | undefined): number {
  return sample === undefined ? 0 : sample.count / sample.seconds;
}

/** The middle of some numbers, NaN of none. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
