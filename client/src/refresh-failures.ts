import { retryAfterOf } from './errors.ts';
import { ApprovalNeededError } from './local-errors.ts';

/** How long no refresh is tried if the failure is final or the access token is still valid. */
const COOLDOWN_MS = 30_000;
/** One hour. A `Retry-After` that is longer is probably a mistake. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** The maximum number of remembered failures. Forgetting a failure costs only one request. */
const REMEMBERED_MAX = 1_000;

export interface RecentFailure {
  readonly error: unknown;
  /** The next call should fail too: a retry cannot succeed, or `Retry-After` has not passed. */
  readonly isFinal: boolean;
}

interface Failure {
  readonly at: number;
  readonly refreshToken: string | null;
  readonly error: unknown;
}

export class RefreshFailures {
  readonly #now: () => number;
  readonly #failures = new Map<string, Failure>();

  constructor(now: () => number) {
    this.#now = now;
  }

  remember(key: string, refreshToken: string | null, error: unknown): void {
    rememberEntry(this.#failures, key, { at: this.#now(), refreshToken, error });
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Returns the failure of this refresh token in the last 30 s, or within its `Retry-After`. */
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

/** Sets an entry, makes it the newest, and removes the oldest beyond {@link REMEMBERED_MAX}. */
export function rememberEntry<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}
