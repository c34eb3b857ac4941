import pg from 'pg';
import type { Engine } from './engine.ts';
import { closeClient } from './close-client.ts';
import { listMigrations, migrate, SchemaIsNewer } from './migrate.ts';
import { sessionSettings } from './postgresql-engine.ts';
import { PrimaryClient } from './primary-client.ts';

/** 1,000 units of stock take about 2 MB. A line also ends when it reaches `LINE_CHARACTERS`. */
const ROWS_PER_LINE = 1_000;
const LINE_CHARACTERS = 8 * 1024 * 1024;
/** The longest line that a restore accepts: `LINE_CHARACTERS` in UTF-8, plus one large row. */
export const LINE_BYTES_MAX = 128 * 1024 * 1024;
const MIGRATIONS_TABLE = 'schema_migration';
/** Not in the backup: the migrations fill the first one, and the second describes a database. */
const EXCLUDED_TABLES = [MIGRATIONS_TABLE, 'database_identity'];
const FORMAT = 1;

interface Header {
  readonly cardportBackup: typeof FORMAT;
  readonly migration: number;
  readonly takenAt: string;
}

// Every line after the header is one of these or an array of rows. The last line has the total
// number of rows, which the restore checks.
type ControlLine =
  | { readonly table: string }
  | { readonly sequences: readonly Sequence[] }
  | { readonly end: true; readonly rows: number };

interface Sequence {
  readonly name: string;
  readonly last: string;
  readonly isCalled: boolean;
}

/** The file is damaged, or the database must not be overwritten. No row was written. */
export class BackupRefused extends Error {
  override name = 'BackupRefused';
}

/**
 * Yields the rows of all tables as lines of JSON, from one snapshot, while services may write. Ids,
 * feed positions and epochs are kept, so tokens and cursors stay valid with the same secret key.
 */
export async function* dumpDatabase(engine: Engine): AsyncGenerator<string, void> {
  await using connection = await connect(engine);
  const { client } = connection;
  await client.query('begin isolation level repeatable read read only');
  const migration = (await findMigration(client)) ?? 0;
  const takenAt = new Date().toISOString();
  yield serializeLine({ cardportBackup: FORMAT, migration, takenAt } satisfies Header);
  let total = 0;
  for (const table of await listTables(client)) {
    yield serializeLine({ table } satisfies ControlLine);
    // Keep rows as text that only PostgreSQL parses: JavaScript would round large numbers.
    await client.query(
      `declare rows no scroll cursor for select to_json(t)::text as row from ${table} t`,
    );
    for (;;) {
      const { rows } = await client.query<{ row: string }>(`fetch ${ROWS_PER_LINE} from rows`);
      if (rows.length === 0) break;
      total += rows.length;
      yield* toLines(rows.map(({ row }) => row));
    }
    await client.query('close rows');
  }
  yield serializeLine({ sequences: await readSequences(client) } satisfies ControlLine);
  yield serializeLine({ end: true, rows: total } satisfies ControlLine);
}

/**
 * Loads a backup into an empty database in one transaction, at the backup's schema version, then
 * migrates the schema to this program's version. No service may run on the database.
 * @param beforeCommit changes the rows in the same transaction, at the backup's schema version
 * @returns the number of rows
 * @throws BackupRefused, SchemaIsNewer
 */
export async function loadBackup(
  engine: Engine,
  lines: AsyncIterable<string>,
  beforeCommit: (client: pg.Client) => Promise<unknown> = async () => undefined,
): Promise<number> {
  const iterator = lines[Symbol.asyncIterator]();
  try {
    const header = parseHeader(await nextLine(iterator));
    await requireNoForeignTables(engine);
    await migrateTo(engine, header.migration);
    await using connection = await connect(engine);
    const { client } = connection;
    await client.query('begin');
    await requireEmpty(client);
    const rows = await loadRows(client, iterator);
    await beforeCommit(client);
    await client.query('commit');
    await migrate(engine);
    // Collect statistics, so that the planner does not treat the tables as empty.
    await client.query('analyze');
    return rows;
  } finally {
    await iterator.return?.();
  }
}

async function loadRows(client: pg.Client, lines: AsyncIterator<string>): Promise<number> {
  const tables = new Set(await listTables(client));
  // Empty the tables first, because migrations insert rows that the backup also holds.
  await client.query(`truncate ${[...tables].join(', ')}`);
  let table: string | null = null;
  let total = 0;
  for (let number = 2; ; number++) {
    const text = await nextLine(lines);
    if (text.startsWith('[')) {
      if (table === null) {
        throw new BackupRefused(`line ${number} has rows that belong to no table`);
      }
      total += await insertRows(client, table, text, number);
      continue;
    }
    const controlLine = parseControlLine(text, number);
    if ('end' in controlLine) {
      if (controlLine.rows !== total) {
        throw new BackupRefused(`the file should have ${controlLine.rows} rows but has ${total}`);
      }
      // Reading past the last line also verifies the checksum at the end of the compressed file.
      if ((await lines.next()).done === true) return total;
      throw new BackupRefused('the file continues after its last line');
    }
    if ('sequences' in controlLine) await writeSequences(client, controlLine.sequences);
    else if (tables.has(controlLine.table)) table = controlLine.table;
    else throw new BackupRefused(`the schema has no table ${JSON.stringify(controlLine.table)}`);
  }
}

