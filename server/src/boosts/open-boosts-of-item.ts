import { type ItemChange, itemRowOf } from '../catalog/item-field.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type BoostRow, LIVE_BOOSTS } from './boost-row.ts';

const OPEN_BOOSTS_MAX = 20;

// A boost without a grade buys any grade, so the boosts of the item's own grade come first.
export const selectOpenBoostsOfItem = statement<BoostRow>(
  'select_open_boosts_of_item',
  `${LIVE_BOOSTS}
    and (starts_at is null or starts_at <= $2)
    and not is_paused and remaining_quantity is distinct from 0
    and (product_id = $3 or (card_id = $4 and (grade_id is null or grade_id = $5)))
    and currency = $6
  order by grade_id is null, price_minor desc, boost_id limit $7`,
);

export async function listOpenBoostsOfItem(
  db: Queryable,
  shop: { readonly id: string; readonly currency: string },
  item: ItemChange,
  now: Date,
): Promise<readonly BoostRow[]> {
  const { productId, cardId, gradeId } = itemRowOf(item);
  return await db.query(selectOpenBoostsOfItem, [
    shop.id,
    now,
    productId,
    cardId,
    gradeId,
    shop.currency,
    OPEN_BOOSTS_MAX,
  ]);
}
