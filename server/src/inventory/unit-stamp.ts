import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import { actorColumns, quarterOf, type StockMoves } from './stock-moves.ts';
import type { UnitRow } from './unit-row.ts';

/** A unit as it will stand: its row, and its record up to the value of `costMinor`. */
export interface StampedUnit {
  readonly row: UnitRow;
  readonly doc: string;
}

// One statement writes and stamps a batch: the head row is locked once and held to the commit, so that positions are in
// the order of the commits. A writer has read its clock before, so the head's instant is the newest of all writers'.
// A row that was created since it was looked for is left alone and not counted. Records and photos come as lines of one
// text each: quoted into JSON or an array they cost both sides more than the rest of the batch (decision 0127).
const STAMP = `with head as (
    insert into feed_head (shop_id, epoch, seq, changed_at) values ($1, 1, $2, $3)
    on conflict (shop_id) do update
      set seq = feed_head.seq + excluded.seq,
        changed_at = greatest(feed_head.changed_at, excluded.changed_at)
    returning seq - $2 as base
  ), given as materialized (
    select * from unnest($5::uuid[], $6::bigint[], $7::text[], $8::uuid[], $9::uuid[], $10::uuid[],
      $11::uuid[], $12::uuid[], $13::text[], $14::text[], $15::text[], $16::bigint[], $17::bigint[],
      $18::text[], $19::timestamptz[], $20::timestamptz[], $21::timestamptz[], $22::timestamptz[],
      string_to_array($23::text, chr(10)), string_to_array($24::text, chr(10))) with ordinality
      as u (id, seq, status, site_id, location_id, card_id, grade_id, product_id, cert_number,
        serial_number, ownership, price_minor, cost_minor, currency, acquired_at,
        status_changed_at, created_at, updated_at, photos, doc, position)
  ), changed as (
    update unit set
      status = g.status, site_id = g.site_id, location_id = g.location_id,
      card_id = g.card_id, grade_id = g.grade_id, product_id = g.product_id,
      cert_number = g.cert_number, serial_number = g.serial_number, ownership = g.ownership,
      price_minor = g.price_minor, cost_minor = g.cost_minor, currency = g.currency,
      acquired_at = g.acquired_at, status_changed_at = g.status_changed_at,
      updated_at = g.updated_at, catalog_position = $4, doc = g.doc, photos = g.photos::jsonb,
      seq = head.base + g.position
    from head, given g
    where unit.shop_id = $1 and unit.unit_id = g.id and g.seq > 0 and unit.seq = g.seq
    returning 1
  ), created as (
    insert into unit (shop_id, unit_id, status, site_id, location_id, card_id, grade_id,
      product_id, cert_number, serial_number, ownership, price_minor, cost_minor, currency,
      acquired_at, status_changed_at, created_at, updated_at, catalog_position, doc, photos, seq)
    select $1, g.id, g.status, g.site_id, g.location_id, g.card_id, g.grade_id,
      g.product_id, g.cert_number, g.serial_number, g.ownership, g.price_minor,
      g.cost_minor, g.currency, g.acquired_at, g.status_changed_at, g.created_at,
      g.updated_at, $4, g.doc, g.photos::jsonb, head.base + g.position
    from head, given g where g.seq = 0
    on conflict (shop_id, unit_id) do nothing
    returning 1
  )`;
const WRITTEN = `
  select ((select count(*) from changed) + (select count(*) from created))::int as written`;

export const stampUnits = statement<{ written: number }>('stamp_units', `${STAMP}${WRITTEN}`);

