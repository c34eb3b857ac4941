import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { attemptKey, countAttempt } from '../shops/sign-in-throttle.ts';
import { throttleName } from './client-authentication.ts';

/**
 * When a node remembers this many blocks, it forgets all of them. With a lower limit, callers could
 * easily make it forget the blocks of others.
 */
const BLOCKED_MAX = 10_000;

/**
 * Counts failed client authentications by client id and address, across all nodes. Successful
 * requests are never blocked: the client id is public, so a stranger's failures must not lock the
 * app out, and a 256-bit secret cannot be guessed. A node learns of a block when a client's failure
 * on that node is counted.
 */
export class ClientFailureLimiter {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #failuresPerMinute: number | null;
  readonly #blockedUntilMs = new Map<string, number>();

  /** @param failuresPerMinute null for no limit */
  constructor(db: Database, clock: Clock, failuresPerMinute: number | null) {
    this.#db = db;
    this.#clock = clock;
    this.#failuresPerMinute = failuresPerMinute;
  }

  /** Counts a failure. Returns the seconds to wait if the limit is exceeded, otherwise 0. */
  async recordFailure(clientId: string, address: string): Promise<number> {
    if (this.#failuresPerMinute === null) return 0;
    const key = attemptKey('app', throttleName(clientId), address);
    const now = this.#clock.now();
    const leftMs = (this.#blockedUntilMs.get(key) ?? 0) - now.getTime();
    if (leftMs > 0) return Math.ceil(leftMs / 1_000);
    this.#blockedUntilMs.delete(key);
    const result = await countAttempt(this.#db, key, this.#failuresPerMinute, now);
    if (result.kind === 'allowed') return 0;
    if (this.#blockedUntilMs.size >= BLOCKED_MAX) this.#blockedUntilMs.clear();
    this.#blockedUntilMs.set(key, now.getTime() + result.retryAfterSeconds * 1_000);
    return result.retryAfterSeconds;
  }
}
