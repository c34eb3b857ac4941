import type { AnswerHeaders, Signal } from './platform.ts';

/** The bounds of a call's retries (decision 0140). Every call of this package is safe to repeat. */
export interface RetryPolicy {
  /** The number of attempts, including the first; 1 disables retries. */
  readonly triesMax: number;
  /** In milliseconds: the bound of the first random delay. It doubles for each further attempt. */
  readonly firstDelayMs: number;
  /** In milliseconds. The bound never grows beyond this. A longer `Retry-After` still applies. */
  readonly delayMsMax: number;
  /** In milliseconds. No attempt starts later than this after the first. */
  readonly totalMsMax: number;
}

/** A retry that is about to happen, for your log. */
export interface RetryEvent {
  /** The code of the error that caused the retry. */
  readonly code: string;
  /** Status of the response; null when there was none. */
  readonly status: number | null;
  /** `X-Request-Id` of the response; null when there was none. */
  readonly requestId: string | null;
  /** Method and path of the call, without its query; `refresh` for a token refresh. */
  readonly call: string;
  /** The number of attempts made so far. */
  readonly tries: number;
  readonly delayMs: number;
}

/**
 * Survives outages and rate limits of about a minute. With fewer attempts, a restart of the service
 * would raise alarms; with a longer total, a call would block the caller's own queue.
 */
export const DEFAULT_RETRY: RetryPolicy = {
  triesMax: 8,
  firstDelayMs: 500,
  delayMsMax: 20_000,
  totalMsMax: 120_000,
};

/** A member that is undefined also gets its default, so that every bound exists. */
export function retryPolicy(given: Partial<RetryPolicy> = {}): RetryPolicy {
  return {
    triesMax: given.triesMax ?? DEFAULT_RETRY.triesMax,
    firstDelayMs: given.firstDelayMs ?? DEFAULT_RETRY.firstDelayMs,
    delayMsMax: given.delayMsMax ?? DEFAULT_RETRY.delayMsMax,
    totalMsMax: given.totalMsMax ?? DEFAULT_RETRY.totalMsMax,
  };
}

/** The `Retry-After` of a misconfigured proxy must not stop a process for days. */
const RETRY_AFTER_MS_MAX = 24 * 3600 * 1000;

/** Clients add up to this fraction of `Retry-After`, so that they do not retry at the same time. */
export const RETRY_AFTER_SPREAD = 0.2;

/** At most this is added to a short `Retry-After`; less if the policy's delays are shorter. */
const RETRY_AFTER_SPREAD_MS = 500;

/**
 * Returns the delay in milliseconds before attempt `tries + 1`, at least `Retry-After`. Full
 * jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelayMs(
  policy: RetryPolicy,
  tries: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number {
  const bound = Math.min(policy.delayMsMax, policy.firstDelayMs * 2 ** (tries - 1));
  if (retryAfterMs === null) return random() * bound;
  const spread = Math.max(
    Math.min(bound, RETRY_AFTER_SPREAD_MS),
    retryAfterMs * RETRY_AFTER_SPREAD,
  );
  return retryAfterMs + random() * spread;
}

/**
 * Returns the requested delay in milliseconds, or null. Reads `Retry-After` in seconds or as a date
 * (RFC 9110 §10.2.3), or for a 429 the `t` of `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
 */
export function readRetryAfterMs(
  headers: AnswerHeaders,
  status: number,
  now: number,
): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/u.test(text)) return bounded(Number(text) * 1000);
  // An HTTP date begins with the weekday. Date.parse alone would accept `-1` or `1.5`.
  const at = /^[A-Za-z]{3,9},? /u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return bounded(at - now);
  const window = status === 429 ? /;\s*t=(\d{1,9})/u.exec(headers.get('ratelimit') ?? '') : null;
  return window === null ? null : bounded(Number(window[1]) * 1000);
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}

/** Waits for `ms`. Throws the signal's reason if the signal is aborted. */
export async function wait(ms: number, signal?: Signal): Promise<void> {
  throwIfAborted(signal);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    function abort(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      reject(reasonOf(signal));
    }
    signal?.addEventListener('abort', abort);
  });
}

export function throwIfAborted(signal: Signal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal);
}

export function reasonOf(signal: Signal | undefined): Error {
  const reason = signal?.reason;
  return reason instanceof Error ? reason : new AbortedError(reason);
}

/** Thrown for a signal that was aborted with a reason other than an Error. */
class AbortedError extends Error {
  override name = 'AbortError';
  constructor(reason: unknown) {
    super(typeof reason === 'string' ? reason : 'aborted');
  }
}
