import type { Basis } from './definition.ts';
import type { TestResult } from './run.ts';

/** The result of a run as JSON. */
export interface Report {
  /** The version of this format. Later members may be added. */
  readonly version: 1;
  readonly name: string;
  readonly target: string;
  /** When the run ended (ISO 8601, UTC). */
  readonly date: string;
  readonly totals: {
    readonly pass: number;
    readonly fail: number;
    readonly not_run: number;
    readonly durationMs: number;
  };
  readonly results: readonly ReportedResult[];
}

/**
 * The result of one test. `message` has the expected and the actual value; `why` says what the
 * target lacks.
 */
export interface ReportedResult {
  readonly id: string;
  readonly clause: string;
  readonly basis: Basis;
  readonly title: string;
  readonly result: 'pass' | 'fail' | 'not_run';
  readonly message?: string;
  readonly why?: string;
  readonly durationMs: number;
}

export function createReport(target: string, results: readonly TestResult[], now: Date): Report {
  const count = (kind: string): number =>
    results.filter(({ outcome }) => outcome.kind === kind).length;
  const durationMs = results.reduce((total, result) => total + result.durationMs, 0);
  return {
    version: 1,
    name: 'Partner API conformance',
    target,
    date: now.toISOString(),
    totals: { pass: count('pass'), fail: count('fail'), not_run: count('not_run'), durationMs },
    results: results.map(({ id, clause, basis, title, outcome, durationMs: ms }) => {
      const { kind, ...more } = outcome;
      return { id, clause, basis, title, result: kind, ...more, durationMs: ms };
    }),
  };
}

/** Formats the result of one test as a line of text. */
export function formatResult({ id, title, outcome, durationMs }: TestResult): string {
  switch (outcome.kind) {
    case 'pass':
      return `ok       ${id} (${durationMs} ms)`;
    case 'fail':
      return `FAIL     ${id}: ${title}\n         ${outcome.message}`;
    case 'not_run':
      return `not run  ${id}: ${outcome.why}`;
  }
}
