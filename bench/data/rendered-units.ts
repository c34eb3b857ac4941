import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import { UNIT_COLUMNS, type UnitRow } from '../../server/src/inventory/unit-row.ts';
import type { RenderedUnit } from '../../server/src/inventory/unit-upsert.ts';
import { uuidFrom } from './stock.ts';

export const selectRenderedUnits = statement<UnitRow & { readonly doc: string }>(
  'bench_stamped_units',
  `select unit_id as id, ${UNIT_COLUMNS.select()}, photos, doc, seq
  from unit where shop_id = $1 order by seq limit $2`,
);

/**
 * Returns the `count` least recently written units of a shop, as input for the upsert statement.
 */
export async function readRenderedUnits(
  db: Database,
  shopId: string,
  count: number,
): Promise<RenderedUnit[]> {
  const rows = await db.query(selectRenderedUnits, [shopId, count]);
  return rows.map(({ doc, ...row }) => ({ row, doc }));
}

/** Returns copies of the units with new ids. */
export function copyWithNewIds(units: readonly RenderedUnit[], salt: string): RenderedUnit[] {
  return units.map(({ row, doc }, n) => {
    const id = uuidFrom(`${salt} ${n}`);
    return { row: { ...row, id, seq: 0 }, doc: doc.replaceAll(row.id, id) };
  });
}
