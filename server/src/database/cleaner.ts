import type { Queryable } from './database.ts';
import type { Statement } from './statement.ts';

/** Most rows that one statement deletes, which bounds how long it holds locks. */
export const CLEANED_ROWS_MAX = 1_000;

/** Deletes at most 1,000 expired rows; returns how many. */
export type Cleaner = (db: Queryable, now: Date) => Promise<number>;

/**
 * Makes a cleaner from a statement: rows that expired before `$1` (`cachedMs` milliseconds ago) are
 * deleted, `$2` at most. The statement skips locked rows, so it never waits for a transaction or
 * takes part in a deadlock.
 */
export function cleaner(statement: Statement<object>, retentionMs = 0): Cleaner {
  return async (db, now) =>
    await db.count(statement, [new Date(now.getTime() - retentionMs), CLEANED_ROWS_MAX]);
}
