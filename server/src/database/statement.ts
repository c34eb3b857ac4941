/** `pipeline`: on a pipelined connection. `shared`: the same, batched with other callers' keys. */
export type ExecutionMode = 'pool' | 'pipeline' | 'shared';

/**
 * A whole SQL statement, which PostgreSQL parses once per connection. A test prepares every
 * exported one against the migrated schema. A `timestamptz` is a `Date`, a `bigint` a `number`.
 */
export class Statement<Row extends object> {
  readonly name: string;
  readonly text: string;
  readonly mode: ExecutionMode;
  /** The statement of a shared read for a single key; null for other statements. */
  readonly textOfOneKey: string | null;
  /** Never set; only carries the row type. */
  declare readonly row?: Row;

  constructor(name: string, text: string, mode: ExecutionMode) {
    this.name = name;
    this.text = text;
    this.mode = mode;
    this.textOfOneKey = mode === 'shared' ? forOneKey(name, text) : null;
  }
}

const KEYS = /unnest\(((?:(?:, )?\(select \$\d+::\w+\[\]\))+)\) with ordinality\s+as ask/;

// PostgreSQL inlines the single row of `values` into the joins, so that Citus queries only the
// shard of that shop.
function forOneKey(name: string, text: string): string {
  const [keys, arrays] = KEYS.exec(text) ?? [];
  if (keys === undefined || arrays === undefined) throw new Error(`${name} has no keys to unnest`);
  const parts = arrays.replaceAll('(select ', '').replaceAll('[])', '');
  return text.replace(keys, () => `(values (${parts}, 1::bigint)) as ask`);
}

/** @param name unique in the service, snake_case, at most 63 bytes (PostgreSQL's limit) */
export function statement<Row extends object = Record<never, never>>(
  name: string,
  text: string,
): Statement<Row> {
  return new Statement(name, text, 'pool');
}

/**
 * A read on a pipelined connection: 3.2 times as many per second as through the pool. Only for fast
 * reads, because a slow one would block all reads behind it.
 */
export function hotRead<Row extends object>(name: string, text: string): Statement<Row> {
  return new Statement(name, text, 'pipeline');
}

/**
 * Batches the keys of concurrent requests into one statement (decision 0124), except on Citus. Each
 * caller uses `one` with a key of texts. The statement gets one array per part of the key, and
 * returns at most one row per key, with the key's number as `asked`:
 * `from unnest((select $1::uuid[]), (select $2::text[])) with ordinality as ask (shop_id, id,
 * asked)`.
 */
export function sharedRead<Row extends object>(name: string, text: string): Statement<Row> {
  return new Statement(name, text, 'shared');
}

export function expectAtMostOneRow<Row extends object>(
  statement: Statement<Row>,
  rows: readonly Row[],
): Row | undefined {
  if (rows.length > 1) throw new Error(`${statement.name} returned ${rows.length} rows, not one`);
  return rows[0];
}
