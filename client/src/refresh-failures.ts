import { retryAfterOf } from './errors.ts';
import { ApprovalNeededError } from './local-errors.ts';

/** The next refresh waits this long if the caller has a valid token or the failure is final. */
const COOLDOWN_MS = 30_000;
/** A longer `Retry-After` may be wrong. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** Bounds memory. A forgotten failure costs one request. */
const REMEMBERED_MAX = 1_000;

export interface RecentFailure {
  readonly error: unknown;
  /**
   * True when the next call should also fail with `error`, because a retry cannot succeed or
   * `Retry-After` has not passed.
   */
  readonly isFinal: boolean;
}

interface Failure {
  readonly at: number;
  readonly refreshToken: string | null;
  readonly error: unknown;
}

/** Remembers recent refresh failures by store key. */
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

/** Sets an entry as the newest, and removes the oldest beyond {@link REMEMBERED_MAX}. */
export function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}
