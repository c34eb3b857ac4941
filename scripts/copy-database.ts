import pg from 'pg';
import type { Engine } from '../server/src/database/engine.ts';
import { listMigrations } from '../server/src/database/migrate.ts';

/** Rows taken to the target at once: some 2 MB of units. */
const ROWS_AT_ONCE = 1_000;
/** The migrations have written it on the target already. */
const MIGRATIONS_TABLE = 'schema_migration';

/** Rows copied of one table. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/**
 * Copies every row of one database into another one, migrated and empty, in one transaction of each: all of it or
 * nothing. Ids, positions and epochs stay, so that tokens and cursors stay good where the secret key does.
 *
 * The target is to be analyzed afterwards (`analyzeDatabase`).
 *
 * @throws Error when either is at another migration, the source has neither shop nor account, or the target has shops,
 *   accounts or a catalog: then nothing was copied. UnknownCommit when that cannot be told.
 */
export async function copyDatabase(
  source: Engine,
  target: Engine,
  onCopied: (copied: CopiedTable) => void = () => undefined,
): Promise<readonly CopiedTable[]> {
  await using from = await connect(source);
  await using to = await connect(target);
  await from.client.query('begin isolation level repeatable read read only');
  await to.client.query('begin');
  for (const { client } of [from, to]) await requireNewest(client);
  await requireContent(from.client);
  await requireEmpty(to.client);
  const tables = await listTables(from.client);
  // What migrations have put there (the place of the restamping) comes along with the rest.
  await to.client.query(`truncate ${tables.join(', ')}`);
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const rows = await copyTable(from.client, to.client, table);
    copied.push({ table, rows });
    onCopied({ table, rows });
  }
  await copySequences(from.client, to.client);
  try {
    await to.client.query('commit');
  } catch (error) {
    throw new UnknownCommit('the last step was not answered', { cause: error });
  }
  return copied;
}

/** Whether all was copied or nothing is not known: the target's answer to the commit was lost. */
export class UnknownCommit extends Error {
  override name = 'UnknownCommit';
}

/** Counts what was copied, so that the planner knows it from the first statement on. */
export async function analyzeDatabase(target: Engine): Promise<void> {
  await using to = await connect(target);
  await to.client.query('analyze');
}

interface Connection extends AsyncDisposable {
  readonly client: pg.Client;
}

async function connect(engine: Engine): Promise<Connection> {
  const client = new pg.Client({
    ...engine.clientConfig(),
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  await client.connect();
  return { client, [Symbol.asyncDispose]: async () => await client.end() };
}

async function requireNewest(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number | null }>(
    `select max(number) as number from ${MIGRATIONS_TABLE}`,
  );
  const newest = listMigrations().at(-1)?.number;
  const found = rows[0]?.number ?? 0;
  if (found !== newest) {
    throw new Error(`migration ${found} instead of ${newest}: run cardport migrate on it first`);
  }
}

async function requireContent(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isUsed: boolean }>(
    `select exists (select from shop) or exists (select from account) as "isUsed"`,
  );
  if (rows[0]?.isUsed !== true) throw new Error('the source holds no shop and no account');
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isUsed: boolean }>(
    `select exists (select from shop) or exists (select from account) or exists (select from game)
       as "isUsed"`,
  );
  if (rows[0]?.isUsed !== false) throw new Error('the target holds data already');
}

/** The tables, each after those that its foreign keys lead to. */
async function listTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string; targets: string[] }>(
    `select t.relname as table, array(
       select distinct c.confrelid::regclass::text from pg_constraint c
        where c.conrelid = t.oid and c.contype = 'f' and c.confrelid <> t.oid) as targets
     from pg_class t
     where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace and t.relname <> $1
     order by 1`,
    [MIGRATIONS_TABLE],
  );
  const sorted: string[] = [];
  while (sorted.length < rows.length) {
    const next = rows.filter(
      ({ table, targets }) =>
        !sorted.includes(table) && targets.every((target) => sorted.includes(target)),
    );
    if (next.length === 0) throw new Error('foreign keys lead round in a circle');
    sorted.push(...next.map(({ table }) => table));
  }
  return sorted;
}

/** Rows go as JSON text that only the databases read: no value passes through JavaScript. */
async function copyTable(from: pg.Client, to: pg.Client, table: string): Promise<number> {
  await from.query(
    `declare rows no scroll cursor for select to_json(t)::text as row from ${table} t`,
  );
  let total = 0;
  for (;;) {
    const { rows } = await from.query<{ row: string }>(`fetch ${ROWS_AT_ONCE} from rows`);
    if (rows.length === 0) break;
    const text = `[${rows.map(({ row }) => row).join(',')}]`;
    await to.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
      [text],
    );
    total += rows.length;
  }
  await from.query('close rows');
  return total;
}

async function copySequences(from: pg.Client, to: pg.Client): Promise<void> {
  const { rows } = await from.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind = 'S' and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) {
    const { rows: states } = await from.query<{ last: string; isCalled: boolean }>(
      `select last_value::text as last, is_called as "isCalled" from ${name}`,
    );
    const state = states[0];
    if (state === undefined) throw new Error(`the sequence ${name} has no state`);
    await to.query('select setval($1::regclass, $2::bigint, $3)', [
      name,
      state.last,
      state.isCalled,
    ]);
  }
}
