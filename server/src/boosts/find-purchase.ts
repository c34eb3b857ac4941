import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { selectBoostRow } from './boost-row.ts';

interface ShownPurchase {
  readonly id: string;
  readonly quantity: number;
  readonly createdAt: Date;
  readonly cancelledAt: Date | null;
}

/** `not_found`: there is no such boost. `no_purchase`: the boost has no such purchase. */
export type FoundPurchase =
  | { readonly kind: 'purchase'; readonly text: string }
  | { readonly kind: 'not_found' | 'no_purchase' };

export type FoundPurchases =
  | {
      readonly kind: 'purchases';
      readonly purchases: readonly { readonly id: string; readonly text: string }[];
    }
  | { readonly kind: 'not_found' };

export const selectPurchaseRow = statement<ShownPurchase>(
  'select_boost_purchase_row',
  `select purchase_id as id, quantity, created_at as "createdAt", cancelled_at as "cancelledAt"
  from boost_purchase where shop_id = $1 and boost_id = $2 and purchase_id = $3`,
);

export const selectPurchasePage = statement<ShownPurchase>(
  'select_boost_purchase_page',
  `select purchase_id as id, quantity, created_at as "createdAt", cancelled_at as "cancelledAt"
  from boost_purchase
  where shop_id = $1 and boost_id = $2 and ($3::uuid is null or purchase_id > $3)
  order by purchase_id limit $4`,
);

/** Finds a purchase, for a point of sale that lost the connection while recording it. */
export async function findPurchase(
  db: Queryable,
  shopId: string,
  boostId: string,
  id: string,
): Promise<FoundPurchase> {
  const row = await db.one(selectPurchaseRow, [shopId, boostId, id]);
  if (row !== undefined) return { kind: 'purchase', text: renderPurchase(row) };
  return { kind: (await hasBoost(db, shopId, boostId)) ? 'no_purchase' : 'not_found' };
}

/** By id, including cancelled ones, after `afterId` or from the first if it is null. */
export async function listPurchases(
  db: Queryable,
  shopId: string,
  boostId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<FoundPurchases> {
  const rows = await db.query(selectPurchasePage, [shopId, boostId, page.afterId, page.limit]);
  if (rows.length === 0 && !(await hasBoost(db, shopId, boostId))) return { kind: 'not_found' };
  const purchases = rows.map((row) => ({ id: row.id, text: renderPurchase(row) }));
  return { kind: 'purchases', purchases };
}

async function hasBoost(db: Queryable, shopId: string, id: string): Promise<boolean> {
  return (await db.one(selectBoostRow, [shopId, id])) !== undefined;
}

function renderPurchase({ id, quantity, createdAt, cancelledAt }: ShownPurchase): string {
  return JSON.stringify({ id, quantity, createdAt, cancelledAt });
}
