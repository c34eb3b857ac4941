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

/** The sum over a larger stock may be reused: a million units take 90 to 600 ms (measured). */
const EXACT_UNITS_MAX = 100_000;
const REUSED_FOR_MS = 60_000;
/** The maximum number of large shops with kept sums. */
const SHOPS_MAX = 1_000;

/** True if `StockValues` may return sums of the last minute for a shop with this many units. */
export function isValueReused(unitsInStock: number): boolean {
  return unitsInStock > EXACT_UNITS_MAX;
}

/** Reads the value of a shop's stock, and keeps that of a large stock for a minute. */
export class StockValues {
  readonly #db: Queryable;
  readonly #large = new Map<string, { readonly readAt: Date; readonly values: StockValue[] }>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  async read(shopId: string, unitsInStock: number, now: Date): Promise<StockValue[]> {
    const known = this.#large.get(shopId);
    const isLarge = isValueReused(unitsInStock);
    if (isLarge && known !== undefined) {
      const ageMs = now.getTime() - known.readAt.getTime();
      if (ageMs >= 0 && ageMs < REUSED_FOR_MS) return known.values;
    }
    const values = await this.#db.query(sumStockValue, [shopId, SUMS_MAX]);
    if (isLarge) {
      if (this.#large.size >= SHOPS_MAX) this.#large.clear();
      this.#large.set(shopId, { readAt: now, values });
    }
    return values;
  }
}
