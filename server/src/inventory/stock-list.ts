import type { Queryable } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';
import { readRecord, type StockItem } from './stock-item.ts';
import {
  listExactStock,
  type ListRow,
  listStockOfGrade,
  listStockOfItems,
  listStockOfLocation,
  listStockOfPlaces,
  listWholeStock,
} from './stock-list-sql.ts';
import type { ShownPhoto } from './unit-photo.ts';
import { UNIT_STATUSES, type UnitStatus } from './unit-status.ts';

/** Units of a page at most. */
export const STOCK_PAGE_MAX = 200;
/** Cards and products of one list together at most: those that one search finds. */
export const STOCK_ITEMS_MAX = 100;
/**
 * Entries that one page looks at when it must look at each (a card at one site): some 15 ms. With fewer, more
 * pages come up short; with more, one page in a stock of a million units is felt.
 */
const LOOKED_AT_MAX = 5_000;
/** How often one call looks further while it has found nothing at all: four times as long at most. */
const LOOKS_MAX = 4;
/** Above every position. */
const NO_POSITION = Number.MAX_SAFE_INTEGER;

/** Walks that go through every status one by one, also when none is asked for. */
const NEEDS_STATUSES: ReadonlySet<Statement<ListRow>> = new Set([
  listStockOfItems,
  listStockOfPlaces,
  listStockOfLocation,
  listStockOfGrade,
]);

/** What a list shows: an omitted filter leaves everything in. */
export interface StockFilter {
  readonly statuses?: readonly UnitStatus[] | undefined;
  readonly siteId?: string | undefined;
  readonly locationId?: string | undefined;
  /** With `productIds`, at most `STOCK_ITEMS_MAX`: units of any of these. Empty: none. */
  readonly cardIds?: readonly string[] | undefined;
  readonly productIds?: readonly string[] | undefined;
  readonly gradeId?: string | undefined;
  /** A unit's id, certificate number or serial number, as it was written. */
  readonly exact?: string | undefined;
}

/** Which page: the newest changes (null), or those before a position. */
export interface StockPaging {
  readonly beforeSeq: number | null;
  /** 1 to `STOCK_PAGE_MAX`. */
  readonly limit: number;
}

/** A site or a location as a unit shows it. */
export interface StockPlace {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

/** A unit as a list shows it. `seq` is the position in the feed of its latest change. */
export interface StockUnit extends Omit<
  ListRow,
  'cutSeq' | 'doc' | `site${string}` | `location${string}`
> {
  readonly id: string;
  readonly item: StockItem;
  readonly site: StockPlace;
  readonly location: StockPlace | null;
  /** Front before back. */
  readonly photos: readonly ShownPhoto[];
}

/**
 * A page of units, the newest change first. `nextBeforeSeq` is where the next page begins, null at the end. A page may
 * hold fewer units than its limit, even none, and yet have a next one: it looks at a bounded number of entries. That can
 * only be where two are asked for at once of card, grade and place, and one of them has more than 5,000 units.
 */
export interface StockPage {
  readonly units: readonly StockUnit[];
  readonly nextBeforeSeq: number | null;
}

/**
 * Lists a shop's units. Takes some milliseconds whatever the size of the stock, and counts nothing. Filters all hold at
 * once; `exact` finds by what was written, before all others.
 *
 * @param lookedAtMax entries that one look goes through at most, where it must look at each
 */
export async function listStock(
  db: Queryable,
  shopId: string,
  filter: StockFilter,
  { beforeSeq, limit }: StockPaging,
  lookedAtMax: number = LOOKED_AT_MAX,
): Promise<StockPage> {
  if (limit < 1 || limit > STOCK_PAGE_MAX) throw new Error(`a page of ${limit} units`);
  const items = itemsOf(filter);
  if (items !== null && items.length > STOCK_ITEMS_MAX) throw new Error('too many items');
  const { walk, looksAtEach } = walkOf(filter);
  let from = beforeSeq;
  for (let look = 1; ; look++) {
    const rows = await db.query(walk, [
      shopId,
      from ?? NO_POSITION,
      looksAtEach ? lookedAtMax : 0,
      // One more says whether there is a next page.
      limit + 1,
      limit + 1,
      filter.statuses ?? (NEEDS_STATUSES.has(walk) ? UNIT_STATUSES : null),
      filter.siteId ?? null,
      filter.locationId ?? null,
      filter.gradeId ?? null,
      items,
      ...(walk === listExactStock ? [filter.exact, unitIdOf(filter.exact ?? '')] : []),
    ]);
    const page = pageOf(rows, limit);
    if (page.units.length > 0 || page.nextBeforeSeq === null || look === LOOKS_MAX) return page;
    from = page.nextBeforeSeq;
  }
}

/** @param rows at most one more than a page holds */
function pageOf(rows: readonly ListRow[], limit: number): StockPage {
  const found = rows.filter((row) => row.id !== null);
  const units = found.slice(0, limit).map(toUnit);
  const cutSeq = rows[0]?.cutSeq ?? 0;
  if (found.length > limit) return { units, nextBeforeSeq: units.at(-1)?.seq ?? null };
  return { units, nextBeforeSeq: cutSeq === 0 ? null : cutSeq };
}

/** The walk that leads past the fewest entries, and whether it leads past some that other filters leave out. */
function walkOf(filter: StockFilter): { walk: Statement<ListRow>; looksAtEach: boolean } {
  const { siteId, locationId, gradeId, statuses } = filter;
  const hasSite = siteId !== undefined;
  const hasGrade = gradeId !== undefined;
  const hasLocation = locationId !== undefined;
  if (filter.exact !== undefined) return { walk: listExactStock, looksAtEach: true };
  if (itemsOf(filter) !== null) {
    return { walk: listStockOfItems, looksAtEach: hasGrade || hasSite || hasLocation };
  }
  if (hasLocation) return { walk: listStockOfLocation, looksAtEach: hasGrade || hasSite };
  if (hasGrade) return { walk: listStockOfGrade, looksAtEach: hasSite };
  const hasPair = hasSite || statuses !== undefined;
  return { walk: hasPair ? listStockOfPlaces : listWholeStock, looksAtEach: false };
}

function itemsOf({ cardIds, productIds }: StockFilter): readonly string[] | null {
  if (cardIds === undefined && productIds === undefined) return null;
  return [...new Set([...(cardIds ?? []), ...(productIds ?? [])])];
}

/** The text where it is an id in any of its common spellings, else null. */
function unitIdOf(text: string): string | null {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text : null;
}

/** A row as a list shows it. */
export function toUnit(row: ListRow): StockUnit {
  const { cutSeq: _cut, doc, id, siteId, siteCode, siteName, ...rest } = row;
  const { locationId, locationCode, locationName, ...unit } = rest;
  if (id === null) throw new Error('a row of no unit');
  const { item, photos } = readRecord(doc);
  const site = { id: siteId, code: siteCode, name: siteName };
  const location =
    locationId === null
      ? null
      : { id: locationId, code: locationCode ?? '', name: locationName ?? '' };
  return { ...unit, id, item, photos, site, location };
}
