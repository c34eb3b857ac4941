import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { BOOST_COLUMNS, type BoostRow, LIVE_BOOSTS, LIVE_BOOSTS_MAX } from './boost-row.ts';
import { type BoostStatus, statusAt } from './boost-status.ts';

/** Live boosts: highest price or soonest end first. Past boosts: always newest end first. */
export type BoostOrder = 'price' | 'end';

export interface BoostFilter {
  /** The status to list, or null for all boosts that are neither expired nor ended. */
  readonly status: BoostStatus | null;
  readonly order: BoostOrder;
  readonly text: ResolvedBoostSearch | null;
}

/** Matches boosts for any of these cards or products, and boosts whose note contains this text. */
export interface ResolvedBoostSearch {
  readonly cardIds: readonly string[];
  readonly productIds: readonly string[];
  readonly note: string;
}

/** The position of a boost in the order: the value of its sort column, and its id. */
export interface BoostCursor {
  /** A price in minor units, or an instant in milliseconds; infinity for a boost without an end. */
  readonly value: number;
  readonly id: string;
}

export interface BrowsedPage {
  readonly rows: readonly BoostRow[];
  /** The position after which the next page starts, or null on the last page. */
  readonly next: BoostCursor | null;
  /** True if the search stopped at its limit and there are more boosts. */
  readonly isShort: boolean;
}

/** Requests the boosts that follow `after`, or the first page if it is null. */
export interface BoostPageRequest {
  readonly after: BoostCursor | null;
  readonly limit: number;
}

/** A shop may exceed its limit a little if the clocks of nodes differ. */
const LIVE_READ_MAX = LIVE_BOOSTS_MAX + 100;

/** How many past boosts one page searches for a text, which takes about 10 ms. */
const SCANNED_MAX = 5_000;

export const selectLiveBoosts = statement<BoostRow>(
  'select_live_boosts',
  `${LIVE_BOOSTS} limit $3`,
);

/** The status of a boost that is neither ended nor expired at `$2`. It must match `statusAt`. */
const LIVE_STATUS = `case when starts_at > $2 then 'scheduled' when is_paused then 'paused'
      when remaining_quantity = 0 then 'filled' else 'open' end`;

// The database sorts, so that only the page is sent and parsed, not about 2,000 boosts.
export const selectLiveBoostsByPrice = statement<BoostRow>(
  'select_live_boosts_by_price',
  `${LIVE_BOOSTS}
    and ($3::text is null or ${LIVE_STATUS} = $3)
    and ($4::bigint is null or price_minor < $4 or (price_minor = $4 and boost_id > $5::uuid))
  order by price_minor desc, boost_id limit $6`,
);

export const selectLiveBoostsByEnd = statement<BoostRow>(
  'select_live_boosts_by_end',
  `${LIVE_BOOSTS}
    and ($3::text is null or ${LIVE_STATUS} = $3)
    and ($4::timestamptz is null
      or (coalesce(ends_at, 'infinity'::timestamptz), boost_id) > ($4::timestamptz, $5::uuid))
  order by coalesce(ends_at, 'infinity'::timestamptz), boost_id limit $6`,
);

/** The past boosts after a position, newest end first. */
const EXPIRED_AFTER = `from boost
  where shop_id = $1 and ended_at is null
    and coalesce(ends_at, 'infinity'::timestamptz) <= $2
    and ($3::timestamptz is null or coalesce(ends_at, 'infinity'::timestamptz) <= $3)
    and ($3::timestamptz is null or (ends_at, boost_id) < ($3::timestamptz, $4::uuid))
  order by coalesce(ends_at, 'infinity'::timestamptz) desc, boost_id desc`;
const ENDED_AFTER = `from boost
  where shop_id = $1 and ended_at is not null
    and ($2::timestamptz is null or (ended_at, boost_id) < ($2::timestamptz, $3::uuid))
  order by ended_at desc, boost_id desc`;

export const selectExpiredBoosts = statement<BoostRow>(
  'select_expired_boosts',
  `with scanned as materialized (
    select ${BOOST_COLUMNS} ${EXPIRED_AFTER} limit $9
  )
  select * from scanned
  where $5::uuid[] is null or "cardId" = any($5) or "productId" = any($6::uuid[])
    or position(lower($7::text) in lower(note)) > 0
  order by "endsAt" desc, id desc limit $8`,
);

export const selectEndedBoosts = statement<BoostRow>(
  'select_ended_boosts',
  `with scanned as materialized (
    select ${BOOST_COLUMNS} ${ENDED_AFTER} limit $8
  )
  select * from scanned
  where $4::uuid[] is null or "cardId" = any($4) or "productId" = any($5::uuid[])
    or position(lower($6::text) in lower(note)) > 0
  order by "endedAt" desc, id desc limit $7`,
);

