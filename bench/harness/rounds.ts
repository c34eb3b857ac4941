/** The counts measured in one round. */
export interface Sample {
  readonly count: number;
  readonly seconds: number;
  /** CPU time of the measured process during the round. Null if it was not measured. */
  readonly cpuMs: number | null;
}

/** The results of all rounds of the baseline or the service. */
export interface Rates {
  /** Operations per second: the median of the rounds. */
  readonly rate: number;
  /** (Maximum - minimum) / median. */
  readonly spread: number;
  /** CPU time per operation in microseconds: the median of the rounds. */
  readonly cpuMicroseconds: number | null;
}

/** The baseline and the service, measured in alternating rounds. */
export interface Comparison {
  readonly limit: Rates;
  readonly ours: Rates;
  /**
   * The ratio of service to baseline. It is the median of the ratios per round, because a slow
   * minute affects both sides of a round.
   */
  readonly ratio: number;
}

/**
 * Measures the baseline and the service alternately, so that changes in the machine's speed affect
 * both equally.
 */
export async function interleave(
  rounds: number,
  measureLimit: () => Promise<Sample>,
  measureOurs: () => Promise<Sample>,
): Promise<Comparison> {
  const limits: Sample[] = [];
  const ours: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    limits.push(await measureLimit());
    ours.push(await measureOurs());
  }
  return compareRounds(limits, ours);
}

/** Compares samples that were measured alternately, one of each per round. */
export function compareRounds(limits: readonly Sample[], ours: readonly Sample[]): Comparison {
  const ratios = ours.map((sample, round) => rateOf(sample) / rateOf(limits[round]));
  return { limit: ratesOf(limits), ours: ratesOf(ours), ratio: medianOf(ratios) };
}

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

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
