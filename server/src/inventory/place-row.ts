import type { Fields, Members } from '../base/field.ts';
import { nextChangeInstant } from '../base/clock.ts';
import { mergeMembers, type Values } from '../base/object-fields.ts';
import { announceSoon } from '../database/channel.ts';
import type { Columns } from '../database/columns.ts';
import { StaleRead, type Transaction } from '../database/database.ts';
import { type Statement, statement } from '../database/statement.ts';

// Sites and locations share these columns and the code that merges and renders them.

export interface PlaceRow {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly seq: number;
}

export type ShownPlace<Row extends PlaceRow> = Omit<Row, 'seq' | 'createdAt' | 'updatedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
};

export const PLACE_INSTANTS = {
  createdAt: 'created_at timestamptz',
  updatedAt: 'updated_at timestamptz',
} as const;

/**
 * Assigns the next position of the shop's feed. The head row is locked last and stays locked until
 * the commit, so that positions are in commit order. `greatest` keeps the head's time from going
 * back, because each writer reads its clock before this lock.
 */
export const advanceHead = statement<{ readonly seq: number }>(
  'advance_head',
  `insert into feed_head (shop_id, epoch, seq, changed_at) values ($1, 1, 1, $2)
   on conflict (shop_id) do update
     set seq = feed_head.seq + 1,
       changed_at = greatest(feed_head.changed_at, excluded.changed_at)
   returning seq`,
);

/**
 * Writes a place. Parameters: $1 shop, $2 id, $3 record, $4 the new position, $5 the position at
 * which the row was read (0 for a new place), then the columns. Nothing is written if the row's
 * position is no longer $5. Citus accepts no parameter in `on conflict` of an `insert … select`, so
 * `advanceHead` is a separate statement.
 */
export function upsertPlaceSql<Row extends object>(
  table: 'site' | 'location',
  columns: Columns<Row>,
): string {
  return `insert into ${table} (shop_id, ${table}_id, doc, seq, ${columns.names()})
  values ($1, $2, $3, $4, ${columns.parameters(6)})
  on conflict (shop_id, ${table}_id) do update set
    doc = excluded.doc, seq = excluded.seq, ${columns.set('excluded')}
  where ${table}.seq = $5`;
}

/** @throws StaleRead if the row was changed since it was read */
export async function writePlace<Row extends PlaceRow>(
  tx: Transaction,
  upsert: Statement<object>,
  { shopId, row, doc, now }: PlaceWrite<Row>,
  values: readonly unknown[],
): Promise<void> {
  const head = await tx.one(advanceHead, [shopId, now]);
  if (head === undefined) throw new Error('advancing the head of the feed returned no row');
  const written = await tx.count(upsert, [shopId, row.id, doc, head.seq, row.seq, ...values]);
  if (written !== 1) throw new StaleRead('the place was created concurrently');
  announceSoon(tx, 'stock', shopId);
}

export interface PlaceWrite<Row extends PlaceRow> {
  readonly shopId: string;
  /** The new values, with the position at which the row was read. */
  readonly row: Row;
  readonly doc: string;
  readonly now: Date;
}

export function mergePlace<F extends Fields>(
  fields: F,
  id: string,
  change: Members<F>,
  before: (Values<F> & PlaceRow) | undefined,
  now: Date,
):
  | { readonly kind: 'row'; readonly row: Values<F> & PlaceRow }
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] } {
  const merged = mergeMembers(fields, change, before);
  if (merged.kind === 'incomplete') return merged;
  const row = {
    id,
    ...merged.values,
    createdAt: before?.createdAt ?? now,
    updatedAt: nextChangeInstant(before?.updatedAt, now),
    seq: before?.seq ?? 0,
  };
  return { kind: 'row', row };
}

export function showPlace<Row extends PlaceRow>(row: Row): ShownPlace<Row> {
  const { seq: _seq, createdAt, updatedAt, ...shown } = row;
  return { ...shown, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