export const selectLastScannedExpiredBoost = statement<{ id: string; at: Date }>(
  'select_last_scanned_expired_boost',
  `select boost_id as id, ends_at as at ${EXPIRED_AFTER} offset $5 limit 1`,
);

export const selectLastScannedEndedBoost = statement<{ id: string; at: Date }>(
  'select_last_scanned_ended_boost',
  `select boost_id as id, ended_at as at ${ENDED_AFTER} offset $4 limit 1`,
);

export async function readLiveRows(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<readonly BoostRow[]> {
  return await db.query(selectLiveBoosts, [shopId, now, LIVE_READ_MAX]);
}

export async function browseLive(
  db: Queryable,
  shopId: string,
  { status, order }: Pick<BoostFilter, 'status' | 'order'>,
  { after, limit }: BoostPageRequest,
  now: Date,
): Promise<BrowsedPage> {
  const values = [after?.id ?? null, limit + 1];
  const rows =
    order === 'price'
      ? await db.query(selectLiveBoostsByPrice, [
          shopId,
          now,
          status,
          // The value comes from a URL and may be too large for a bigint.
          after === null ? null : Math.min(after.value, Number.MAX_SAFE_INTEGER),
          ...values,
        ])
      : await db.query(selectLiveBoostsByEnd, [
          shopId,
          now,
          status,
          after === null ? null : formatInstant(after.value),
          ...values,
        ]);
  return toPage(rows, limit, (row) => cursorOf(row, order));
}

/** Returns the same page as `browseLive`, from rows that were read before. */
export function pageOfLive(
  matching: readonly BoostRow[],
  { status, order }: Pick<BoostFilter, 'status' | 'order'>,
  { after, limit }: BoostPageRequest,
  now: Date,
): BrowsedPage {
  const isAfter = (row: BoostRow): boolean =>
    after === null || compareCursors(cursorOf(row, order), after, order) > 0;
  const left = matching.filter(
    (row) => (status === null || statusAt(row, now) === status) && isAfter(row),
  );
  left.sort((a, b) => compareCursors(cursorOf(a, order), cursorOf(b, order), order));
  return toPage(left, limit, (row) => cursorOf(row, order));
}

/**
 * Newest end first. With a text filter, a page may be short or empty although a next page exists,
 * because one page searches at most `scannedMax` boosts.
 */
export async function browsePast(
  db: Queryable,
  shopId: string,
  {
    status,
    text,
  }: { readonly status: 'expired' | 'ended'; readonly text: ResolvedBoostSearch | null },
  { after, limit }: BoostPageRequest,
  now: Date,
  scannedMax: number = SCANNED_MAX,
): Promise<BrowsedPage> {
  const cursor = [after === null ? null : formatInstant(after.value), after?.id ?? null];
  const textValues = [text?.cardIds ?? null, text?.productIds ?? null, text?.note ?? null];
  const scanned = text === null ? limit + 1 : scannedMax;
  const rows =
    status === 'ended'
      ? await db.query(selectEndedBoosts, [shopId, ...cursor, ...textValues, limit + 1, scanned])
      : await db.query(selectExpiredBoosts, [
          shopId,
          now,
          ...cursor,
          ...textValues,
          limit + 1,
          scanned,
        ]);
  const page = toPage(rows, limit, ({ id, endedAt, endsAt }) => {
    const instant = status === 'ended' ? endedAt : endsAt;
    return { value: instant?.getTime() ?? 0, id };
  });
  if (text === null || page.next !== null) return page;
  const last =
    status === 'ended'
      ? await db.one(selectLastScannedEndedBoost, [shopId, ...cursor, scanned - 1])
      : await db.one(selectLastScannedExpiredBoost, [shopId, now, ...cursor, scanned - 1]);
  if (last === undefined) return page;
  return { ...page, next: { value: last.at.getTime(), id: last.id }, isShort: true };
}

function toPage(
  rows: readonly BoostRow[],
  limit: number,
  placeOfRow: (row: BoostRow) => BoostCursor,
): BrowsedPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? placeOfRow(last) : null;
  return { rows: shown, next, isShort: false };
}

function cursorOf({ id, priceMinor, endsAt }: BoostRow, order: BoostOrder): BoostCursor {
  const value = order === 'price' ? priceMinor : (endsAt?.getTime() ?? Number.POSITIVE_INFINITY);
  return { value, id };
}

/** The last millisecond of a four-digit year. A later value in a URL is treated as infinity. */
const INSTANT_MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Formats an instant for PostgreSQL. A boost without an end ends at `infinity`. */
function formatInstant(ms: number): string {
  return ms > INSTANT_MAX_MS ? 'infinity' : new Date(ms).toISOString();
}

function compareCursors(a: BoostCursor, b: BoostCursor, order: BoostOrder): number {
  if (a.value !== b.value) return (a.value < b.value ? -1 : 1) * (order === 'price' ? -1 : 1);
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
