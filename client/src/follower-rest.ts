import { retryAfterOf } from './errors.ts';
import { RETRY_AFTER_SPREAD } from './retry.ts';

/** The wait after the first failure, doubled for each further one up to `pollEveryMs`. The calls have been retried by then. */
const FIRST_FAILURE_WAIT_MS = 5_000;

/** A notice is no reason to try sooner than so after a failure: notices may come by the dozen. */
const FAILURE_PACE_MS = 1_000;

/** An hour: a service that asks to be left alone longer is asked again by then, because the header may be a proxy's. */
const RETRY_AFTER_MS_MAX = 3_600_000;

/** How long a follower rests after a failure, in milliseconds. */
export interface FailureRest {
  /** Not even a notice ends this part. */
  readonly paceMs: number;
  /** With the first part. */
  readonly totalMs: number;
}

/**
 * The rest after so many failures in a row: a random upper half of a bound that doubles up to `pollEveryMs`, and never less
 * than the service asks for (`Retry-After`), up to an hour.
 */
export function restAfterFailure(
  error: unknown,
  failures: number,
  pollEveryMs: number,
  random: () => number = Math.random,
): FailureRest {
  const boundMs = Math.min(pollEveryMs, FIRST_FAILURE_WAIT_MS * 2 ** (failures - 1));
  const retryAfterMs = Math.min(retryAfterOf(error) ?? 0, RETRY_AFTER_MS_MAX);
  const askedMs = retryAfterMs * (1 + RETRY_AFTER_SPREAD * random());
  const paceMs = Math.max(Math.min(FAILURE_PACE_MS, pollEveryMs), askedMs);
  return { paceMs, totalMs: Math.max(boundMs * (0.5 + 0.5 * random()), paceMs) };
}
