import type { Database } from './database.ts';
import type { Statement } from './statement.ts';

/** The maximum number of rows that one delete locks, so that its locks are held only briefly. */
export const CLEANED_ROWS_MAX = 1_000;

/** Deletes at most `CLEANED_ROWS_MAX` expired rows and returns their number. */
export type Cleaner = (db: Database, now: Date) => Promise<number>;

/**
 * @param statement deletes at most `$2` rows that expired before `$1`; it must skip locked rows,
 *   so that it never waits for a transaction or takes part in a deadlock
 */
export function createCleaner(statement: Statement<object>, retentionMs = 0): Cleaner {
  return async (db, now) =>
    await db.count(statement, [new Date(now.getTime() - retentionMs), CLEANED_ROWS_MAX]);
}

/**
 * Deletes shop by shop, because Citus can skip locked rows only within one shop.
 * @param selectShops lists the shops of at most `$2` rows that expired before `$1`
 * @param statement deletes at most `$3` rows of the shop `$1` that expired before `$2`
 */
export function createPerShopCleaner(
  selectShops: Statement<{ readonly shopId: string }>,
  statement: Statement<object>,
  retentionMs = 0,
): Cleaner {
  return async (db, now) => {
    const expiredBefore = new Date(now.getTime() - retentionMs);
    let deleted = 0;
    for (const { shopId } of await db.query(selectShops, [expiredBefore, CLEANED_ROWS_MAX])) {
      const limit = CLEANED_ROWS_MAX - deleted;
      if (limit > 0) deleted += await db.count(statement, [shopId, expiredBefore, limit]);
    }
    return deleted;
  };
}

/** Returns a cleaner that uses `ofShops` on Citus, which refuses a batch for all shops. */
export function createCleanerByEngine({ ofAll, ofShops }: CleanersByEngine): Cleaner {
  return async (db, now) => await ((await db.isDistributed()) ? ofShops : ofAll)(db, now);
}

export interface CleanersByEngine {
  readonly ofAll: Cleaner;
  readonly ofShops: Cleaner;
}
