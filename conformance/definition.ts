import type { Context } from './context.ts';

/** The source of a rule: the specification, or a decision if the specification says "not shown". */
export type Basis = 'specification' | 'decision';

/** One test of one rule. */
export interface ConformanceTest {
  /** A unique id that begins with the clause: `4.8-search-length`. */
  readonly id: string;
  /**
   * The clause of the specification (`4.8`), or the decision (`D6`) where the specification says
   * "not shown".
   */
  readonly clause: string;
  readonly basis: Basis;
  /** A statement that is true of every conforming service. */
  readonly title: string;
  /** True when the test moves the target's clock. Such tests run last. */
  readonly movesClock: boolean;
  /**
   * Throws `RuleViolation` when the rule is violated, and `NotRun` when the rule cannot be tested
   * on this target.
   */
  readonly run: (context: Context) => Promise<void>;
}

/** Creates one test of a clause. */
export type CreateTest = (
  name: string,
  title: string,
  run: (context: Context) => Promise<void>,
  options?: { readonly movesClock?: boolean },
) => ConformanceTest;

/** Returns a function that creates tests of this clause. Clauses that begin with D are decisions. */
export function testFactory(clause: string): CreateTest {
  return (name, title, run, options = {}) => ({
    id: `${clause}-${name}`,
    clause,
    basis: clause.startsWith('D') ? 'decision' : 'specification',
    title,
    movesClock: options.movesClock ?? false,
    run,
  });
}
