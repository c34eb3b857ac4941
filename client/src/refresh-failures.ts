import { retryAfterOf } from './errors.ts';
import { ApprovalNeededError } from './local-errors.ts';

/**
 * In milliseconds. A failed refresh is not retried for this long if the caller has a token that
 * still works or if the failure is final.
 */
const COOLDOWN_MS = 30_000;
/** In milliseconds. A longer `Retry-After` is cut to this; the header may be wrong. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** Shops remembered at once. Forgetting one costs a request. */
const REMEMBERED_MAX = 1_000;

/** A recent failure. */
export interface RecentFailure {
  readonly error: unknown;
  /**
   * True when the next call should fail with it too: a retry cannot succeed, or `Retry-After` has
   * not passed.
   */
  readonly isFinal: boolean;
}

interface Failure {
  readonly at: number;
  readonly refreshToken: string | null;
  readonly error: unknown;
}

/** The recent refresh failures by shop. */
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

  /** The failure of a refresh with this token within the last 30 s or its `Retry-After`. */
  recent(key: string, refreshToken: string | null): RecentFailure | undefined {
    const failure = this.#failures.get(key);
    if (failure === undefined || failure.refreshToken !== refreshToken) return undefined;
    const { at, error } = failure;
    const age = this.#now() - at;
    const retryAfterMs = Math.min(retryAfterOf(error) ?? 0, RETRY_AFTER_MS_MAX);
    if (age < 0 || age >= Math.max(COOLDOWN_MS, retryAfterMs)) return undefined;
    return { error, isFinal: age < retryAfterMs || error instanceof ApprovalNeededError };
  }
}

/** Sets an entry as the newest, and drops the oldest beyond {@link REMEMBERED_MAX}. */
export function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}
