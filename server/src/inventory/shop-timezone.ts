import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

export const selectShopTimezone = statement<{ readonly timezone: string | null }>(
  'select_shop_timezone',
  `select coalesce(
            s.timezone,
            (select timezone from site where shop_id = $1
              order by is_active desc, created_at, site_id limit 1)) as timezone
     from shop s where s.shop_id = $1`,
);

/** The time zone in the shop's settings, or else that of its oldest site, active sites first. */
export async function findShopTimezone(db: Queryable, shopId: string): Promise<string | undefined> {
  return (await db.one(selectShopTimezone, [shopId]))?.timezone ?? undefined;
}
