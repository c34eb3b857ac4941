import type { Database, Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { lockHead } from './site.ts';
import { QUARTER_MS } from './stock-effects.ts';
import type { UnitStatus } from './unit-status.ts';

/** Movements are kept for 400 days, enough for a chart of one year and the month before it. */
const MOVEMENTS_KEPT_MS = 400 * 86_400_000;
/** The maximum number of quarter-hours that one read returns: all that are kept (4 × 24 × 400). */
const MOVEMENTS_MAX = 38_400;
/** The maximum number of rows that one statement locks. */
const REMOVED_AT_ONCE = 10_000;
/** The maximum number of statements in one run. The next run continues. */
const REMOVALS_MAX = 100;

/** The number of units at a site in a status, never 0. */
export interface StockCount {
  readonly siteId: string;
  readonly status: UnitStatus;
  readonly units: number;
}

/** The change in the number of units in stock during the quarter-hour that begins at `quarter`. */
export interface StockMovement {
  readonly quarter: Date;
  readonly delta: number;
}

export const selectStockCounts = statement<StockCount>(
  'select_stock_counts',
  `select site_id as "siteId", status, units from stock_count
  where shop_id = $1 and units <> 0 order by site_id, status`,
);

export const selectUnitCount = statement<{ readonly units: number }>(
  'select_unit_count',
  `select coalesce(sum(units), 0)::bigint as units from stock_count where shop_id = $1`,
);

export const selectStockMovements = statement<StockMovement>(
  'select_stock_movements',
  `select quarter, delta from stock_movement
  where shop_id = $1 and quarter >= $2 and delta <> 0 order by quarter limit $3`,
);

export const removeStockMovements = statement(
  'remove_stock_movements',
  `delete from stock_movement where (shop_id, quarter) in (
    select shop_id, quarter from stock_movement where quarter < $1 limit $2
  )`,
);

export const clearStockCounts = statement(
  'clear_stock_counts',
  `delete from stock_count where shop_id = $1`,
);

export const fillStockCounts = statement(
  'fill_stock_counts',
  `insert into stock_count (shop_id, site_id, status, units)
  select shop_id, site_id, status, count(*) from unit
  where shop_id = $1 group by shop_id, site_id, status`,
);

/** Returns the number of all units of a shop, sold ones included. */
export async function countUnits(db: Queryable, shopId: string): Promise<number> {
  return (await db.one(selectUnitCount, [shopId]))?.units ?? 0;
}

/** Returns the exact counts, which every write maintains. */
export async function readStockCounts(db: Queryable, shopId: string): Promise<StockCount[]> {
  return await db.query(selectStockCounts, [shopId]);
}

/**
 * Starts with the quarter-hour that contains `since`. The stock at an earlier time is the current
 * stock (`readStockCounts`) minus all later deltas.
 */
export async function readStockMovements(
  db: Queryable,
  shopId: string,
  since: Date,
): Promise<StockMovement[]> {
  const from = new Date(since.getTime() - (since.getTime() % QUARTER_MS));
  return await db.query(selectStockMovements, [shopId, from, MOVEMENTS_MAX]);
}

/** Removes old movements in batches. Several nodes may run this concurrently. */
export async function removeOldMovements(
  db: Database,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(now.getTime() - MOVEMENTS_KEPT_MS);
  for (let turn = 0; turn < REMOVALS_MAX && signal?.aborted !== true; turn++) {
    const removed = await db.count(removeStockMovements, [before, REMOVED_AT_ONCE]);
    if (removed < REMOVED_AT_ONCE) return;
  }
}

/**
 * For code that writes units without `putUnits`. Blocks the shop's writers: about 0.3 s for a
 * million units. Movements are not corrected, because the times of the changes are unknown. Returns
 * the number of counts that were wrong.
 */
export async function recountStock(tx: Transaction, shopId: string): Promise<number> {
  // Counts are written only under the lock of the feed head.
  await tx.query(lockHead, [shopId]);
  const before = new Map((await readStockCounts(tx, shopId)).map((each) => [keyOf(each), each]));
  await tx.query(clearStockCounts, [shopId]);
  await tx.query(fillStockCounts, [shopId]);
  const after = await readStockCounts(tx, shopId);
  const wrong = after.filter((each) => before.get(keyOf(each))?.units !== each.units);
  const keys = new Set(after.map(keyOf));
  return wrong.length + [...before.keys()].filter((key) => !keys.has(key)).length;
}

function keyOf({ siteId, status }: StockCount): string {
  return `${siteId} ${status}`;
}
