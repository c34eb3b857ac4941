import type { Queryable } from './database.ts';
import type { Statement } from './statement.ts';

/** Per statement: bounds how long it holds locks. */
export const CLEANED_ROWS_MAX = 1_000;

/** Deletes at most 1,000 expired rows; returns how many. */
export type Cleaner = (db: Queryable, now: Date) => Promise<number>;

/**
 * Deletes at most `$2` rows that expired before `$1` (`retentionMs` ago). The statement skips
 * locked rows, so it never waits for a transaction or takes part in a deadlock.
 */
export function cleaner(statement: Statement<object>, retentionMs = 0): Cleaner {
  return async (db, now) =>
    await db.count(statement, [new Date(now.getTime() - retentionMs), CLEANED_ROWS_MAX]);
}
