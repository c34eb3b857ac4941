import type { Queryable } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';
import { parseUnitRecord, type StockItem } from './stock-item.ts';
import {
  selectExactStock,
  type ListRow,
  selectStockOfGrade,
  selectStockOfItems,
  selectStockOfLocation,
  selectStockOfPlaces,
  selectWholeStock,
} from './stock-list-sql.ts';
import type { ShownPhoto } from './unit-photo.ts';
import { UNIT_STATUSES, type UnitStatus } from './unit-status.ts';

export const STOCK_PAGE_MAX = 200;
/** A filter can have as many cards and products as one search finds. */
export const STOCK_ITEMS_MAX = 100;
/**
 * The maximum number of index entries that a query reads if it must filter each of them, for
 * example for a card at one site. Reading them takes about 15 ms. With a lower maximum, more pages
 * are short; with a higher one, pages are slow in a stock of a million units.
 */
const SCANNED_MAX = 5_000;
const QUERIES_MAX = 4;
const NO_POSITION = Number.MAX_SAFE_INTEGER;

/** These statements scan an index once per status. They get all statuses if the filter has none. */
const NEEDS_STATUSES: ReadonlySet<Statement<ListRow>> = new Set([
  selectStockOfItems,
  selectStockOfPlaces,
  selectStockOfLocation,
  selectStockOfGrade,
]);

/** A unit must match every filter that is present. */
export interface StockFilter {
  readonly statuses?: readonly UnitStatus[] | undefined;
  readonly siteId?: string | undefined;
  readonly locationId?: string | undefined;
  /**
   * Matches units of any of these cards or `productIds`, together at most `STOCK_ITEMS_MAX`. An
   * empty list matches nothing.
   */
  readonly cardIds?: readonly string[] | undefined;
  readonly productIds?: readonly string[] | undefined;
  readonly gradeId?: string | undefined;
  /** A unit's id, certificate number or serial number, in full-width or half-width characters. */
  readonly exact?: string | undefined;
  /** Excludes the units that `exact` would match. Use it only with `cardIds` or `productIds`. */
  readonly exceptExact?: string | undefined;
}

/** `beforeSeq` is null for the first page, else `nextBeforeSeq` of the previous page. */
export interface StockPageRequest {
  readonly beforeSeq: number | null;
  /** The maximum number of units, 1 to `STOCK_PAGE_MAX`. */
  readonly limit: number;
}

