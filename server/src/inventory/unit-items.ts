import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { parseUnitRecord, type StockItem } from './stock-item.ts';
import { UNIT_BATCH_MAX } from './unit.ts';

export const selectUnitDocs = statement<{ readonly id: string; readonly doc: string }>(
  'select_unit_docs',
  `select unit_id as id, doc from unit where shop_id = $1 and unit_id = any($2::uuid[])`,
);

/** Units that the shop does not have are missing. */
export async function readUnitItems(
  db: Queryable,
  shopId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StockItem>> {
  if (ids.length > UNIT_BATCH_MAX) throw new Error('too many units');
  const rows = await db.query(selectUnitDocs, [shopId, ids]);
  return new Map(rows.map(({ id, doc }) => [id, parseUnitRecord(doc).item]));
}
