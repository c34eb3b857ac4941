import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { UNIT_COLUMNS, type UnitRow } from './unit-row.ts';
import { UNIT_BATCH_MAX } from './unit.ts';

export type UnitValues = Omit<UnitRow, 'photos' | 'seq'>;

export const selectUnitValues = statement<UnitValues>(
  'select_unit_values',
  `select unit_id as id, ${UNIT_COLUMNS.select()}
  from unit where shop_id = $1 and unit_id = any($2::uuid[])`,
);

/** Reads units without locking them. Units that the shop does not have are missing. */
export async function readUnitValues(
  db: Queryable,
  shopId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UnitValues>> {
  if (ids.length > UNIT_BATCH_MAX) throw new Error('too many units');
  const rows = ids.length === 0 ? [] : await db.query(selectUnitValues, [shopId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}
