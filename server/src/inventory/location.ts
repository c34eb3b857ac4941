import { changeInstant } from '../base/clock.ts';
import { announceSoon } from '../database/channel.ts';
import { type Queryable, StaleRead, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Location, type LocationRow, lockLocation, toLocation } from './location-row.ts';
import { dataOfRecord, renderRecord } from './record.ts';
import { given, lockSites, missingOf, restampSite } from './site.ts';

/** What a location may be. Open for readers; a writer uses one of these. */
export const LOCATION_KINDS = [
  'showcase',
  'shelf',
  'storage',
  'safe',
  'counter',
  'transit',
  'other',
] as const;
export type LocationKind = (typeof LOCATION_KINDS)[number];

/** Locations of a site: its record shows them all and is rendered anew with each change of one. */
export const LOCATIONS_OF_SITE_MAX = 2_000;
/** Locations of a shop: readers get them all in one answer (4.5), some 16 MB at the longest names. */
export const LOCATIONS_OF_SHOP_MAX = 20_000;

/** What a writer says of a location: an omitted member stays as it is, and takes its default on creation. */
export interface LocationChange {
  readonly siteId?: string | undefined;
  readonly code?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: LocationKind | undefined;
  readonly isActive?: boolean | undefined;
}

export type PutLocationResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly location: Location }
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'unknown_reference'; readonly detail: string }
  | { readonly kind: 'conflict'; readonly detail: string };

export const readLocationSite = statement<{ siteId: string }>(
  'read_location_site',
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

export const stampLocation = statement(
  'stamp_location',
  `with head as (
    insert into feed_head (shop_id, epoch, seq, changed_at) values ($1, 1, 1, $10)
    on conflict (shop_id) do update
      set seq = feed_head.seq + 1,
        changed_at = greatest(feed_head.changed_at, excluded.changed_at)
    returning seq
  )
  insert into location (shop_id, location_id, site_id, code, name, kind, is_active, created_at,
    updated_at, doc, seq)
  select $1, $2, $3, $4, $5, $6, $7, $8, $10, $9, head.seq from head
  on conflict (shop_id, location_id) do update set
    site_id = excluded.site_id, code = excluded.code, name = excluded.name,
    kind = excluded.kind, is_active = excluded.is_active, updated_at = excluded.updated_at,
    doc = excluded.doc, seq = excluded.seq
  where location.seq = $11`,
);

export const readLocationRecord = statement<{ doc: string }>(
  'read_location_record',
  `select doc from location where shop_id = $1 and location_id = $2`,
);

export const readLocationPage = statement<{ id: string; doc: string }>(
  'read_location_page',
  `select location_id as id, doc from location
  where shop_id = $1 and ($2::uuid is null or location_id > $2) order by location_id limit $3`,
);

/**
 * Creates or changes a location and stamps it and its site, whose record shows it. A location that units name
 * stays at its site: they name both.
 */
export async function putLocation(
  tx: Transaction,
  shopId: string,
  id: string,
  change: LocationChange,
  now: Date,
): Promise<PutLocationResult> {
  const known = await tx.one(readLocationSite, [shopId, id]);
  const siteIds = [...new Set([known?.siteId, change.siteId].filter((each) => each !== undefined))];
  // Sites first, in the order of their ids: the order of locks everywhere.
  const sites = await lockSites(tx, shopId, siteIds);
  const row = await lockLocation(tx, shopId, id);
  if (row?.siteId !== known?.siteId) throw new StaleRead('the location changed meanwhile');
  const { siteId, code, name, kind } = { ...row, ...given(change) };
  if (siteId === undefined || code === undefined || name === undefined || kind === undefined) {
    return { kind: 'incomplete', missing: missingOf({ siteId, code, name, kind }) };
  }
  if (!sites.some((site) => site.id === siteId)) {
    return { kind: 'unknown_reference', detail: `siteId: the shop has no site ${siteId}` };
  }
  const isActive = change.isActive ?? row?.isActive ?? true;
  const next: LocationRow = {
    id,
    siteId,
    code,
    name,
    kind,
    isActive,
    createdAt: row?.createdAt ?? now,
    updatedAt: changeInstant(row?.updatedAt, now),
    seq: row?.seq ?? 0,
  };
  if (row !== undefined && isSameLocation(row, next)) {
    return { kind: 'unchanged', location: toLocation(row) };
  }
  if (row !== undefined && row.siteId !== siteId && (await holdsUnits(tx, shopId, id))) {
    const detail = 'siteId: a location that units refer to stays at its site; make another one';
    return { kind: 'conflict', detail };
  }
  if (row?.siteId !== siteId) {
    const detail = await refuseTooMany(tx, shopId, siteId, row === undefined);
    if (detail !== null) return { kind: 'conflict', detail };
  }
  const location = await writeLocation(tx, shopId, next);
  for (const site of sites) await restampSite(tx, shopId, site, now);
  return { kind: row === undefined ? 'created' : 'updated', location };
}

async function holdsUnits(tx: Transaction, shopId: string, id: string): Promise<boolean> {
  return (await tx.one(hasUnitsInLocation, [shopId, id]))?.hasUnits ?? false;
}

/**
 * Why the site takes no further location, or null. The site is locked, so its bound is exact; writers at other sites of
 * the shop may pass the shop's bound together, each by one.
 */
async function refuseTooMany(
  tx: Transaction,
  shopId: string,
  siteId: string,
  isNew: boolean,
): Promise<string | null> {
  const { ofSite = 0, ofShop = 0 } = (await tx.one(countLocations, [shopId, siteId])) ?? {};
  if (ofSite >= LOCATIONS_OF_SITE_MAX) {
    return `siteId: a site has at most ${LOCATIONS_OF_SITE_MAX} locations`;
  }
  if (isNew && ofShop >= LOCATIONS_OF_SHOP_MAX) {
    return `a shop has at most ${LOCATIONS_OF_SHOP_MAX} locations`;
  }
  return null;
}

async function writeLocation(tx: Transaction, shopId: string, row: LocationRow): Promise<Location> {
  const location = toLocation(row);
  const doc = renderRecord('location', row.id, row.updatedAt, JSON.stringify(location));
  const written = await tx.count(stampLocation, [
    shopId,
    row.id,
    row.siteId,
    row.code,
    row.name,
    row.kind,
    row.isActive,
    row.createdAt,
    doc,
    row.updatedAt,
    row.seq,
  ]);
  if (written !== 1) throw new StaleRead('the location was created meanwhile');
  announceSoon(tx, 'stock', shopId);
  return location;
}

/** One location as JSON text, or undefined when the shop has none of that id. */
export async function findLocationText(
  db: Queryable,
  shopId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db.one(readLocationRecord, [shopId, id]);
  return row === undefined ? undefined : dataOfRecord(row.doc);
}

/** Locations in the order of their ids, after `afterId` (null: from the first), at most `limit`. */
export async function listLocations(
  db: Queryable,
  shopId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<{ readonly id: string; readonly text: string }[]> {
  const rows = await db.query(readLocationPage, [shopId, page.afterId, page.limit]);
  return rows.map((row) => ({ id: row.id, text: dataOfRecord(row.doc) }));
}

function isSameLocation(a: LocationRow, b: LocationRow): boolean {
  return (
    a.siteId === b.siteId &&
    a.code === b.code &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.isActive === b.isActive
  );
}
