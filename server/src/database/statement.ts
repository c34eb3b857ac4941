/**
 * `pool`: on a pooled connection. `pipeline`: on a pipelined connection (hot reads). `shared`: a
 * hot read that is batched with the keys of other callers.
 */
export type ExecutionMode = 'pool' | 'pipeline' | 'shared';

/**
 * A whole SQL statement. The name lets PostgreSQL parse it once per connection. Modules export
 * their statements, so that a test prepares each against the migrated schema. `Row` is a result
 * row: timestamps are `Date`, `bigint` is `number`, `jsonb` is parsed.
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
 * Declares a read that shares a pipelined connection, at 3.2 times the pool's rate. The read must
 * take microseconds, because a slow read would block all reads behind it.
 */
export function hotRead<Row extends object>(name: string, text: string): Statement<Row> {
  return new Statement(name, text, 'pipeline');
}

/**
 * Declares a hot read that is batched: concurrent requests share one statement (decision 0124).
 * Each caller uses `one` with a key of texts. The statement gets one array per part of the key, and
 * returns at most one row per key, with the key's number as `asked`:
 * `from unnest((select $1::uuid[]), (select $2::text[])) with ordinality as ask (shop_id, id,
 * asked)`.
 * On Citus each key is sent alone.
 */
export function sharedRead<Row extends object>(name: string, text: string): Statement<Row> {
  return new Statement(name, text, 'shared');
}

/** Returns the only row, if any. Throws if there are more, which is a bug in the statement. */
export function expectAtMostOneRow<Row extends object>(
  statement: Statement<Row>,
  rows: readonly Row[],
): Row | undefined {
  if (rows.length > 1) throw new Error(`${statement.name} returned ${rows.length} rows, not one`);
  return rows[0];
}
