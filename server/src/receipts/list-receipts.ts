import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { StockItem } from '../inventory/stock-item.ts';
import { readUnitItems } from '../inventory/unit-items.ts';
import { unitIdOf } from './receipt.ts';

/** The units that a member received or bought with one line of a form. */
export interface ListedReceipt {
  readonly id: string;
  readonly receivedAt: Date;
  readonly quantity: number;
  readonly boostId: string | null;
  readonly undoneAt: Date | null;
  /** The member's name. */
  readonly by: string;
  readonly firstUnitId: string;
  readonly item: StockItem;
}

type ListedRow = Omit<ListedReceipt, 'firstUnitId' | 'item'>;

export const selectReceiptsSince = statement<ListedRow>(
  'select_receipts_since',
  `select r.receipt_id as id, r.received_at as "receivedAt", r.quantity, r.boost_id as "boostId",
    r.undone_at as "undoneAt", a.name as by
  from receipt r join account a on a.account_id = r.account_id
  where r.shop_id = $1 and r.received_at >= $2
  order by r.received_at desc, r.receipt_id limit $3`,
);

// `receipt_newest` limits the scan to the shop's receipts since $3, which are those of one day.
export const selectLastReceiptOfMember = statement<{ readonly id: string }>(
  'select_last_receipt_of_member',
  `select receipt_id as id from receipt
  where shop_id = $1 and account_id = $2 and received_at >= $3
  order by received_at desc, receipt_id limit 1`,
);

/** Returns the id of a unit that a member received last since an instant. */
export async function findLastReceivedUnitId(
  db: Queryable,
  shopId: string,
  accountId: string,
  since: Date,
): Promise<string | undefined> {
  const last = await db.one(selectLastReceiptOfMember, [shopId, accountId, since]);
  return last === undefined ? undefined : unitIdOf(shopId, last.id, 0);
}

/** Lists the receipts newest first. `limit` is at most `UNIT_BATCH_MAX`. */
export async function listReceiptsSince(
  db: Queryable,
  shopId: string,
  since: Date,
  limit: number,
): Promise<readonly ListedReceipt[]> {
  const rows = await db.query(selectReceiptsSince, [shopId, since, limit]);
  const found = rows.map((row) => ({ ...row, firstUnitId: unitIdOf(shopId, row.id, 0) }));
  const items = await readUnitItems(
    db,
    shopId,
    found.map(({ firstUnitId }) => firstUnitId),
  );
  return found.flatMap((receipt) => {
    const item = items.get(receipt.firstUnitId);
    return item === undefined ? [] : [{ ...receipt, item }];
  });
}
