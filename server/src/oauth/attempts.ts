import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { attemptKey, countAttempt } from '../shops/sign-in-throttle.ts';
import { attemptName } from './client-authentication.ts';

/** Names and addresses that this node knows to be over their limit: fewer would let many push each other out. */
const BLOCKED_MAX = 10_000;

/**
 * Counts failed client authentications by client id and address, on all nodes together. Only failures write a row: a
 * successful token request costs nothing here. A node learns of a block at its own first failure.
 */
export class ClientAttempts {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #failuresPerMinute: number | null;
  readonly #blockedUntilMs = new Map<string, number>();

  /** `failuresPerMinute` null counts nothing. */
  constructor(db: Database, clock: Clock, failuresPerMinute: number | null) {
    this.#db = db;
    this.#clock = clock;
    this.#failuresPerMinute = failuresPerMinute;
  }

  /** Seconds until this client may try again from this address; 0 when it may now. */
  waitSeconds(clientId: string, address: string): number {
    const key = attemptKey('app', attemptName(clientId), address);
    const leftMs = (this.#blockedUntilMs.get(key) ?? 0) - this.#clock.now().getTime();
    if (leftMs > 0) return Math.ceil(leftMs / 1_000);
    this.#blockedUntilMs.delete(key);
    return 0;
  }

  /** Counts a failure; the seconds until the next attempt when it was one too many, else 0. */
  async fail(clientId: string, address: string): Promise<number> {
    if (this.#failuresPerMinute === null) return 0;
    const key = attemptKey('app', attemptName(clientId), address);
    const now = this.#clock.now();
    const answer = await countAttempt(this.#db, key, this.#failuresPerMinute, now);
    if (answer.kind === 'allowed') return 0;
    if (this.#blockedUntilMs.size >= BLOCKED_MAX) this.#blockedUntilMs.clear();
    this.#blockedUntilMs.set(key, now.getTime() + answer.retryAfterSeconds * 1_000);
    return answer.retryAfterSeconds;
  }
}
