import type { Queryable } from '../database/database.ts';
import { SITES_MAX } from './site.ts';
import { statement } from '../database/statement.ts';

export const selectSiteNames = statement<{ readonly id: string; readonly name: string }>(
  'read_site_names',
  `select site_id as id, name from site where shop_id = $1 limit $2`,
);

export async function readSiteNames(
  db: Queryable,
  shopId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query(selectSiteNames, [shopId, SITES_MAX]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