// The same with the shop's figures, all behind the lock of its head: writers of one shop take turns, in whatever order
// they name their sites. No way to the database and back more than without.
export const stampMovedUnits = statement<{ written: number }>(
  'stamp_moved_units',
  `${STAMP}, counted as (
    insert into stock_count (shop_id, site_id, status, units)
    select $1, c.site_id, c.status, c.units
    from head, unnest($25::uuid[], $26::text[], $27::bigint[]) as c (site_id, status, units)
    on conflict (shop_id, site_id, status) do update
      set units = stock_count.units + excluded.units
  ), moved as (
    insert into stock_movement (shop_id, quarter, delta)
    select $1, $28, $29::bigint from head where $29::bigint <> 0
    on conflict (shop_id, quarter) do update
      set delta = stock_movement.delta + excluded.delta
  ), noted as (
    insert into unit_status_change (shop_id, unit_id, number, changed_at, from_status, to_status,
      actor_kind, actor_id)
    select $1, c.unit_id, head.base + c.position, $3, c.from_status, c.to_status, $30, $31
    from head, unnest($32::uuid[], $33::bigint[], $34::text[], $35::text[])
      as c (unit_id, position, from_status, to_status)
  )${WRITTEN}`,
);

/** The values of `stampMovedUnits` that follow those of `stampUnits`. */
export function moveValues(
  { counts, delta, changes }: StockMoves,
  by: Actor,
  now: Date,
): unknown[] {
  const actor = actorColumns(by);
  return [
    counts.map((each) => each.siteId),
    counts.map((each) => each.status),
    counts.map((each) => each.units),
    quarterOf(now),
    delta,
    actor.kind,
    actor.id,
    changes.map((each) => each.unitId),
    changes.map((each) => each.position),
    changes.map((each) => each.from),
    changes.map((each) => each.to),
  ];
}

/** The values of `stampUnits` for units in the order of their positions to be. A row whose `seq` is 0 is new. */
export function stampValues(
  shopId: string,
  units: readonly StampedUnit[],
  now: Date,
  catalogPosition: number,
): unknown[] {
  const rows = units.map(({ row }) => row);
  const instants = instantTexts();
  return [
    shopId,
    units.length,
    now,
    catalogPosition,
    plainArray(rows, (row) => row.id),
    plainArray(rows, (row) => row.seq),
    plainArray(rows, (row) => row.status),
    plainArray(rows, (row) => row.siteId),
    plainArray(rows, (row) => row.locationId),
    plainArray(rows, (row) => row.cardId),
    plainArray(rows, (row) => row.gradeId),
    plainArray(rows, (row) => row.productId),
    rows.map((row) => row.certNumber),
    rows.map((row) => row.serialNumber),
    plainArray(rows, (row) => row.ownership),
    plainArray(rows, (row) => row.priceMinor),
    plainArray(rows, (row) => row.costMinor),
    rows.map((row) => row.currency),
    plainArray(rows, (row) => (row.acquiredAt === null ? null : instants(row.acquiredAt))),
    plainArray(rows, (row) => instants(row.statusChangedAt)),
    plainArray(rows, (row) => instants(row.createdAt)),
    plainArray(rows, (row) => instants(row.updatedAt)),
    lines(rows.map((row) => (row.photos.length === 0 ? '[]' : JSON.stringify(row.photos)))),
    lines(units.map(({ doc }) => doc)),
  ];
}

/** PostgreSQL's text of an array of uuids, numbers, instants or words of ours: nothing in it needs quotes. */
function plainArray(
  rows: readonly UnitRow[],
  valueOf: (row: UnitRow) => string | number | null,
): string {
  return `{${rows.map((row) => valueOf(row) ?? 'null').join(',')}}`;
}

/** Texts of JSON as lines of one: JSON that was rendered without spaces holds no line break (RFC 8259 §7). */
function lines(texts: readonly string[]): string {
  return texts.join('\n');
}

/** Renders instants, the same one after the other once: most of a batch are the writer's own. */
function instantTexts(): (instant: Date) => string {
  let last: Date | null = null;
  let text = '';
  return (instant) => {
    if (instant !== last) {
      last = instant;
      text = instant.toISOString();
    }
    return text;
  };
}
