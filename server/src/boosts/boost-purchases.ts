import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

export interface BoostPurchase {
  /** The id that the point of sale has chosen. */
  readonly id: string;
  readonly quantity: number;
  readonly createdAt: Date;
  readonly cancelledAt: Date | null;
}

export interface PurchaseCursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** The sums of a boost's purchases that are not cancelled. */
export interface PurchaseTotals {
  readonly purchases: number;
  readonly quantity: number;
}

export const selectNewestPurchases = statement<BoostPurchase>(
  'select_newest_purchases',
  `select purchase_id as id, quantity, created_at as "createdAt", cancelled_at as "cancelledAt"
  from boost_purchase
  where shop_id = $1 and boost_id = $2
    and ($3::timestamptz is null or (created_at, purchase_id) < ($3::timestamptz, $4::uuid))
  order by created_at desc, purchase_id desc limit $5`,
);

export const sumBoostPurchases = statement<PurchaseTotals>(
  'sum_boost_purchases',
  `select count(*)::int as purchases, coalesce(sum(quantity), 0)::bigint as quantity
  from boost_purchase where shop_id = $1 and boost_id = $2 and cancelled_at is null`,
);

/** Newest first, including cancelled ones, after the cursor or from the newest if it is null. */
export async function listNewestPurchases(
  db: Queryable,
  shopId: string,
  boostId: string,
  { after, limit }: { readonly after: PurchaseCursor | null; readonly limit: number },
): Promise<BoostPurchase[]> {
  const position = [after?.createdAt ?? null, after?.id ?? null];
  return await db.query(selectNewestPurchases, [shopId, boostId, ...position, limit]);
}

/** Sums all purchases of the boost. There are usually hundreds, rarely thousands. */
export async function sumPurchases(
  db: Queryable,
  shopId: string,
  boostId: string,
): Promise<PurchaseTotals> {
  const sum = await db.one(sumBoostPurchases, [shopId, boostId]);
  return sum ?? { purchases: 0, quantity: 0 };
}
