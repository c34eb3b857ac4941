import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Engine } from './engine.ts';
import { asError } from './errors.ts';
import { configureNodes, hasCitus, placeTables } from './placement.ts';
import { PrimaryClient } from './primary-client.ts';
import { splitStatements } from './split-statements.ts';

// The key of the migrations' advisory lock: an arbitrary number, which must never change.
const MIGRATION_LOCK = 7_201_540_263;
/** Another process may be migrating, which takes minutes for a large table. */
const MIGRATION_LOCK_TIMEOUT_MS = 600_000;

/** `server_version_num` of the oldest PostgreSQL that the tests run on. */
const SERVER_VERSION_MIN = 150_000;

const folder = new URL('./migrations/', import.meta.url);

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
}

/** The schema is newer than this program, which could damage data that it does not know. */
export class SchemaIsNewer extends Error {
  override name = 'SchemaIsNewer';
}

export class DatabaseUnsuitable extends Error {
  override name = 'DatabaseUnsuitable';
}

/** Lists the files `NNNN_name.sql` in order. A released migration is never edited. */
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

export interface MigrationResult {
  /** The names of the migrations that were applied. */
  readonly applied: readonly string[];
  /** The tables that were placed on the Citus cluster. */
  readonly placed: readonly string[];
  /** One sentence for each worker of the Citus cluster that cannot be used. Null without Citus. */
  readonly workerProblems: readonly string[] | null;
}

/**
 * Migrates the schema with one transaction per migration. Only one process migrates at a time. If
 * nothing is missing, this succeeds without the workers of a Citus cluster.
 * @throws SchemaIsNewer, DatabaseUnsuitable
 * @throws Error that names the failed migration; earlier ones stay applied
 */
export async function migrate(
  engine: Engine,
  migrations: readonly Migration[] = listMigrations(),
): Promise<MigrationResult> {
  const client = new PrimaryClient({
    ...engine.clientConfig(),
    lock_timeout: MIGRATION_LOCK_TIMEOUT_MS,
  });
  await client.connect();
  try {
    await requireSupportedServer(client);
    // Migrating a large table takes longer than the limits of the service and the operator.
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(`create table if not exists schema_migration (
      number integer primary key, name text not null, applied_at timestamptz not null default now())`);
    const onCitus = await hasCitus(client);
    if (onCitus) for (const text of CITUS_SETTINGS) await client.query(text);
    const applied = await applyMissing(client, migrations);
    if (!onCitus) return { applied, placed: [], workerProblems: null };
    const placed = await spread(client);
    return { applied, placed, workerProblems: await configureNodes(client) };
  } finally {
    // Unlock explicitly: behind a session pooler, the session and its locks outlive this client.
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(ignore);
    await client.end();
  }
}

const CITUS_SETTINGS = [
  // Otherwise a table that refers to a reference table becomes local, and cannot be distributed.
  'set citus.enable_local_reference_table_foreign_keys = off',
  // Apply a `set local` on the workers too.
  "set citus.propagate_set_commands = 'local'",
  // Without this, Citus refuses some orders of changes to tables and functions in one migration.
  "set citus.multi_shard_modify_mode = 'sequential'",
];

async function requireSupportedServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string; version: number }>(`
    select current_setting('server_encoding') as encoding,
      current_setting('server_version_num')::int as version`);
  const { encoding = '', version = 0 } = rows[0] ?? {};
  if (encoding !== 'UTF8') {
    throw new DatabaseUnsuitable(`the encoding of the database is ${encoding}, but must be UTF8`);
  }
  if (version < SERVER_VERSION_MIN) {
    throw new DatabaseUnsuitable(`the server is too old (${version}): use PostgreSQL 15 or later`);
  }
}

async function applyMissing(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const applied = await listApplied(client);
  const newest = migrations.at(-1)?.number ?? 0;
  const newestApplied = Math.max(0, ...applied);
  if (newestApplied > newest) {
    throw new SchemaIsNewer(
      `the database is at migration ${newestApplied}, but this program knows only ${newest}: use a newer version of Cardport`,
    );
  }
  const names: string[] = [];
  for (const migration of migrations) {
    if (applied.has(migration.number)) continue;
    await apply(client, migration);
    names.push(migration.name);
  }
  return names;
}

async function listApplied(client: pg.Client): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ number: number }>('select number from schema_migration');
  return new Set(rows.map(({ number }) => number));
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await begin(client);
  try {
    // Citus accepts only one statement per query.
    for (const text of splitStatements(migration.text)) await client.query(text);
    await client.query('insert into schema_migration (number, name) values ($1, $2)', [
      migration.number,
      migration.name,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(ignore);
    const file = `${String(migration.number).padStart(4, '0')}_${migration.name}.sql`;
    throw new Error(`migration ${file} failed: ${asError(error).message}`, { cause: error });
  }
}

async function begin(client: pg.Client): Promise<void> {
  await client.query('begin');
  // The workers keep the lock timeout of the service, which placement.ts sets.
  await client.query(`set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
}

async function spread(client: pg.Client): Promise<readonly string[]> {
  await begin(client);
  try {
    const placed = await placeTables(client);
    await client.query('commit');
    return placed;
  } catch (error) {
    await client.query('rollback').catch(ignore);
    throw new Error(`the tables cannot be placed on the Citus cluster: ${asError(error).message}`, {
      cause: error,
    });
  }
}

function ignore(): void {}
