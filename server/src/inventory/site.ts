import { laterOf } from '../base/clock.ts';
import type { Members } from '../base/field.ts';
import { areSame, namesOf, type Values } from '../base/object-fields.ts';
import { Columns, columnsOf } from '../database/columns.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { StaleRead } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Location, listLocationsOfSite } from './location-row.ts';
import { SITE_FIELDS, type SITE_KINDS } from './place-field.ts';
import {
  mergePlace,
  PLACE_INSTANTS,
  type PlaceRow,
  type ShownPlace,
  showPlace,
  upsertPlaceSql,
  writePlace,
} from './place-row.ts';
import { placeJson, renderRecord, createTextFinder, createTextLister } from './record.ts';

export { SITE_KINDS } from './place-field.ts';
export type SiteKind = (typeof SITE_KINDS)[number];

/** The maximum number of sites of a shop. Clients get all of them in one response (spec 4.5). */
export const SITES_MAX = 1_000;

/** A site with its locations (spec 2.4). */
export interface Site extends ShownPlace<SiteRow> {
  readonly locations: readonly Location[];
}

/** An omitted member keeps its current value; on creation it gets its default. */
export type SiteChange = Members<typeof SITE_FIELDS>;

export type PutSiteResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly text: string }
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'conflict'; readonly detail: string };

export interface SiteRow extends Values<typeof SITE_FIELDS>, PlaceRow {}

export const SITE_COLUMNS = new Columns<Omit<SiteRow, 'id' | 'seq'>>({
  ...columnsOf(SITE_FIELDS),
  ...PLACE_INSTANTS,
});

export const lockSiteRows = statement<SiteRow>(
  'lock_site_rows',
  `select site_id as id, ${SITE_COLUMNS.select()}, seq
  from site where shop_id = $1 and site_id = any($2::uuid[])
  order by site_id for no key update`,
);

export const lockHead = statement(
  'lock_head',
  `select seq from feed_head where shop_id = $1 for no key update`,
);

export const countSites = statement<{ sites: number }>(
  'count_sites',
  `select count(*) as sites from site where shop_id = $1`,
);

export const upsertSite = statement('stamp_site', upsertPlaceSql('site', SITE_COLUMNS));

export const selectSiteRecords = statement<{ doc: string }>(
  'select_site_records',
  `select doc from site where shop_id = $1 order by code, site_id`,
);

export const selectSiteRecord = statement<{ doc: string }>(
  'select_site_record',
  `select doc from site where shop_id = $1 and site_id = $2`,
);

export const selectSitePage = statement<{ id: string; doc: string }>(
  'select_site_page',
  `select site_id as id, doc from site
  where shop_id = $1 and ($2::uuid is null or site_id > $2) order by site_id limit $3`,
);

/** An identical write changes nothing, not even the feed position (decision 0009). */
export async function putSite(
  tx: Transaction,
  shopId: string,
  id: string,
  change: SiteChange,
  now: Date,
): Promise<PutSiteResult> {
  const [row] = await lockSites(tx, shopId, [id]);
  const merged = mergePlace(SITE_FIELDS, id, change, row, now);
  if (merged.kind === 'incomplete') return merged;
  if (row !== undefined && areSame(row, merged.row, namesOf(SITE_FIELDS))) {
    const locations = await listLocationsOfSite(tx, shopId, id);
    return { kind: 'unchanged', text: siteText(row, locations) };
  }
  if (row === undefined && (await isSiteLimitReached(tx, shopId))) {
    const made = await tx.one(selectSiteRecord, [shopId, id]);
    if (made !== undefined) throw new StaleRead('the site was created concurrently');
    return { kind: 'conflict', detail: `a shop can have at most ${SITES_MAX} sites` };
  }
  const text = await writeSite(tx, shopId, merged.row, now);
  return { kind: row === undefined ? 'created' : 'updated', text };
}

/** Sites are created under the lock of the feed head, so the count includes all earlier ones. */
async function isSiteLimitReached(tx: Transaction, shopId: string): Promise<boolean> {
  await tx.query(lockHead, [shopId]);
  const counted = await tx.one(countSites, [shopId]);
  return (counted?.sites ?? 0) >= SITES_MAX;
}

/** Locks sites in id order, which serializes changes of sites and locations without deadlocks. */
export async function lockSites(
  tx: Transaction,
  shopId: string,
  ids: readonly string[],
): Promise<SiteRow[]> {
  return await tx.query(lockSiteRows, [shopId, ids]);
}

/** Renders the site with its current locations. The caller must have locked the site. */
export async function writeSite(
  tx: Transaction,
  shopId: string,
  row: SiteRow,
  now: Date,
): Promise<string> {
  const text = siteText(row, await listLocationsOfSite(tx, shopId, row.id));
  const doc = renderRecord('site', row.id, laterOf(row.updatedAt, now), text);
  await writePlace(tx, upsertSite, { shopId, row, doc, now }, SITE_COLUMNS.values(row));
  return text;
}

function siteText(row: SiteRow, locations: readonly Location[]): string {
  const site: Site = { ...showPlace(row), locations };
  return JSON.stringify(site);
}

/** Returns all sites, including inactive sites, as a JSON array (spec 4.5). */
export async function readSitesText(db: Queryable, shopId: string): Promise<string> {
  const rows = await db.query(selectSiteRecords, [shopId]);
  return `[${rows.map(placeJson).join(',')}]`;
}

export const findSiteText = createTextFinder(selectSiteRecord, placeJson);
export const listSites = createTextLister(selectSitePage, placeJson);
