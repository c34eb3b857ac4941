import { CardportError, retryAfterOf } from './errors.ts';
import { retryDelayMs, type RetryNews, type RetryPolicy, wait } from './retry.ts';

/** What the pace of a refresh follows. */
export interface RefreshPaceOptions {
  readonly policy: RetryPolicy;
  readonly now: () => number;
  readonly onRetry?: ((retry: RetryNews) => void) | undefined;
}

/** The longest wait between two tries of a refresh, in milliseconds, unless the service asks for more. */
const DELAY_MS_MAX = 5_000;

/**
 * How often a refresh is tried: as long as calls are (`totalMsMax`, two minutes), however many tries that makes, because a
 * server may keep a lost answer for a minute only (Cardport: a week). `triesMax: 1` switches this off too.
 */
export class RefreshPace {
  readonly #options: RefreshPaceOptions;
  readonly #deadline: number;
  #tries = 0;

  constructor(options: RefreshPaceOptions) {
    this.#options = options;
    this.#deadline = options.now() + options.policy.totalMsMax;
  }

  /** Waits for the next try; false when there is none. */
  async waits(error: unknown): Promise<boolean> {
    const { policy, now, onRetry } = this.#options;
    this.#tries++;
    if (policy.triesMax <= 1) return false;
    const delayMsMax = Math.min(policy.delayMsMax, DELAY_MS_MAX);
    const delayMs = retryDelayMs({ ...policy, delayMsMax }, this.#tries, retryAfterOf(error));
    if (now() + delayMs > this.#deadline) return false;
    onRetry?.(newsOf(error, this.#tries, Math.round(delayMs)));
    await wait(delayMs);
    return true;
  }
}

function newsOf(error: unknown, tries: number, delayMs: number): RetryNews {
  const known = error instanceof CardportError ? error : new CardportError('unknown');
  const { code, status, requestId } = known;
  return { code, status, requestId, call: 'refresh', tries, delayMs };
}
