import { Context } from './context.ts';
import type { Basis, ConformanceTest } from './definition.ts';
import { NotRun, RuleViolation } from './expect.ts';
import { allTests } from './registry.ts';
import type { Target } from './target.ts';

/** The outcome of one test. */
export type Outcome =
  | { readonly kind: 'pass' }
  /** `message` has the clause, the expected and the actual value, and never a secret. */
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'not_run'; readonly why: string };

export interface TestResult {
  readonly id: string;
  readonly clause: string;
  /** The source of the rule. */
  readonly basis: Basis;
  readonly title: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
}

export interface RunOptions {
  /** Ids of tests, or clauses with all their tests. Defaults to all tests. */
  readonly only?: readonly string[];
  /** `specification` omits the rules that only the decisions state. Defaults to all rules. */
  readonly basis?: Basis;
  /** The context of an earlier run, whose approvals are reused. Defaults to a new one. */
  readonly context?: Context;
  /** Called after each test. */
  readonly onResult?: (result: TestResult) => void;
}

/** The time limit of one test. The slowest test waits for a notice and its retry. */
const TEST_TIMEOUT_MS = 60_000;

/**
 * Selects tests by id and clause, in the order in which they run: tests that move the clock come
 * last.
 */
export function chooseTests(only?: readonly string[], basis?: Basis): readonly ConformanceTest[] {
  const selected = new Set(only ?? []);
  const chosen = allTests.filter(
    (test) =>
      (only === undefined || selected.has(test.id) || selected.has(test.clause)) &&
      (basis === undefined || test.basis === basis),
  );
  return [
    ...chosen.filter(({ movesClock }) => !movesClock),
    ...chosen.filter(({ movesClock }) => movesClock),
  ];
}

/** Runs tests one after the other and returns their results. */
export async function runTests(
  target: Target,
  { only, basis: selectedBasis, context = new Context(target), onResult }: RunOptions = {},
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const test of chooseTests(only, selectedBasis)) {
    const beganAt = performance.now();
    const outcome = await runTest(test, context);
    const { id, clause, basis, title } = test;
    const durationMs = Math.round(performance.now() - beganAt);
    const result = { id, clause, basis, title, outcome, durationMs };
    results.push(result);
    onResult?.(result);
  }
  return results;
}

async function runTest(test: ConformanceTest, context: Context): Promise<Outcome> {
  try {
    await withTimeout(test.run(context));
    return { kind: 'pass' };
  } catch (error) {
    const text = context.redact(error instanceof Error ? error.message : String(error));
    if (error instanceof NotRun) return { kind: 'not_run', why: text };
    // An unexpected error does not prove that the target violates the rule.
    const begin = error instanceof RuleViolation ? '' : 'the test failed to run: ';
    return { kind: 'fail', message: `${test.clause} ${test.title}: ${begin}${text}` };
  }
}

async function withTimeout(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`the test took more than ${TEST_TIMEOUT_MS / 1000} s`)),
    TEST_TIMEOUT_MS,
  );
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
