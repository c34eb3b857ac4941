import type { Bench } from './harness/bench.ts';
import type { Comparison } from './harness/rounds.ts';

/** One line of the table: a measured value, and its baseline if there is one. */
export interface Figure {
  /** The conditions, such as `1,000 tokens, 100 shops`. */
  readonly what: string;
  /** The unit of `limit` and `ours`, such as `requests/s` or `ms`. */
  readonly unit: string;
  /** The value of the baseline, measured in the same run. Null without a baseline. */
  readonly limit: number | null;
  readonly ours: number;
  /** The ratio of the service to the baseline, or to the reference that `what` describes. */
  readonly ratio: number | null;
  /** (Maximum - minimum) / median of the rounds, which shows how noisy the machine is. */
  readonly limitSpread: number | null;
  readonly oursSpread: number | null;
  /** User and system time of the measured process per operation, in microseconds. */
  readonly cpuMicroseconds: number | null;
  readonly limitCpuMicroseconds: number | null;
  /** Peak resident memory of the service, in MB. */
  readonly memoryMb: number | null;
  /** The target to reach. Null for a figure without a target. */
  readonly target: Target | null;
  readonly notes?: string;
}

/** The target of a figure. A missed target is marked and does not fail the run. */
export interface Target {
  /** The condition as text, such as `ratio ≥ 0.50`. */
  readonly text: string;
  readonly isMet: boolean;
}

export interface Scenario {
  /** The name of the scenario on the command line. */
  readonly name: string;
  /** The number of the target, `T1` to `T11`, or a word. */
  readonly target: string;
  readonly title: string;
  /** True if the scenario runs only when it is named. */
  readonly isOnlyNamed?: boolean;
  run(bench: Bench): Promise<readonly Figure[]>;
}

/** Returns a figure with these members. All other members are null. */
export function makeFigure(
  known: Pick<Figure, 'what' | 'unit' | 'ours'> & Partial<Omit<Figure, 'what' | 'unit' | 'ours'>>,
): Figure {
  return {
    limit: null,
    ratio: null,
    limitSpread: null,
    oursSpread: null,
    cpuMicroseconds: null,
    limitCpuMicroseconds: null,
    memoryMb: null,
    target: null,
    ...known,
  };
}

/** Returns the members of a figure from alternating rounds of baseline and service. */
export function figuresOf({
  limit,
  ours,
  ratio,
}: Comparison): Omit<Figure, 'what' | 'unit' | 'memoryMb' | 'target'> {
  return {
    limit: limit.rate,
    ours: ours.rate,
    ratio,
    limitSpread: limit.spread,
    oursSpread: ours.spread,
    cpuMicroseconds: ours.cpuMicroseconds,
    limitCpuMicroseconds: limit.cpuMicroseconds,
  };
}

/** Returns a target that is reached if the ratio is at least `least`. */
export function ratioAtLeast(least: number, ratio: number): Target {
  return { text: `ratio ≥ ${least.toFixed(2)}`, isMet: ratio >= least };
}

/** Returns a target that is reached if the value is at most `most`. */
export function atMost(most: number, value: number, unit: string): Target {
  return { text: `≤ ${most} ${unit}`, isMet: value <= most };
}
