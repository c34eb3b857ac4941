import type { Context } from './context.ts';

/** What a rule rests on: the specification's own words, or a decision where it says "not shown". */
export type Basis = 'specification' | 'decision';

/** One test of one rule. */
export interface ConformanceTest {
  /** Unique, begins with the clause: `4.8-search-length`. */
  readonly id: string;
  /** The clause of the specification (`4.8`), or of the decisions (`D6`) where the specification says "not shown". */
  readonly clause: string;
  readonly basis: Basis;
  /** A sentence that holds for whoever conforms. */
  readonly title: string;
  /** True when the test moves the target's clock: it runs after all others. */
  readonly movesClock: boolean;
  /** Throws `Unmet` when the rule does not hold, `NotRun` when this target cannot show it. */
  readonly run: (context: Context) => Promise<void>;
}

/** What a test of a clause file is written with. */
export type WriteTest = (
  name: string,
  title: string,
  run: (context: Context) => Promise<void>,
  options?: { readonly movesClock?: boolean },
) => ConformanceTest;

/** Writes tests of one clause. Clauses that begin with D are decisions. */
export function testsOf(clause: string): WriteTest {
  return (name, title, run, options = {}) => ({
    id: `${clause}-${name}`,
    clause,
    basis: clause.startsWith('D') ? 'decision' : 'specification',
    title,
    movesClock: options.movesClock ?? false,
    run,
  });
}
