import pg from 'pg';
import { resultFormatOf } from '../src/database/bytes-statement.ts';
import type { Statement } from '../src/database/statement.ts';
import type { Field, RowType } from './row-types.ts';
import type { Column } from './statements.ts';

/** The types and columns in PostgreSQL's system catalog. */
export interface SystemCatalog {
  readonly types: ReadonlyMap<number, { readonly name: string; readonly category: string }>;
  /** Columns of tables, by the key `tableID columnID`. */
  readonly columns: ReadonlyMap<string, { readonly table: string; readonly isNotNull: boolean }>;
}

export async function readSystemCatalog(client: pg.Client): Promise<SystemCatalog> {
  const types = await client.query<{ oid: number; name: string; category: string }>(
    'select oid::int4, typname as name, typcategory as category from pg_type',
  );
  const columns = await client.query<{ key: string; table: string; isNotNull: boolean }>(
    `select concat_ws(' ', attrelid, attnum) as key, relname as table, attnotnull as "isNotNull"
     from pg_attribute join pg_class c on c.oid = attrelid and relkind in ('r', 'p')`,
  );
  return {
    types: new Map(types.rows.map((row) => [row.oid, row])),
    columns: new Map(columns.rows.map((row) => [row.key, row])),
  };
}

/** Describes the differences between a statement's row type and the columns that it returns. */
export function findRowFaults(
  statement: Statement<object>,
  row: RowType,
  columns: readonly Column[],
  catalog: SystemCatalog,
): readonly string[] {
  // An empty row type means that the statement's result is not read.
  if (row.size === 0) return [];
  const faults: string[] = [];
  const given = columns.filter(({ name }) => statement.mode !== 'shared' || name !== 'asked');
  const names = new Set(given.map(({ name }) => name));
  for (const name of row.keys()) if (!names.has(name)) faults.push(`${name} is not in the result`);
  for (const column of given) {
    const field = row.get(column.name);
    if (field === undefined) {
      faults.push(`${column.name} is not in the type`);
      continue;
    }
    faults.push(...kindFaults(statement, column, field, catalog));
    const isNullable = mayBeNull(statement, column, catalog);
    if (isNullable !== null && isNullable !== field.isNullable) {
      faults.push(`${column.name} is ${isNullable ? 'declared without' : 'never'} null`);
    }
  }
  return faults;
}

function kindFaults(
  statement: Statement<object>,
  { name, dataTypeID }: Column,
  { kinds }: Field,
  { types }: SystemCatalog,
): readonly string[] {
  const type = types.get(dataTypeID);
  if (type === undefined) return [`${name} is of type ${dataTypeID}`];
  const isJson = type.name === 'json' || type.name === 'jsonb';
  const kind = isJson ? 'JSON' : kindOfParsed(statement, dataTypeID, type.category);
  const fits = (declared: string): boolean =>
    isJson ? !/Date|Buffer|undefined/.test(declared) : declared === kind;
  return kinds.every(fits) ? [] : [`${name} is ${kind} (${type.name}), not ${kinds.join(' | ')}`];
}

/**
 * Returns the JavaScript type into which the service parses a PostgreSQL type. Parses a sample text
 * that every type of the category accepts.
 */
function kindOfParsed(statement: Statement<object>, type: number, category: string): string {
  const binary = resultFormatOf(statement);
  const types = binary?.types ?? pg.types;
  const text = { B: 't', D: '2026-01-01 00:00:00+00', A: '{1}' }[category] ?? '1';
  const parse: (value: string | Buffer) => unknown = types.getTypeParser(type, 'text');
  return kindOf(parse(binary !== undefined ? Buffer.alloc(8) : text));
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return `${kindOf(value[0])}[]`;
  if (value instanceof Date) return 'Date';
  return Buffer.isBuffer(value) ? 'Buffer' : typeof value;
}

/**
 * Returns true if a result column is nullable, false if it is not, and null if the system catalog
 * alone cannot tell. A column is nullable if it is declared without `not null`, or if its table
 * occurs only on the right side of left joins.
 */
function mayBeNull(
  { text }: Statement<object>,
  { tableID, columnID }: Column,
  { columns }: SystemCatalog,
): boolean | null {
  const column = columns.get(`${tableID} ${columnID}`);
  if (column === undefined) return null;
  if (!column.isNotNull) return true;
  const mentions =
    text.match(new RegExp(`\\b(left join )?(?<!\\.)\\b${column.table}\\b(?![.(])`, 'g')) ?? [];
  if (mentions.length > 0 && mentions.every((each) => each.startsWith('left'))) return true;
  return /\b(left|right|full) join\b/.test(text) ? null : false;
}
