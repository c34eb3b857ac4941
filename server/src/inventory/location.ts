import type { Members } from '../base/field.ts';
import { areSame, namesOf } from '../base/object-fields.ts';
import { StaleRead, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { LOCATION_COLUMNS, type LocationRow, lockLocation } from './location-row.ts';
import { LOCATION_FIELDS, type LOCATION_KINDS } from './place-field.ts';
import { mergePlace, showPlace, upsertPlaceSql, writePlace } from './place-row.ts';
import { placeJson, renderRecord, createTextFinder, createTextLister } from './record.ts';
import { lockSites, writeSite } from './site.ts';

export { LOCATION_KINDS } from './place-field.ts';
export type LocationKind = (typeof LOCATION_KINDS)[number];

/** Limited because the site's record has all its locations, and any change renders it again. */
export const LOCATIONS_OF_SITE_MAX = 2_000;
/** Clients get all of them in one response (spec 4.5): about 16 MB with the longest names. */
export const LOCATIONS_OF_SHOP_MAX = 20_000;

/** An omitted member keeps its current value; on creation it gets its default. */
export type LocationChange = Members<typeof LOCATION_FIELDS>;

export type PutLocationResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly text: string }
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'unknown_reference'; readonly detail: string }
  | { readonly kind: 'conflict'; readonly detail: string };

export const selectLocationSite = statement<{ siteId: string }>(
  'select_location_site',
  `select site_id as "siteId" from location where shop_id = $1 and location_id = $2`,
);

export const hasUnitsInLocation = statement<{ hasUnits: boolean }>(
  'has_units_in_location',
  `select exists (select from unit where shop_id = $1 and location_id = $2) as "hasUnits"`,
);

export const countLocations = statement<{ ofSite: number; ofShop: number }>(
  'count_locations',
  `select count(*) filter (where site_id = $2) as "ofSite", count(*) as "ofShop"
  from location where shop_id = $1`,
);

export const upsertLocation = statement(
  'stamp_location',
  upsertPlaceSql('location', LOCATION_COLUMNS),
);

export const selectLocationRecord = statement<{ doc: string }>(
  'select_location_record',
  `select doc from location where shop_id = $1 and location_id = $2`,
);

export const selectLocationPage = statement<{ id: string; doc: string }>(
  'select_location_page',
  `select location_id as id, doc from location
  where shop_id = $1 and ($2::uuid is null or location_id > $2) order by location_id limit $3`,
);

/**
 * Assigns new feed positions to the location and to its site, whose record contains it. A location
 * with units cannot move to another site, because units also refer to the site.
 */
export async function putLocation(
  tx: Transaction,
  shopId: string,
  id: string,
  change: LocationChange,
  now: Date,
): Promise<PutLocationResult> {
  const known = await tx.one(selectLocationSite, [shopId, id]);
  const siteIds = [...new Set([known?.siteId, change.siteId].filter((each) => each !== undefined))];
  // All writers lock sites by id first, then locations.
  const sites = await lockSites(tx, shopId, siteIds);
  const row = await lockLocation(tx, shopId, id);
  if (row?.siteId !== known?.siteId) throw new StaleRead('the location was changed concurrently');
  const merged = mergePlace(LOCATION_FIELDS, id, change, row, now);
  if (merged.kind === 'incomplete') return merged;
  const { siteId } = merged.row;
  if (!sites.some((site) => site.id === siteId)) {
    return { kind: 'unknown_reference', detail: `siteId: the shop has no site ${siteId}` };
  }
  if (row !== undefined && areSame(row, merged.row, namesOf(LOCATION_FIELDS))) {
    return { kind: 'unchanged', text: JSON.stringify(showPlace(row)) };
  }
  if (row !== undefined && row.siteId !== siteId && (await holdsUnits(tx, shopId, id))) {
    const detail =
      'siteId: a location with units cannot move to another site; create a new location instead';
    return { kind: 'conflict', detail };
  }
  if (row?.siteId !== siteId) {
    const detail = await describeExceededLimit(tx, shopId, siteId, row === undefined);
    if (detail !== null) return { kind: 'conflict', detail };
  }
  const text = await writeLocation(tx, shopId, merged.row);
  for (const site of sites) await writeSite(tx, shopId, site, now);
  return { kind: row === undefined ? 'created' : 'updated', text };
}

async function holdsUnits(tx: Transaction, shopId: string, id: string): Promise<boolean> {
  return (await tx.one(hasUnitsInLocation, [shopId, id]))?.hasUnits ?? false;
}

/**
 * The site is locked, so its limit is exact; concurrent writers at other sites may each exceed the
 * shop's limit by one.
 */
async function describeExceededLimit(
  tx: Transaction,
  shopId: string,
  siteId: string,
  isNew: boolean,
): Promise<string | null> {
  const { ofSite = 0, ofShop = 0 } = (await tx.one(countLocations, [shopId, siteId])) ?? {};
  if (ofSite >= LOCATIONS_OF_SITE_MAX) {
    return `siteId: a site can have at most ${LOCATIONS_OF_SITE_MAX} locations`;
  }
  if (isNew && ofShop >= LOCATIONS_OF_SHOP_MAX) {
    return `a shop can have at most ${LOCATIONS_OF_SHOP_MAX} locations`;
  }
  return null;
}

async function writeLocation(tx: Transaction, shopId: string, row: LocationRow): Promise<string> {
  const text = JSON.stringify(showPlace(row));
  const doc = renderRecord('location', row.id, row.updatedAt, text);
  const write = { shopId, row, doc, now: row.updatedAt };
  await writePlace(tx, upsertLocation, write, LOCATION_COLUMNS.values(row));
  return text;
}

export const findLocationText = createTextFinder(selectLocationRecord, placeJson);
export const listLocations = createTextLister(selectLocationPage, placeJson);