export interface StockPlace {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

/** A listed unit. `seq` is the feed position of its latest change. */
export interface StockUnit extends Omit<
  ListRow,
  'cutSeq' | 'doc' | `site${string}` | `location${string}`
> {
  readonly id: string;
  readonly item: StockItem;
  readonly site: StockPlace;
  readonly location: StockPlace | null;
  readonly photos: readonly ShownPhoto[];
}

/**
 * Most recently changed first. `nextBeforeSeq` is null on the last page. A query reads a limited
 * number of entries. If a filter combines two of card, grade and place, and one of them matches
 * more than 5,000 units, a page may be short or empty although more units follow.
 */
export interface StockPage {
  readonly units: readonly StockUnit[];
  readonly nextBeforeSeq: number | null;
}

/** Takes a few milliseconds however large the stock is, because it computes no total. */
export async function listStock(
  db: Queryable,
  shopId: string,
  filter: StockFilter,
  { beforeSeq, limit }: StockPageRequest,
  scannedMax: number = SCANNED_MAX,
): Promise<StockPage> {
  if (limit < 1 || limit > STOCK_PAGE_MAX) throw new Error(`a page of ${limit} units`);
  const items = itemIdsOf(filter);
  if (items !== null && items.length > STOCK_ITEMS_MAX) throw new Error('too many items');
  const number = filter.exact ?? filter.exceptExact ?? null;
  const scans = chooseScans(filter);
  let from = beforeSeq;
  for (let queryCount = 1; ; queryCount++) {
    const { scan, filtersEach } = scans[Math.min(queryCount, scans.length) - 1] ?? WHOLE_SCAN;
    const hasNumber = scan === selectExactStock || scan === selectStockOfItems;
    const rows = await db.query(scan, [
      shopId,
      from ?? NO_POSITION,
      filtersEach ? scannedMax : 0,
      // Request one more unit than is shown, to know whether there is a next page.
      limit + 1,
      limit + 1,
      filter.statuses ?? (NEEDS_STATUSES.has(scan) ? UNIT_STATUSES : null),
      filter.siteId ?? null,
      filter.locationId ?? null,
      filter.gradeId ?? null,
      items,
      ...(hasNumber ? [spellingsOf(number), parseUnitId(number ?? '')] : []),
    ]);
    const page = pageOf(rows, limit);
    const isWhole = page.units.length === limit || page.nextBeforeSeq === null;
    if (isWhole || queryCount === QUERIES_MAX) return page;
    if (queryCount < scans.length) continue;
    if (page.units.length > 0) return page;
    from = page.nextBeforeSeq;
  }
}

function pageOf(rows: readonly ListRow[], limit: number): StockPage {
  const found = rows.filter((row) => row.id !== null);
  const units = found.slice(0, limit).map(toStockUnit);
  const cutSeq = rows[0]?.cutSeq ?? 0;
  if (found.length > limit) return { units, nextBeforeSeq: units.at(-1)?.seq ?? null };
  return { units, nextBeforeSeq: cutSeq === 0 ? null : cutSeq };
}

/** A statement, and whether it filters each index entry that it reads. */
interface Scan {
  readonly scan: Statement<ListRow>;
  readonly filtersEach: boolean;
}

const WHOLE_SCAN: Scan = { scan: selectWholeStock, filtersEach: false };

/**
 * Returns the statements that read the fewest entries. Each statement but the last is tried once,
 * and its rows are used only if they fill a page.
 */
function chooseScans(filter: StockFilter): readonly Scan[] {
  const { siteId, locationId, gradeId, statuses } = filter;
  const hasSite = siteId !== undefined;
  const hasGrade = gradeId !== undefined;
  const hasLocation = locationId !== undefined;
  if (filter.exact !== undefined) return [{ scan: selectExactStock, filtersEach: true }];
  if (itemIdsOf(filter) !== null) {
    const filtersEach = hasGrade || hasSite || hasLocation;
    const ofItems = { scan: selectStockOfItems, filtersEach };
    // A card may have many units, but few of this grade.
    const isGradeTried = hasGrade && filter.exceptExact === undefined;
    return isGradeTried ? [{ scan: selectStockOfGrade, filtersEach }, ofItems] : [ofItems];
  }
  if (hasLocation) return [{ scan: selectStockOfLocation, filtersEach: hasGrade || hasSite }];
  if (hasGrade) return [{ scan: selectStockOfGrade, filtersEach: hasSite }];
  const hasPair = hasSite || statuses !== undefined;
  return [hasPair ? { scan: selectStockOfPlaces, filtersEach: false } : WHOLE_SCAN];
}

export function itemIdsOf({ cardIds, productIds }: StockFilter): readonly string[] | null {
  if (cardIds === undefined && productIds === undefined) return null;
  return [...new Set([...(cardIds ?? []), ...(productIds ?? [])])];
}

/** Returns a number as it was entered and, if that differs, with half-width characters. */
export function spellingsOf(number: string | null): readonly string[] {
  return number === null ? [] : [...new Set([number, number.normalize('NFKC')])];
}

export function parseUnitId(text: string): string | null {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text : null;
}

export function toStockUnit(row: ListRow): StockUnit {
  const { cutSeq: _cut, doc, id, siteId, siteCode, siteName, ...rest } = row;
  const { locationId, locationCode, locationName, ...unit } = rest;
  if (id === null) throw new Error('a row without a unit');
  const { item, photos } = parseUnitRecord(doc);
  const site = { id: siteId, code: siteCode, name: siteName };
  const location =
    locationId === null
      ? null
      : { id: locationId, code: locationCode ?? '', name: locationName ?? '' };
  return { ...unit, id, item, photos, site, location };
}
