import { KeyedLimiter, type LimiterOptions } from '../base/keyed-limiter.ts';
import type { Database, Transaction } from '../database/database.ts';
import { unavailable } from './errors.ts';

/**
 * Limits the writes of a shop's systems per process. Each writer that waits for the shop's head row
 * holds a pooled connection. Two writers keep that row busy; more would take connections from other
 * shops. A thousand waiting writes finish in a few seconds, well within the handler timeout.
 */
export const SYSTEM_WRITE_LIMITS: LimiterOptions = {
  concurrency: 2,
  waitingMax: 1_000,
  waitMsMax: 30_000,
};
/** Limits the writes of a shop's pages. People write less than systems and never wait for them. */
export const MEMBER_WRITE_LIMITS: LimiterOptions = {
  concurrency: 2,
  waitingMax: 100,
  waitMsMax: 15_000,
};

/**
 * Runs `work` in a transaction when the shop has a free permit.
 *
 * @throws ApiError 503 if too many writes wait, or this write waited too long; then nothing was
 * written
 */
export type LimitedWrite = <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;

export function createWriteLimiter(db: Database, bounds: LimiterOptions): LimitedWrite {
  const limiter = new KeyedLimiter(bounds);
  return async (shopId, work) => {
    const done = await limiter.run(shopId, async () => await db.transaction(work));
    if (done === undefined) {
      throw unavailable({ detail: 'Too many writes of this shop are waiting. Try again later.' });
    }
    return done.value;
  };
}
