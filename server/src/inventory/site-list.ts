import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { SITE_COLUMNS, type SiteRow, SITES_MAX } from './site.ts';

export type ShownSite = Omit<SiteRow, 'seq'>;

export const selectShownSites = statement<ShownSite>(
  'select_shown_sites',
  `select site_id as id, ${SITE_COLUMNS.select()}
  from site where shop_id = $1 and ($2::uuid is null or site_id = $2)
  order by code, site_id limit $3`,
);

export async function listShownSites(db: Queryable, shopId: string): Promise<ShownSite[]> {
  return await db.query(selectShownSites, [shopId, null, SITES_MAX]);
}

export async function findShownSite(
  db: Queryable,
  shopId: string,
  id: string,
): Promise<ShownSite | undefined> {
  return await db.one(selectShownSites, [shopId, id, 1]);
}
