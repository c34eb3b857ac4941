import { Context } from './context.ts';
import type { Basis, ConformanceTest } from './definition.ts';
import { NotRun, Unmet } from './expect.ts';
import { allTests } from './registry.ts';
import type { Target } from './target.ts';

/** What came of one test. */
export type Outcome =
  | { readonly kind: 'pass' }
  /** `message`: the clause, what was expected, what came; never a secret. */
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'not_run'; readonly why: string };

/** One test's result. */
export interface TestResult {
  readonly id: string;
  readonly clause: string;
  /** What the rule rests on. */
  readonly basis: Basis;
  readonly title: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
}

/** What a caller may choose. */
export interface RunOptions {
  /** Ids of tests, or clauses, of which all tests run. All tests when it is not given. */
  readonly only?: readonly string[];
  /** Only tests that rest on it: `specification` leaves out what the decisions alone say. */
  readonly basis?: Basis;
  /** That of runs before, whose approvals serve again; a new one when it is not given. */
  readonly context?: Context;
  /** Called after each test. */
  readonly onResult?: (result: TestResult) => void;
}

/** Longest time of one test; the slowest waits for a notice and its retry. */
const TEST_TIMEOUT_MS = 60_000;

/** The tests that these ids and clauses name, in the order in which they run: what moves the clock comes last. */
export function chooseTests(only?: readonly string[], basis?: Basis): readonly ConformanceTest[] {
  const wanted = new Set(only ?? []);
  const chosen = allTests.filter(
    (test) =>
      (only === undefined || wanted.has(test.id) || wanted.has(test.clause)) &&
      (basis === undefined || test.basis === basis),
  );
  return [
    ...chosen.filter(({ movesClock }) => !movesClock),
    ...chosen.filter(({ movesClock }) => movesClock),
  ];
}

/** Runs tests against a target, one after the other, and returns what came of each. */
export async function runTests(
  target: Target,
  { only, basis: wantedBasis, context = new Context(target), onResult }: RunOptions = {},
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const test of chooseTests(only, wantedBasis)) {
    const beganAt = performance.now();
    const outcome = await outcomeOf(test, context);
    const { id, clause, basis, title } = test;
    const durationMs = Math.round(performance.now() - beganAt);
    const result = { id, clause, basis, title, outcome, durationMs };
    results.push(result);
    onResult?.(result);
  }
  return results;
}

async function outcomeOf(test: ConformanceTest, context: Context): Promise<Outcome> {
  try {
    await withinTime(test.run(context));
    return { kind: 'pass' };
  } catch (error) {
    const text = context.redact(error instanceof Error ? error.message : String(error));
    if (error instanceof NotRun) return { kind: 'not_run', why: text };
    // A fault is told apart from a rule that does not hold: nothing may have been shown yet.
    const begin = error instanceof Unmet ? '' : 'the test could not be made: ';
    return { kind: 'fail', message: `${test.clause} ${test.title}: ${begin}${text}` };
  }
}

async function withinTime(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`it took more than ${TEST_TIMEOUT_MS / 1000} s`)),
    TEST_TIMEOUT_MS,
  );
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
