import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { actorColumns } from '../shops/audit.ts';
import { quarterOf, type StockEffects } from './stock-effects.ts';
import { UNIT_COLUMNS } from './unit-row.ts';
import { type UnitBatch, upsertValues } from './unit-upsert.ts';

// On Citus, these statements replace the single statement of unit-upsert.ts, so that each statement
// has only one write. If a `with` writes, Citus sends its rows to every worker: each commit would
// have two phases, and a lost worker would stop the writes of all shops. A statement with one write
// goes to the shop's shard alone. For an `insert … select`, that requires a select from a table of
// the shop, here the head row, which also has the positions.

export const advanceHeadBy = statement(
  'advance_head_by',
  `insert into feed_head (shop_id, epoch, seq, changed_at) values ($1, 1, $2, $3)
   on conflict (shop_id) do update
     set seq = feed_head.seq + excluded.seq,
       changed_at = greatest(feed_head.changed_at, excluded.changed_at)`,
);

// Parameters: $1 shop, $2 number of units, $3 catalog position, $4 ids, $5 positions as read, $6
// photos, $7 records, then the other columns.
const GIVEN = `(select * from unnest($4::uuid[], $5::bigint[], string_to_array($6::text, chr(10)),
    string_to_array($7::text, chr(10)), ${UNIT_COLUMNS.arrayParameters(8)})
    with ordinality as u (id, seq, photos, doc, ${UNIT_COLUMNS.names()}, position)) g`;

export const updateUnitsOfShop = statement(
  'update_units_of_shop',
  `update unit set ${UNIT_COLUMNS.set('g')}, catalog_position = $3, doc = g.doc,
    photos = g.photos::jsonb, seq = h.seq - $2::bigint + g.position
  from feed_head h, ${GIVEN}
  where h.shop_id = $1 and unit.shop_id = $1 and unit.unit_id = g.id and g.seq > 0
    and unit.seq = g.seq`,
);

export const insertUnitsOfShop = statement(
  'insert_units_of_shop',
  `insert into unit (shop_id, unit_id, catalog_position, doc, photos, seq, ${UNIT_COLUMNS.names()})
  select h.shop_id, g.id, $3::bigint, g.doc, g.photos::jsonb, h.seq - $2::bigint + g.position,
    ${UNIT_COLUMNS.names('g')}
  from feed_head h, ${GIVEN}
  where h.shop_id = $1 and g.seq = 0
  on conflict (shop_id, unit_id) do nothing`,
);

export const addToStockCounts = statement(
  'add_to_stock_counts',
  `insert into stock_count (shop_id, site_id, status, units)
  select h.shop_id, c.site_id, c.status, c.units
  from feed_head h, unnest($2::uuid[], $3::text[], $4::bigint[]) as c (site_id, status, units)
  where h.shop_id = $1
  on conflict (shop_id, site_id, status) do update
    set units = stock_count.units + excluded.units`,
);

export const addToStockMovement = statement(
  'add_to_stock_movement',
  `insert into stock_movement (shop_id, quarter, delta) values ($1, $2, $3)
  on conflict (shop_id, quarter) do update set delta = stock_movement.delta + excluded.delta`,
);

export const insertStatusChanges = statement(
  'insert_status_changes',
  `insert into unit_status_change (shop_id, unit_id, number, changed_at, from_status, to_status,
    actor_kind, actor_id)
  select h.shop_id, c.unit_id, h.seq - $2::bigint + c.position, $3::timestamptz, c.from_status,
    c.to_status, $4::text, $5::text
  from feed_head h, unnest($6::uuid[], $7::bigint[], $8::text[], $9::text[])
    as c (unit_id, position, from_status, to_status)
  where h.shop_id = $1`,
);

/** Returns the number of units that were written. */
export async function upsertOnCitus(
  tx: Transaction,
  { shopId, units, catalogPosition, now, by }: UnitBatch,
  effects: StockEffects | null,
): Promise<number> {
  await tx.query(advanceHeadBy, [shopId, units.length, now]);
  const values = upsertValues(shopId, units, now, catalogPosition);
  const given = [...values.slice(0, 2), ...values.slice(3)];
  const created = units.filter(({ row }) => row.seq === 0).length;
  let written = 0;
  if (created < units.length) written += await tx.count(updateUnitsOfShop, given);
  if (created > 0) written += await tx.count(insertUnitsOfShop, given);
  if (effects !== null) await writeEffects(tx, { shopId, units, now, by }, effects);
  return written;
}

async function writeEffects(
  tx: Transaction,
  { shopId, units, now, by }: Omit<UnitBatch, 'catalogPosition'>,
  { counts, inStockDelta, changes }: StockEffects,
): Promise<void> {
  if (counts.length > 0) {
    await tx.query(addToStockCounts, [
      shopId,
      counts.map((each) => each.siteId),
      counts.map((each) => each.status),
      counts.map((each) => each.units),
    ]);
  }
  if (inStockDelta !== 0) {
    await tx.query(addToStockMovement, [shopId, quarterOf(now), inStockDelta]);
  }
  if (changes.length > 0) {
    const actor = actorColumns(by);
    await tx.query(insertStatusChanges, [
      shopId,
      units.length,
      now,
      actor.kind,
      actor.id,
      changes.map((each) => each.unitId),
      changes.map((each) => each.position),
      changes.map((each) => each.from),
      changes.map((each) => each.to),
    ]);
  }
}
