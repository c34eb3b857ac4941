import { changeInstant, laterOf } from '../base/clock.ts';
import { announceSoon } from '../database/channel.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { StaleRead } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Location, listLocationsOfSite } from './location-row.ts';
import { dataOfRecord, renderRecord } from './record.ts';

/** What a site may be. Open for readers; a writer uses one of these. */
export const SITE_KINDS = ['store', 'warehouse', 'event', 'online', 'other'] as const;
export type SiteKind = (typeof SITE_KINDS)[number];

/** Sites of a shop: readers get them all in one answer (4.5). */
export const SITES_MAX = 1_000;

/** A site as every API shows it (specification 2.4), its locations included. */
export interface Site {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly countryCode: string;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly locations: readonly Location[];
}

/** What a writer says of a site: an omitted member stays as it is, and takes its default on creation. */
export interface SiteChange {
  readonly code?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: SiteKind | undefined;
  readonly countryCode?: string | undefined;
  readonly timezone?: string | undefined;
  readonly isActive?: boolean | undefined;
}

export type PutSiteResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly site: Site }
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'conflict'; readonly detail: string };

interface SiteRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly countryCode: string;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly seq: number;
}

export const lockSiteRows = statement<SiteRow>(
  'lock_site_rows',
  `select site_id as id, code, name, kind, country_code as "countryCode", timezone,
    is_active as "isActive", created_at as "createdAt", updated_at as "updatedAt", seq
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

// The head row is locked last and held to the commit: positions are in the order of the commits. A writer has read its
// clock before, so the head's instant is the newest of all writers'.
// A row that another transaction created in between has a position that was not read: nothing is written.
export const stampSite = statement(
  'stamp_site',
  `with head as (
    insert into feed_head (shop_id, epoch, seq, changed_at) values ($1, 1, 1, $12)
    on conflict (shop_id) do update
      set seq = feed_head.seq + 1,
        changed_at = greatest(feed_head.changed_at, excluded.changed_at)
    returning seq
  )
  insert into site (shop_id, site_id, code, name, kind, country_code, timezone, is_active,
    created_at, updated_at, doc, seq)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, head.seq from head
  on conflict (shop_id, site_id) do update set
    code = excluded.code, name = excluded.name, kind = excluded.kind,
    country_code = excluded.country_code, timezone = excluded.timezone,
    is_active = excluded.is_active, updated_at = excluded.updated_at, doc = excluded.doc,
    seq = excluded.seq
  where site.seq = $13`,
);

export const readSiteRecords = statement<{ doc: string }>(
  'read_site_records',
  `select doc from site where shop_id = $1 order by code, site_id`,
);

export const readSiteRecord = statement<{ doc: string }>(
  'read_site_record',
  `select doc from site where shop_id = $1 and site_id = $2`,
);

export const readSitePage = statement<{ id: string; doc: string }>(
  'read_site_page',
  `select site_id as id, doc from site
  where shop_id = $1 and ($2::uuid is null or site_id > $2) order by site_id limit $3`,
);

/** Creates or changes a site and stamps it; an identical write stamps nothing (decision 0009). */
export async function putSite(
  tx: Transaction,
  shopId: string,
  id: string,
  change: SiteChange,
  now: Date,
): Promise<PutSiteResult> {
  const [row] = await lockSites(tx, shopId, [id]);
  const { code, name, kind, countryCode, timezone } = { ...row, ...given(change) };
  if (
    code === undefined ||
    name === undefined ||
    kind === undefined ||
    countryCode === undefined ||
    timezone === undefined
  ) {
    const values = { code, name, kind, countryCode, timezone };
    return { kind: 'incomplete', missing: missingOf(values) };
  }
  const isActive = change.isActive ?? row?.isActive ?? true;
  const next: SiteRow = {
    id,
    code,
    name,
    kind,
    countryCode,
    timezone,
    isActive,
    createdAt: row?.createdAt ?? now,
    updatedAt: changeInstant(row?.updatedAt, now),
    seq: row?.seq ?? 0,
  };
  if (row !== undefined && isSameSite(row, next)) {
    const locations = await listLocationsOfSite(tx, shopId, id);
    return { kind: 'unchanged', site: toSite(row, locations) };
  }
  if (row === undefined && (await hasAllSites(tx, shopId))) {
    const made = await tx.one(readSiteRecord, [shopId, id]);
    if (made !== undefined) throw new StaleRead('the site was created meanwhile');
    return { kind: 'conflict', detail: `a shop has at most ${SITES_MAX} sites` };
  }
  const site = await writeSite(tx, shopId, next, now);
  return { kind: row === undefined ? 'created' : 'updated', site };
}

/** The head row is what a new site is stamped from: whoever holds it sees every site that was made before. */
async function hasAllSites(tx: Transaction, shopId: string): Promise<boolean> {
  await tx.query(lockHead, [shopId]);
  const counted = await tx.one(countSites, [shopId]);
  return (counted?.sites ?? 0) >= SITES_MAX;
}

/** Locks sites in the order of their ids, so that changes of them and of their locations take turns. */
export async function lockSites(
  tx: Transaction,
  shopId: string,
  ids: readonly string[],
): Promise<SiteRow[]> {
  return await tx.query(lockSiteRows, [shopId, ids]);
}

/** Stamps a locked site again, because one of its locations changed: its record shows them. */
export async function restampSite(
  tx: Transaction,
  shopId: string,
  row: SiteRow,
  now: Date,
): Promise<void> {
  await writeSite(tx, shopId, row, now);
}

async function writeSite(tx: Transaction, shopId: string, row: SiteRow, now: Date): Promise<Site> {
  const site = toSite(row, await listLocationsOfSite(tx, shopId, row.id));
  const doc = renderRecord('site', row.id, laterOf(row.updatedAt, now), JSON.stringify(site));
  const written = await tx.count(stampSite, [
    shopId,
    row.id,
    row.code,
    row.name,
    row.kind,
    row.countryCode,
    row.timezone,
    row.isActive,
    row.createdAt,
    row.updatedAt,
    doc,
    now,
    row.seq,
  ]);
  if (written !== 1) throw new StaleRead('the site was created meanwhile');
  announceSoon(tx, 'stock', shopId);
  return site;
}

/** All sites of a shop, inactive ones included, as the text of a JSON array (4.5). */
export async function readSitesText(db: Queryable, shopId: string): Promise<string> {
  const rows = await db.query(readSiteRecords, [shopId]);
  return `[${rows.map((row) => dataOfRecord(row.doc)).join(',')}]`;
}

/** One site as JSON text, or undefined when the shop has none of that id. */
export async function findSiteText(
  db: Queryable,
  shopId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db.one(readSiteRecord, [shopId, id]);
  return row === undefined ? undefined : dataOfRecord(row.doc);
}

/** Sites in the order of their ids, after `afterId` (null: from the first), at most `limit`. */
export async function listSites(
  db: Queryable,
  shopId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<{ readonly id: string; readonly text: string }[]> {
  const rows = await db.query(readSitePage, [shopId, page.afterId, page.limit]);
  return rows.map((row) => ({ id: row.id, text: dataOfRecord(row.doc) }));
}

function toSite(row: SiteRow, locations: readonly Location[]): Site {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    kind: row.kind,
    countryCode: row.countryCode,
    timezone: row.timezone,
    isActive: row.isActive,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    locations,
  };
}

function isSameSite(a: SiteRow, b: SiteRow): boolean {
  return (
    a.code === b.code &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.countryCode === b.countryCode &&
    a.timezone === b.timezone &&
    a.isActive === b.isActive
  );
}

/** The members that were given: `undefined` means omitted, and must not overwrite. */
export function given<T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The entries that are left are those of the mapped type.
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The names of the members that have no value. */
export function missingOf(values: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(values).filter((name) => values[name] === undefined);
}
