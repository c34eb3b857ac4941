import { type ItemRow, ITEM_COLUMNS } from '../catalog/item-field.ts';
import { Columns, columnsOf, type StoredValues } from '../database/columns.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { OWN_UNIT_FIELDS, UNIT_FIELDS } from './unit-fields.ts';
import type { UnitPhoto } from './unit-photo.ts';

export interface UnitRow extends StoredValues<typeof UNIT_FIELDS>, ItemRow {
  readonly id: string;
  readonly photos: readonly UnitPhoto[];
  readonly statusChangedAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly seq: number;
}

export type OwnValues = StoredValues<typeof OWN_UNIT_FIELDS>;

export const UNIT_INSTANTS = {
  statusChangedAt: 'status_changed_at timestamptz',
  createdAt: 'created_at timestamptz',
  updatedAt: 'updated_at timestamptz',
} as const;

export const UNIT_COLUMNS = new Columns<Omit<UnitRow, 'id' | 'photos' | 'seq'>>({
  ...columnsOf(UNIT_FIELDS),
  ...ITEM_COLUMNS,
  ...UNIT_INSTANTS,
});

export const OWN_UNIT_COLUMNS = new Columns<OwnValues>(columnsOf(OWN_UNIT_FIELDS));

// Rows are locked in id order, so that two batches with common units cannot deadlock.
export const lockUnitRows = statement<UnitRow>(
  'lock_unit_rows',
  `select unit_id as id, ${UNIT_COLUMNS.select()}, photos, seq
  from unit where shop_id = $1 and unit_id = any($2::uuid[])
  order by unit_id for no key update`,
);

/** Locks units and returns them by id. Units that do not exist are missing. */
export async function lockUnits(
  tx: Transaction,
  shopId: string,
  ids: readonly string[],
): Promise<Map<string, UnitRow>> {
  const rows = await tx.queryPipelined(lockUnitRows, [shopId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}
