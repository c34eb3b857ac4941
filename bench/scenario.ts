import type { Bench } from './harness/bench.ts';
import type { Compared } from './harness/rounds.ts';

/** One line of the table: a thing measured, beside its limit where it has one. */
export interface Figure {
  /** Under which conditions, such as `1,000 tokens, 100 shops`. */
  readonly what: string;
  /** Of `limit` and `ours`, such as `requests/s` or `ms`. */
  readonly unit: string;
  /** What was there to reach in the same run; null where there is nothing to compare with. */
  readonly limit: number | null;
  readonly ours: number;
  /** Ours of the limit, or of what `what` names. */
  readonly ratio: number | null;
  /** (Most - least) / median of the rounds: the noise of the machine. */
  readonly limitSpread: number | null;
  readonly oursSpread: number | null;
  /** User and system time of the measured process for one of what is counted, in microseconds. */
  readonly cpuMicroseconds: number | null;
  readonly limitCpuMicroseconds: number | null;
  /** Highest resident memory of our process, in MB. */
  readonly memoryMb: number | null;
  /** Null: reported only. */
  readonly target: Target | null;
  readonly notes?: string;
}

/** What a figure ought to be. A missed one is marked, never a failure of the run. */
export interface Target {
  /** Such as `ratio ≥ 0.50`. */
  readonly text: string;
  readonly isMet: boolean;
}

/** One thing that is measured. */
export interface Scenario {
  /** As it is named on the command line. */
  readonly name: string;
  /** The target's number, `T1` to `T11`, or a word. */
  readonly target: string;
  readonly title: string;
  /** True: runs only when it is named. */
  readonly isOnlyNamed?: boolean;
  run(bench: Bench): Promise<readonly Figure[]>;
}

/** A figure with nothing known of it but what is given. */
export function figure(
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

/** What rounds of limit and ours have shown, as the members of a figure. */
export function figuresOf({
  limit,
  ours,
  ratio,
}: Compared): Omit<Figure, 'what' | 'unit' | 'memoryMb' | 'target'> {
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

/** A target by a ratio that should be at least `least`. */
export function ratioOfAtLeast(least: number, ratio: number): Target {
  return { text: `ratio ≥ ${least.toFixed(2)}`, isMet: ratio >= least };
}

/** A target by a value that should be at most `most`. */
export function atMost(most: number, value: number, unit: string): Target {
  return { text: `≤ ${most} ${unit}`, isMet: value <= most };
}
