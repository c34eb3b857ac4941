import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { SITES_MAX } from './site.ts';

/** The maximum number of sums. A site rarely has units in more than one currency. */
const SUMS_MAX = 4 * SITES_MAX;

/** The sums of the units in stock at a site, in one currency. A missing amount counts as 0. */
export interface StockValue {
  readonly siteId: string;
  readonly currency: string;
  readonly priceMinor: number;
  readonly costMinor: number;
}

// The list of statuses repeats the condition of the index `unit_value`. The index has all columns
// that are read here, which allows an index-only scan. The sums of a huge stock exceed `bigint`, so
// they are floating-point numbers, exact to 2^53.
export const sumStockValue = statement<StockValue>(
  'sum_stock_value',
  `select site_id as "siteId", currency, coalesce(sum(price_minor), 0)::float8 as "priceMinor",
    coalesce(sum(cost_minor), 0)::float8 as "costMinor"
  from unit
  where shop_id = $1 and status in ('in_stock', 'reserved', 'in_transit', 'grading')
  group by site_id, currency order by site_id, currency limit $2`,
);

/** A million units take 90 ms, or 600 ms between a large write and the next vacuum (measured). */
export async function readStockValue(db: Queryable, shopId: string): Promise<StockValue[]> {
  return await db.query(sumStockValue, [shopId, SUMS_MAX]);
}
