import type { Database } from './database.ts';
import { listMigrations } from './migrate.ts';
import { hotRead, statement } from './statement.ts';

/** The numbers of the newest migrations in the database and in this program; 0 for none. */
export interface SchemaVersion {
  readonly database: number;
  readonly program: number;
}

export const hasMigrationTable = statement<{ readonly isThere: boolean }>(
  'has_migration_table',
  `select to_regclass('schema_migration') is not null as "isThere"`,
);

/** Not through the pool, because `/readyz` sends it, and a busy pool is ready. */
export const selectNewestMigration = hotRead<{ readonly number: number | null }>(
  'select_newest_migration',
  `select max(number) as number from schema_migration`,
);

export async function readSchemaVersion(db: Database): Promise<SchemaVersion> {
  const program = listMigrations().at(-1)?.number ?? 0;
  const table = await db.one(hasMigrationTable);
  if (table?.isThere !== true) return { database: 0, program };
  const newest = await db.one(selectNewestMigration);
  return { database: newest?.number ?? 0, program };
}
