import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';

export const selectAdvisoryWaits = statement<{ readonly count: number }>(
  'test_count_advisory_waits',
  `select count(*)::int as count from pg_locks
  where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`,
);

/** Returns the number of sessions that wait for an advisory lock of this database. */
export async function countAdvisoryWaits(db: Database): Promise<number> {
  return (await db.one(selectAdvisoryWaits))?.count ?? 0;
}
