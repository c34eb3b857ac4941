import { retryAfterOf } from './errors.ts';
import { RETRY_AFTER_SPREAD } from './retry.ts';

/** The maximum wait after the first failure. The failed call has already been retried. */
const FIRST_FAILURE_WAIT_MS = 5_000;

/** The minimum wait even if notices arrive, because many may arrive in a short time. */
const FAILURE_WAIT_MS_MIN = 1_000;

/** One hour. A misconfigured proxy may have sent a longer `Retry-After`. */
const RETRY_AFTER_MS_MAX = 3_600_000;

export interface FollowerBackoff {
  /** The part of the wait that a notice does not shorten. */
  readonly minimumMs: number;
  /** The complete wait, including `minimumMs`. */
  readonly totalMs: number;
}

/**
 * Returns a random wait between half of a bound and the bound, but at least `Retry-After`, up to
 * one hour. The bound doubles with each consecutive failure, up to `pollEveryMs`.
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
