/**
 * Where a statement runs: a hot single read may share a pipelined connection, and even the statement itself with others
 * that ask it at the same time; everything else takes one of the pool.
 */
export type Lane = 'pool' | 'pipeline' | 'shared';

/**
 * One whole SQL statement with its name. Named, so that PostgreSQL parses it once per connection; exported, so that a
 * test prepares it against the migrated schema.
 *
 * `Row` is the shape of one result row: timestamps are `Date`, `bigint` is `number`, `jsonb` is parsed.
 */
export class Statement<Row extends object> {
  readonly name: string;
  readonly text: string;
  readonly lane: Lane;
  /** Never set: carries the row's type. */
  declare readonly row?: Row;

  constructor(name: string, text: string, lane: Lane) {
    this.name = name;
    this.text = text;
    this.lane = lane;
  }
}

/** Declares a statement. `name` is unique in the service, snake_case and at most 63 bytes (PostgreSQL's limit for names). */
export function statement<Row extends object = Record<never, never>>(
  name: string,
  text: string,
): Statement<Row> {
  return new Statement(name, text, 'pool');
}

/**
 * Declares a hot single read: several requests share one pipelined connection (measured 3.2 times a pool's rate).
 * Only for reads that take microseconds; a slow one would hold up all behind it.
 */
export function hotRead<Row extends object>(name: string, text: string): Statement<Row> {
  return new Statement(name, text, 'pipeline');
}

/**
 * Declares a hot read that requests share (decision 0124): those that ask at the same time are answered by one statement.
 * Each asks with `one` and its own key, texts. The statement gets one array for each part of the key, and answers at most
 * one row for each key, with the key's number as `asked`:
 * `from unnest($1::uuid[], $2::uuid[]) with ordinality as ask (shop_id, connection_id, asked)`.
 */
export function sharedRead<Row extends object>(name: string, text: string): Statement<Row> {
  return new Statement(name, text, 'shared');
}

/** The only row of an answer, or undefined. Two are a bug of the statement and throw. */
export function onlyRow<Row extends object>(
  statement: Statement<Row>,
  rows: readonly Row[],
): Row | undefined {
  if (rows.length > 1) throw new Error(`${statement.name} returned ${rows.length} rows, not one`);
  return rows[0];
}
