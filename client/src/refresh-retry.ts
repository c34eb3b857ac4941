import { CardportError, retryAfterOf } from './errors.ts';
import { retryDelayMs, type RetryEvent, type RetryPolicy, wait } from './retry.ts';

export interface RefreshRetryOptions {
  readonly policy: RetryPolicy;
  readonly now: () => number;
  readonly onRetry?: ((retry: RetryEvent) => void) | undefined;
}

/** The longest delay between two attempts, unless `Retry-After` is longer. */
const DELAY_MS_MAX = 5_000;

/**
 * Retries a refresh for up to `totalMsMax` (two minutes) with any number of attempts. After a lost
 * response the next attempt must come soon, because some servers repeat the response for only a
 * minute (Cardport: a week). `triesMax: 1` disables these retries too.
 */
export class RefreshRetry {
  readonly #options: RefreshRetryOptions;
  readonly #deadline: number;
  #tries = 0;

  constructor(options: RefreshRetryOptions) {
    this.#options = options;
    this.#deadline = options.now() + options.policy.totalMsMax;
  }

  /** Waits before the next attempt. Returns false if there should be no further attempt. */
  async waitForNext(error: unknown): Promise<boolean> {
    const { policy, now, onRetry } = this.#options;
    this.#tries++;
    if (policy.triesMax <= 1) return false;
    const delayMsMax = Math.min(policy.delayMsMax, DELAY_MS_MAX);
    const delayMs = retryDelayMs({ ...policy, delayMsMax }, this.#tries, retryAfterOf(error));
    if (now() + delayMs > this.#deadline) return false;
    onRetry?.(retryEventOf(error, this.#tries, Math.round(delayMs)));
    await wait(delayMs);
    return true;
  }
}

function retryEventOf(error: unknown, tries: number, delayMs: number): RetryEvent {
  const known = error instanceof CardportError ? error : new CardportError('unknown');
  const { code, status, requestId } = known;
  return { code, status, requestId, call: 'refresh', tries, delayMs };
}
