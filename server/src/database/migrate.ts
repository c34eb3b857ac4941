import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { Engine } from './engine.ts';

/** The key of the advisory lock under which one process at a time migrates. Any number; it only must not change. */
const MIGRATION_LOCK = 7_201_540_263;
/** Longest wait for another process that migrates; a migration of a large table takes minutes. */
const MIGRATION_LOCK_TIMEOUT_MS = 600_000;

const folder = new URL('./migrations/', import.meta.url);

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
}

/** The schema is newer than this program: running it could damage what it does not know. */
export class SchemaIsNewer extends Error {
  override name = 'SchemaIsNewer';
}

/** Every migration of this program, in order: `NNNN_name.sql`, forward only, never edited once released. */
export function listMigrations(): readonly Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file))
    .toSorted()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      text: readFileSync(new URL(file, folder), 'utf8'),
    }));
}

/**
 * Brings the schema up to this program's: one transaction a migration, one process at a time.
 *
 * @returns the names of the migrations that were applied.
 * @throws SchemaIsNewer when the database has migrations that this program does not know.
 */
export async function migrate(engine: Engine): Promise<readonly string[]> {
  const client = new pg.Client({
    ...engine.clientConfig(),
    lock_timeout: MIGRATION_LOCK_TIMEOUT_MS,
    statement_timeout: 0,
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(`create table if not exists schema_migration (
      number integer primary key, name text not null, applied_at timestamptz not null default now())`);
    return await applyMissing(client);
  } finally {
    // The embedded engine's session outlives its clients, so the lock is given back by hand.
    await client.query('rollback').catch(ignore);
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(ignore);
    await client.end();
  }
}

async function applyMissing(client: pg.Client): Promise<readonly string[]> {
  const migrations = listMigrations();
  const { rows } = await client.query<{ number: number }>('select number from schema_migration');
  const applied = new Set(rows.map((row) => row.number));
  const newest = migrations.at(-1)?.number ?? 0;
  const unknown = [...applied].filter((number) => number > newest);
  if (unknown.length > 0) {
    throw new SchemaIsNewer(
      `the database has migration ${Math.max(...unknown)}, this program ends at ${newest}: start the newer program`,
    );
  }
  const names: string[] = [];
  for (const migration of migrations) {
    if (applied.has(migration.number)) continue;
    await client.query('begin');
    await client.query(migration.text);
    await client.query('insert into schema_migration (number, name) values ($1, $2)', [
      migration.number,
      migration.name,
    ]);
    await client.query('commit');
    names.push(migration.name);
  }
  return names;
}

function ignore(): void {
  // The connection is gone, and the lock with it.
}
