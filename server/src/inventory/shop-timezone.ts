import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

export const selectShopTimezone = statement<{ readonly timezone: string }>(
  'select_shop_timezone',
  `select timezone from site where shop_id = $1 order by is_active desc, created_at, site_id limit 1`,
);

/**
 * Returns the time zone of the oldest active site, for the shop's pages. Undefined without a site.
 */
export async function findShopTimezone(db: Queryable, shopId: string): Promise<string | undefined> {
  return (await db.one(selectShopTimezone, [shopId]))?.timezone;
}
