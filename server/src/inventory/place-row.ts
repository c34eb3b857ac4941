import type { Fields, Members } from '../base/field.ts';
import { changeInstant } from '../base/clock.ts';
import { mergeMembers, type Values } from '../base/object-fields.ts';
import type { Columns } from '../database/columns.ts';

// What sites and locations have in common: columns, merging and rendering.

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
 * Writes a place and assigns its feed position. Parameters: $1 shop, $2 id, $3 record, $4 now, $5
 * the position that was read (0 for a new one), then the columns. Nothing is written if the row's
 * position is no longer $5. The head row is locked last and until the commit, so that positions are
 * in commit order. `greatest`: each writer reads its clock before this lock, and the head's time
 * must stay the newest.
 */
export function upsertPlaceSql<Row extends object>(
  table: 'site' | 'location',
  columns: Columns<Row>,
): string {
  return `with head as (
    insert into feed_head (shop_id, epoch, seq, changed_at) values ($1, 1, 1, $4)
    on conflict (shop_id) do update
      set seq = feed_head.seq + 1,
        changed_at = greatest(feed_head.changed_at, excluded.changed_at)
    returning seq
  )
  insert into ${table} (shop_id, ${table}_id, doc, seq, ${columns.names()})
  select $1, $2::uuid, $3::text, head.seq, ${columns.parameters(6)} from head
  on conflict (shop_id, ${table}_id) do update set
    doc = excluded.doc, seq = excluded.seq, ${columns.set('excluded')}
  where ${table}.seq = $5`;
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
    updatedAt: changeInstant(before?.updatedAt, now),
    seq: before?.seq ?? 0,
  };
  return { kind: 'row', row };
}

export function showPlace<Row extends PlaceRow>(row: Row): ShownPlace<Row> {
  const { seq: _seq, createdAt, updatedAt, ...shown } = row;
  return { ...shown, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
