import { FairLimiter, type LimiterOptions } from '../base/fair-limiter.ts';
import type { Database, Transaction } from '../database/database.ts';
import { serviceUnavailable } from './errors.ts';

/**
 * Limits each shop's API writes, per process. Every write locks the shop's `feed_head` row and
 * holds a pooled connection while it waits. Two writers keep that row busy; more would take
 * connections from other shops. A thousand waiting writes finish in a few seconds.
 */
export const SYSTEM_WRITE_LIMITS: LimiterOptions = {
  bounds: [
    { running: 8, waiting: 5_000 },
    { running: 2, waiting: 1_000 },
  ],
  waitMsMax: 30_000,
};
/** Limits each shop's console writes separately, so that members do not wait for API writes. */
export const MEMBER_WRITE_LIMITS: LimiterOptions = {
  bounds: [
    { running: 4, waiting: 1_000 },
    { running: 2, waiting: 100 },
  ],
  waitMsMax: 15_000,
};

/** Throws a 503, without running `work`, if too many writes wait or this one waited too long. */
export type LimitedWrite = <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;

export function createWriteLimiter(db: Database, bounds: LimiterOptions): LimitedWrite {
  const limiter = new FairLimiter(bounds);
  return async (shopId, work) => {
    const done = await limiter.run([shopId], async () => await db.transaction(work));
    if (done === undefined) {
      throw serviceUnavailable({
        detail: 'Too many writes of this shop are waiting. Try again later.',
      });
    }
    return done.value;
  };
}
