import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { SITES_MAX } from './site.ts';

/** A site as a list shows it. */
export interface ShownSite {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly countryCode: string;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly updatedAt: Date;
}

export const selectShownSites = statement<ShownSite>(
  'select_shown_sites',
  `select site_id as id, code, name, kind, country_code as "countryCode", timezone,
    is_active as "isActive", updated_at as "updatedAt"
  from site where shop_id = $1 and ($2::uuid is null or site_id = $2)
  order by code, site_id limit $3`,
);

/** A shop's sites in the order of their codes, without their locations; inactive ones too. */
export async function listShownSites(db: Queryable, shopId: string): Promise<ShownSite[]> {
  return await db.query(selectShownSites, [shopId, null, SITES_MAX]);
}

/** One site, or undefined when the shop has none of that id. */
export async function findShownSite(
  db: Queryable,
  shopId: string,
  id: string,
): Promise<ShownSite | undefined> {
  return await db.one(selectShownSites, [shopId, id, 1]);
}
