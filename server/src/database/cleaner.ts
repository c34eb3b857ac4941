import type { Queryable } from './database.ts';
import type { Statement } from './statement.ts';

/** Rows that one statement deletes: bounds how long it holds locks. */
export const CLEANED_ROWS_MAX = 1_000;

/** Deletes at most 1,000 rows that are over; returns how many. */
export type Cleaner = (db: Queryable, now: Date) => Promise<number>;

/**
 * Makes a cleaner of a statement: `$1` is the instant before which rows are over, `keptMs` milliseconds ago, and `$2` how
 * many it deletes. It skips rows that are locked, so that it waits for no transaction and can be part of no deadlock.
 */
export function cleaner(statement: Statement<object>, keptMs = 0): Cleaner {
  return async (db, now) =>
    await db.count(statement, [new Date(now.getTime() - keptMs), CLEANED_ROWS_MAX]);
}
