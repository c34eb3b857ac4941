import type { AnswerHeaders, Signal } from './platform.ts';

/** How often and how long a call is tried (decision 0142). Every call of this package is safe to repeat. */
export interface RetryPolicy {
  /** Tries in all, the first included; 1 switches retries off. */
  readonly triesMax: number;
  /** The wait before the second try is a random part of this, doubled for each further one. */
  readonly firstDelayMs: number;
  /** What the doubling ends at. A longer `Retry-After` is still kept. */
  readonly delayMsMax: number;
  /** No wait begins that would end later than this after the first try began. */
  readonly totalMsMax: number;
}

/** Told before each wait, for your log. */
export interface RetryNews {
  /** The code of the error that is tried again after. */
  readonly code: string;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** The answer's `X-Request-Id`; null when there was none. */
  readonly requestId: string | null;
  /** Method and path of the call, without query; `refresh` for that of an access token. */
  readonly call: string;
  /** Tries so far. */
  readonly tries: number;
  /** How long the wait is. */
  readonly delayMs: number;
}

/**
 * The default: outages of about a minute are sat out, and a rate limit's minute too. Fewer tries would wake people for a
 * restart of the service; a longer total would hold up the caller's own queue.
 */
export const DEFAULT_RETRY: RetryPolicy = {
  triesMax: 8,
  firstDelayMs: 500,
  delayMsMax: 20_000,
  totalMsMax: 120_000,
};

/** The default with what is given in its place. A member that is undefined counts as not given: no bound may vanish. */
export function retryPolicy(given: Partial<RetryPolicy> = {}): RetryPolicy {
  return {
    triesMax: given.triesMax ?? DEFAULT_RETRY.triesMax,
    firstDelayMs: given.firstDelayMs ?? DEFAULT_RETRY.firstDelayMs,
    delayMsMax: given.delayMsMax ?? DEFAULT_RETRY.delayMsMax,
    totalMsMax: given.totalMsMax ?? DEFAULT_RETRY.totalMsMax,
  };
}

/** Waits longer than this are not believed: a header of a broken proxy must not stop a process for days. */
const RETRY_AFTER_MS_MAX = 24 * 3600 * 1000;

/**
 * What is added at most to a wait that `Retry-After` asks for, as a part of it: all who were told the same would come back at
 * one instant, the more of them the longer the service was away.
 */
export const RETRY_AFTER_SPREAD = 0.2;

/** The same for short waits, in milliseconds, as far as the policy's own waits are not shorter. */
const RETRY_AFTER_SPREAD_MS = 500;

/**
 * How long to wait before try `tries + 1`, in milliseconds: full jitter over a doubling bound
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), and never less than the service asks for.
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
 * What the service asks for: `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), else, with a 429, the `t` of
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers). Milliseconds, or null when it asks for nothing.
 */
export function readRetryAfterMs(
  headers: AnswerHeaders,
  status: number,
  now: number,
): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/u.test(text)) return bounded(Number(text) * 1000);
  // A date of HTTP names its day first: what Date.parse makes of `-1` or `1.5` is no instant.
  const at = /^[A-Za-z]{3,9},? /u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return bounded(at - now);
  const window = status === 429 ? /;\s*t=(\d{1,9})/u.exec(headers.get('ratelimit') ?? '') : null;
  return window === null ? null : bounded(Number(window[1]) * 1000);
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}

/** Waits; an aborted signal ends the wait by throwing its reason. */
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

/** Throws the signal's reason when it is aborted. */
export function throwIfAborted(signal: Signal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal);
}

/** What an aborted signal throws: its own reason, else an `AbortError`. */
export function reasonOf(signal: Signal | undefined): Error {
  const reason = signal?.reason;
  return reason instanceof Error ? reason : new AbortedError(reason);
}

/** A signal was aborted with a reason that is no error. */
class AbortedError extends Error {
  override name = 'AbortError';
  constructor(reason: unknown) {
    super(typeof reason === 'string' ? reason : 'aborted');
  }
}
