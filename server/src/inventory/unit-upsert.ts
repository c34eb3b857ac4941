import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, actorColumns } from '../shops/audit.ts';
import { quarterOf, type StockEffects } from './stock-effects.ts';
import { UNIT_COLUMNS, type UnitRow } from './unit-row.ts';

/** A unit with its stored record, which ends before the value of `costMinor`. */
export interface RenderedUnit {
  readonly row: UnitRow;
  readonly doc: string;
}

// One statement writes a batch and assigns its feed positions. It locks the head row until the
// commit, so that positions are in commit order. A writer reads its clock before it gets this lock,
// so `greatest` prevents an earlier time from replacing the head's time. A row that was created or
// changed since it was read is neither written nor counted. Records and photos are passed as the
// lines of one text each, because quoting them for JSON or an array costs more than the rest of the
// batch (decision 0124). Parameters: $1 shop, $2 number of units, $3 now, $4 catalog position, $5
// ids, $6 positions as read, $7 photos, $8 records, then the other columns, starting at `first`.
function writeUnitsSql(first: number): string {
  return `with head as (
    insert into feed_head (shop_id, epoch, seq, changed_at) values ($1, 1, $2, $3)
    on conflict (shop_id) do update
      set seq = feed_head.seq + excluded.seq,
        changed_at = greatest(feed_head.changed_at, excluded.changed_at)
    returning seq - $2 as base
  ), given as materialized (
    select * from unnest($5::uuid[], $6::bigint[], string_to_array($7::text, chr(10)),
      string_to_array($8::text, chr(10)), ${UNIT_COLUMNS.arrayParameters(first)})
      with ordinality as u (id, seq, photos, doc, ${UNIT_COLUMNS.names()}, position)
  ), changed as (
    update unit set ${UNIT_COLUMNS.set('g')}, catalog_position = $4, doc = g.doc,
      photos = g.photos::jsonb, seq = head.base + g.position
    from head, given g
    where unit.shop_id = $1 and unit.unit_id = g.id and g.seq > 0 and unit.seq = g.seq
    returning 1
  ), created as (
    insert into unit (shop_id, unit_id, catalog_position, doc, photos, seq,
      ${UNIT_COLUMNS.names()})
    select $1, g.id, $4, g.doc, g.photos::jsonb, head.base + g.position,
      ${UNIT_COLUMNS.names('g')}
    from head, given g where g.seq = 0
    on conflict (shop_id, unit_id) do nothing
    returning 1
  )`;
}

/** The number of parameters of every batch, and of the stock effects. The columns follow them. */
const [STAMP_FIXED, MOVES_FIXED] = [8, 11];
const WRITTEN = `
  select ((select count(*) from changed) + (select count(*) from created))::int as written`;

export const upsertUnits = statement<{ written: number }>(
  'stamp_units',
  `${writeUnitsSql(STAMP_FIXED + 1)}${WRITTEN}`,
);

// This statement also updates the shop's stock figures under the lock of the feed head. The lock
// serializes the shop's writers, so they cannot deadlock regardless of the order of their sites.
export const upsertUnitsWithEffects = statement<{ written: number }>(
  'stamp_moved_units',
  `${writeUnitsSql(STAMP_FIXED + MOVES_FIXED + 1)}, counted as (
    insert into stock_count (shop_id, site_id, status, units)
    select $1, c.site_id, c.status, c.units
    from head, unnest($9::uuid[], $10::text[], $11::bigint[]) as c (site_id, status, units)
    on conflict (shop_id, site_id, status) do update
      set units = stock_count.units + excluded.units
  ), moved as (
    insert into stock_movement (shop_id, quarter, delta)
    select $1, $12, $13::bigint from head where $13::bigint <> 0
    on conflict (shop_id, quarter) do update
      set delta = stock_movement.delta + excluded.delta
  ), noted as (
    insert into unit_status_change (shop_id, unit_id, number, changed_at, from_status, to_status,
      actor_kind, actor_id)
    select $1, c.unit_id, head.base + c.position, $3, c.from_status, c.to_status, $14, $15
    from head, unnest($16::uuid[], $17::bigint[], $18::text[], $19::text[])
      as c (unit_id, position, from_status, to_status)
  )${WRITTEN}`,
);

export interface UnitBatch {
  readonly shopId: string;
  readonly units: readonly RenderedUnit[];
  readonly catalogPosition: number;
  readonly now: Date;
  readonly by: Actor;
}

/** Returns the number of units that were written. */
export async function upsertInOneStatement(
  tx: Transaction,
  { shopId, units, catalogPosition, now, by }: UnitBatch,
  effects: StockEffects | null,
): Promise<number | undefined> {
  const moved = effects === null ? [] : effectValues(effects, by, now);
  const result = await tx.one(
    effects === null ? upsertUnits : upsertUnitsWithEffects,
    upsertValues(shopId, units, now, catalogPosition, moved),
  );
  return result?.written;
}

export function effectValues(
  { counts, inStockDelta: delta, changes }: StockEffects,
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

/**
 * New positions follow the order of `units`; a row with `seq` 0 is new.
 *
 * @param effects the result of `effectValues`, only for `upsertUnitsWithEffects`
 */
export function upsertValues(
  shopId: string,
  units: readonly RenderedUnit[],
  now: Date,
  catalogPosition: number,
  effects: readonly unknown[] = [],
): unknown[] {
  const rows = units.map(({ row }) => row);
  const instants = instantTexts();
  return [
    shopId,
    units.length,
    now,
    catalogPosition,
    arrayOf(rows.map((row) => row.id)),
    arrayOf(rows.map((row) => row.seq)),
    lines(rows.map((row) => (row.photos.length === 0 ? '[]' : JSON.stringify(row.photos)))),
    lines(units.map(({ doc }) => doc)),
    ...effects,
    ...UNIT_COLUMNS.members.map((member) => {
      const isText = UNIT_COLUMNS.typeOf(member) === 'text';
      return arrayOf(
        rows.map(({ [member]: value }) => {
          if (typeof value === 'string') return isText ? quote(value) : value;
          return value instanceof Date ? instants(value) : value;
        }),
      );
    }),
  ];
}

/** Returns a PostgreSQL array literal of UUIDs, numbers or instants, which need no quotes. */
function arrayOf(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

function quote(text: string): string {
  return /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`;
}

/** Joins JSON texts as lines. JSON without whitespace contains no line break (RFC 8259 §7). */
function lines(texts: readonly string[]): string {
  return texts.join('\n');
}

/** Caches the last result, because most instants of a batch are the same. */
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
