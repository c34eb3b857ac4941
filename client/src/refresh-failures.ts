import { retryAfterOf } from './errors.ts';
import { ApprovalNeededError } from './local-errors.ts';

/** For so long a refresh that has failed is not tried again while something else can be done or said at once. */
const REST_MS = 30_000;
/** A service that asks to be left alone is, and for this long at most, in milliseconds: a header may be wrong. */
const ASKED_REST_MS_MAX = 3_600_000;
/** What is remembered: of as many shops at once. Forgetting one costs a request. */
const REMEMBERED_MAX = 1_000;

/** A failure of a moment ago. */
export interface RecentFailure {
  readonly error: unknown;
  /** Whether it is the answer to the next call too: nothing would be won, or the service asks not to be asked yet. */
  readonly isFinal: boolean;
}

interface Failure {
  readonly at: number;
  readonly refreshToken: string | null;
  readonly error: unknown;
}

/** How the refreshes of some shops have failed of late. */
export class RefreshFailures {
  readonly #now: () => number;
  readonly #failures = new Map<string, Failure>();

  constructor(now: () => number) {
    this.#now = now;
  }

  remember(key: string, refreshToken: string | null, error: unknown): void {
    setBounded(this.#failures, key, { at: this.#now(), refreshToken, error });
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** How the refresh with this token has failed within half a minute, or while the service asks to be left alone. */
  recent(key: string, refreshToken: string | null): RecentFailure | undefined {
    const failure = this.#failures.get(key);
    if (failure === undefined || failure.refreshToken !== refreshToken) return undefined;
    const { at, error } = failure;
    const age = this.#now() - at;
    const askedMs = Math.min(retryAfterOf(error) ?? 0, ASKED_REST_MS_MAX);
    if (age < 0 || age >= Math.max(REST_MS, askedMs)) return undefined;
    return { error, isFinal: age < askedMs || error instanceof ApprovalNeededError };
  }
}

/** As the newest of at most {@link REMEMBERED_MAX}. */
export function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}
