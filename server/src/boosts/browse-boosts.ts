import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type BoostRow, LIVE_BOOSTS_MAX } from './boost-row.ts';
import { type BoostStatus, statusAt } from './boost-status.ts';

/** The order of live boosts: highest price first, or soonest end first. Expired and ended ones come newest end first. */
export type BoostOrder = 'price' | 'end';

/** What a person looks for among the boosts of a shop. */
export interface BoostFilter {
  /** Null: all that are neither expired nor ended. */
  readonly status: BoostStatus | null;
  readonly order: BoostOrder;
  /** Null: any. */
  readonly text: BoostText | null;
}

/** What a text means: a boost of one of these cards or products, or whose note holds it, is meant. */
export interface BoostText {
  readonly cardIds: readonly string[];
  readonly productIds: readonly string[];
  readonly note: string;
}

/** Where a page goes on: the value that the order is by, and the id. */
export interface BoostPlace {
  /** A price in minor units, or milliseconds of an instant; infinite for a boost without end. */
  readonly value: number;
  readonly id: string;
}

export interface BrowsedBoosts {
  readonly rows: readonly BoostRow[];
  /** Null at the end. */
  readonly next: BoostPlace | null;
}

/** Boosts that are read of the live ones. Nodes whose clocks differ may count a little past the shop's bound. */
const LIVE_READ_MAX = LIVE_BOOSTS_MAX + 100;

export const selectLiveBoosts = statement<BoostRow>(
  'select_live_boosts',
  `select boost_id as id, card_id as "cardId", grade_id as "gradeId", product_id as "productId",
    price_minor as "priceMinor", currency, remaining_quantity as "remainingQuantity",
    starts_at as "startsAt", ends_at as "endsAt", note, is_paused as "isPaused",
    ended_at as "endedAt", created_at as "createdAt", updated_at as "updatedAt"
  from boost
  where shop_id = $1 and ended_at is null
    and coalesce(ends_at, 'infinity'::timestamptz) > $2
  limit $3`,
);

export const selectExpiredBoosts = statement<BoostRow>(
  'select_expired_boosts',
  `select boost_id as id, card_id as "cardId", grade_id as "gradeId", product_id as "productId",
    price_minor as "priceMinor", currency, remaining_quantity as "remainingQuantity",
    starts_at as "startsAt", ends_at as "endsAt", note, is_paused as "isPaused",
    ended_at as "endedAt", created_at as "createdAt", updated_at as "updatedAt"
  from boost
  where shop_id = $1 and ended_at is null
    and coalesce(ends_at, 'infinity'::timestamptz) <= $2
    and ($3::timestamptz is null or coalesce(ends_at, 'infinity'::timestamptz) <= $3)
    and ($3::timestamptz is null or (ends_at, boost_id) < ($3::timestamptz, $4::uuid))
    and ($5::uuid[] is null or card_id = any($5) or product_id = any($6::uuid[])
      or position(lower($7::text) in lower(note)) > 0)
  order by coalesce(ends_at, 'infinity'::timestamptz) desc, boost_id desc limit $8`,
);

export const selectEndedBoosts = statement<BoostRow>(
  'select_ended_boosts',
  `select boost_id as id, card_id as "cardId", grade_id as "gradeId", product_id as "productId",
    price_minor as "priceMinor", currency, remaining_quantity as "remainingQuantity",
    starts_at as "startsAt", ends_at as "endsAt", note, is_paused as "isPaused",
    ended_at as "endedAt", created_at as "createdAt", updated_at as "updatedAt"
  from boost
  where shop_id = $1 and ended_at is not null
    and ($2::timestamptz is null or (ended_at, boost_id) < ($2::timestamptz, $3::uuid))
    and ($4::uuid[] is null or card_id = any($4) or product_id = any($5::uuid[])
      or position(lower($6::text) in lower(note)) > 0)
  order by ended_at desc, boost_id desc limit $7`,
);

/** The boosts of a shop that are neither expired nor ended, at most some 2,000, in no order. */
export async function readLiveRows(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<readonly BoostRow[]> {
  return await db.query(selectLiveBoosts, [shopId, now, LIVE_READ_MAX]);
}

/** A page of the live boosts that were read and are meant, in an order, after a place (null: from the first). */
export function pageOfLive(
  meant: readonly BoostRow[],
  { status, order }: Pick<BoostFilter, 'status' | 'order'>,
  { after, limit }: { readonly after: BoostPlace | null; readonly limit: number },
  now: Date,
): BrowsedBoosts {
  const isAfter = (row: BoostRow): boolean =>
    after === null || comparePlaces(placeOf(row, order), after, order) > 0;
  const left = meant.filter(
    (row) => (status === null || statusAt(row, now) === status) && isAfter(row),
  );
  left.sort((a, b) => comparePlaces(placeOf(a, order), placeOf(b, order), order));
  return cut(left, limit, (row) => placeOf(row, order));
}

/** A page of the expired or the ended boosts, the newest end first, after a place (null: from the newest). */
export async function browsePast(
  db: Queryable,
  shopId: string,
  { status, text }: { readonly status: 'expired' | 'ended'; readonly text: BoostText | null },
  { after, limit }: { readonly after: BoostPlace | null; readonly limit: number },
  now: Date,
): Promise<BrowsedBoosts> {
  const place = [after === null ? null : new Date(after.value), after?.id ?? null];
  const meant = [text?.cardIds ?? null, text?.productIds ?? null, text?.note ?? null];
  const rows =
    status === 'ended'
      ? await db.query(selectEndedBoosts, [shopId, ...place, ...meant, limit + 1])
      : await db.query(selectExpiredBoosts, [shopId, now, ...place, ...meant, limit + 1]);
  return cut(rows, limit, ({ id, endedAt, endsAt }) => {
    const instant = status === 'ended' ? endedAt : endsAt;
    return { value: instant?.getTime() ?? 0, id };
  });
}

function cut(
  rows: readonly BoostRow[],
  limit: number,
  placeOfRow: (row: BoostRow) => BoostPlace,
): BrowsedBoosts {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? placeOfRow(last) : null;
  return { rows: shown, next };
}

function placeOf({ id, priceMinor, endsAt }: BoostRow, order: BoostOrder): BoostPlace {
  const value = order === 'price' ? priceMinor : (endsAt?.getTime() ?? Number.POSITIVE_INFINITY);
  return { value, id };
}

function comparePlaces(a: BoostPlace, b: BoostPlace, order: BoostOrder): number {
  if (a.value !== b.value) return (a.value < b.value ? -1 : 1) * (order === 'price' ? -1 : 1);
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