async function insertRows(
  client: pg.Client,
  table: string,
  rows: string,
  number: number,
): Promise<number> {
  const insert = `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`;
  try {
    return (await client.query(insert, [rows])).rowCount ?? 0;
  } catch (error) {
    // Classes 22 and 23: data exceptions and constraint violations.
    if (!(error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? ''))) throw error;
    throw new BackupRefused(`line ${number} is damaged: ${error.message}`, { cause: error });
  }
}

function* toLines(rows: readonly string[]): Generator<string, void> {
  let line: string[] = [];
  let characters = 0;
  for (const row of rows) {
    line.push(row);
    characters += row.length;
    if (characters < LINE_CHARACTERS) continue;
    yield `[${line.join(',')}]\n`;
    line = [];
    characters = 0;
  }
  if (line.length > 0) yield `[${line.join(',')}]\n`;
}

function serializeLine(value: Header | ControlLine): string {
  return `${JSON.stringify(value)}\n`;
}

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const next = await lines.next();
  if (next.done === true) throw new BackupRefused('the file ends before its last line');
  return next.value;
}

function parseHeader(text: string): Header {
  const header = parseObject(text);
  if (header?.['cardportBackup'] === FORMAT && Number(header['migration']) >= 1) {
    return header as unknown as Header;
  }
  throw new BackupRefused('the file was not written by "cardport backup"');
}

function parseControlLine(text: string, number: number): ControlLine {
  const controlLine = parseObject(text);
  const isControlLine =
    typeof controlLine?.['table'] === 'string' ||
    Array.isArray(controlLine?.['sequences']) ||
    (controlLine?.['end'] === true && Number.isInteger(controlLine['rows']));
  if (isControlLine) return controlLine as unknown as ControlLine;
  throw new BackupRefused(`line ${number} is damaged`);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Readonly<Record<string, unknown>> | null) : null;
  } catch {
    return null;
  }
}

async function migrateTo(engine: Engine, migration: number): Promise<void> {
  const migrations = listMigrations();
  const newest = migrations.at(-1)?.number ?? 0;
  if (migration > newest) {
    throw new BackupRefused(
      `the backup is at migration ${migration}, but this program knows only ${newest}: restore it with a newer version of Cardport`,
    );
  }
  try {
    await migrate(
      engine,
      migrations.filter(({ number }) => number <= migration),
    );
  } catch (error) {
    if (!(error instanceof SchemaIsNewer)) throw error;
    throw new BackupRefused(
      `the backup is at migration ${migration}, but the database is at a newer one: restore it into a database without tables`,
    );
  }
}

interface Connection extends AsyncDisposable {
  readonly client: pg.Client;
}

async function connect(engine: Engine): Promise<Connection> {
  const client = new PrimaryClient(engine.clientConfig());
  client.on('error', () => {});
  await client.connect();
  // Loading a large table takes longer than the timeouts of the service, role or database.
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  return { client, [Symbol.asyncDispose]: async () => await closeClient(client) };
}

async function findMigration(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ number: number | null }>(
    `select max(number) as number from ${MIGRATIONS_TABLE}`,
  );
  return rows[0]?.number ?? null;
}

/** Refuses a database with tables of another program, which loading would empty. */
async function requireNoForeignTables(engine: Engine): Promise<void> {
  await using connection = await connect(engine);
  const { rows } = await connection.client.query<{ isForeign: boolean }>(
    `select to_regclass('public.${MIGRATIONS_TABLE}') is null and exists (
       select from pg_tables where schemaname = 'public') as "isForeign"`,
  );
  if (rows[0]?.isForeign === false) return;
  throw new BackupRefused('the database has tables of another program: use an empty database');
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isUsed: boolean; name: string }>(
    `select exists (select from shop) or exists (select from account) or exists (select from game)
       as "isUsed", current_database() as name`,
  );
  if (rows[0]?.isUsed !== false) {
    throw new BackupRefused(`the database "${rows[0]?.name}" already contains data`);
  }
  // Refuse while a service is running, because its caches would differ from the restored database.
  const { rows: others } = await client.query(
    `select from pg_stat_activity where datname = current_database()
        and application_name = $1 and pid <> pg_backend_pid() limit 1`,
    [sessionSettings.application_name],
  );
  if (others.length > 0) {
    throw new BackupRefused('a service is running on the database: stop it first');
  }
}

/** Lists the tables so that each follows the tables that its foreign keys reference. */
async function listTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string; targets: string[] }>(
    `select t.relname as table, array(
       select distinct c.confrelid::regclass::text from pg_constraint c
        where c.conrelid = t.oid and c.contype = 'f' and c.confrelid <> t.oid) as targets
     from pg_class t
     where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace and t.relname <> all($1)
     order by 1`,
    [EXCLUDED_TABLES],
  );
  const sorted: string[] = [];
  while (sorted.length < rows.length) {
    const next = rows.filter(
      ({ table, targets }) =>
        !sorted.includes(table) && targets.every((target) => sorted.includes(target)),
    );
    if (next.length === 0) throw new Error('foreign keys form a circle');
    sorted.push(...next.map(({ table }) => table));
  }
  return sorted;
}

async function readSequences(client: pg.Client): Promise<readonly Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `select sequencename as name, coalesce(last_value, start_value)::text as last,
       last_value is not null as "isCalled"
     from pg_sequences where schemaname = 'public' order by 1`,
  );
  return rows;
}

async function writeSequences(client: pg.Client, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, last, isCalled } of sequences) {
    await client.query('select setval($1::regclass, $2::bigint, $3)', [name, last, isCalled]);
  }
}
