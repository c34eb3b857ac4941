import { retryAfterOf } from './errors.ts';
import { RETRY_AFTER_SPREAD } from './retry.ts';

/**
 * The wait after the first failure, doubled after each further one up to `pollEveryMs`. The calls
 * were already retried.
 */
const FIRST_FAILURE_WAIT_MS = 5_000;

/** The shortest wait after a failure, even if a notice comes: notices may come by the dozen. */
const FAILURE_WAIT_MS_MIN = 1_000;

/**
 * One hour. A longer `Retry-After` is cut to this, because a misconfigured proxy may have sent it.
 */
const RETRY_AFTER_MS_MAX = 3_600_000;

/** How long a follower waits after a failure, in milliseconds. */
export interface FollowerBackoff {
  /** A notice does not shorten this part. */
  readonly minimumMs: number;
  /** Includes `minimumMs`. */
  readonly totalMs: number;
}

/**
 * The wait after this many failures in a row. It is random within the upper half of a bound that
 * doubles up to `pollEveryMs`, and at least `Retry-After`, up to one hour.
 */
export function backoffAfterFailure(
  error: unknown,
  failures: number,
  pollEveryMs: number,
  random: () => number = Math.random,
): FollowerBackoff {
  const boundMs = Math.min(pollEveryMs, FIRST_FAILURE_WAIT_MS * 2 ** (failures - 1));
  const retryAfterMs = Math.min(retryAfterOf(error) ?? 0, RETRY_AFTER_MS_MAX);
  const requestedMs = retryAfterMs * (1 + RETRY_AFTER_SPREAD * random());
  const minimumMs = Math.max(Math.min(FAILURE_WAIT_MS_MIN, pollEveryMs), requestedMs);
  return { minimumMs, totalMs: Math.max(boundMs * (0.5 + 0.5 * random()), minimumMs) };
}
