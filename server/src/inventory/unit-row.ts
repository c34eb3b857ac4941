import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { UnitPhoto } from './unit-photo.ts';
import type { UnitStatus } from './unit-status.ts';

/** A unit's row, without its record. Exactly one of `cardId` and `productId` is set. */
export interface UnitRow {
  readonly id: string;
  readonly status: UnitStatus;
  readonly siteId: string;
  readonly locationId: string | null;
  readonly cardId: string | null;
  readonly gradeId: string | null;
  readonly productId: string | null;
  readonly certNumber: string | null;
  readonly serialNumber: string | null;
  readonly ownership: 'owned' | 'consigned';
  readonly priceMinor: number | null;
  readonly costMinor: number | null;
  readonly currency: string;
  readonly photos: readonly UnitPhoto[];
  readonly acquiredAt: Date | null;
  readonly statusChangedAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly seq: number;
}

// In the order of their ids, so that two batches that share units cannot wait for each other.
export const lockUnitRows = statement<UnitRow>(
  'lock_unit_rows',
  `select unit_id as id, status, site_id as "siteId", location_id as "locationId",
    card_id as "cardId", grade_id as "gradeId", product_id as "productId",
    cert_number as "certNumber", serial_number as "serialNumber", ownership,
    price_minor as "priceMinor", cost_minor as "costMinor", currency, photos,
    acquired_at as "acquiredAt", status_changed_at as "statusChangedAt",
    created_at as "createdAt", updated_at as "updatedAt", seq
  from unit where shop_id = $1 and unit_id = any($2::uuid[])
  order by unit_id for no key update`,
);

export const readUnitRecord = statement<{ doc: string; costMinor: number | null }>(
  'read_unit_record',
  `select doc, cost_minor as "costMinor" from unit where shop_id = $1 and unit_id = $2`,
);

export const readUnitPage = statement<{ id: string; doc: string; costMinor: number | null }>(
  'read_unit_page',
  `select unit_id as id, doc, cost_minor as "costMinor" from unit
  where shop_id = $1 and ($2::uuid is null or unit_id > $2) order by unit_id limit $3`,
);

/** Locks the units of these ids that exist and reads them as the last commit left them. */
export async function lockUnits(
  tx: Transaction,
  shopId: string,
  ids: readonly string[],
): Promise<Map<string, UnitRow>> {
  const rows = await tx.queryBehind(lockUnitRows, [shopId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** One unit as JSON text with its cost, or undefined when the shop has none of that id. */
export async function findUnitText(
  db: Queryable,
  shopId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db.one(readUnitRecord, [shopId, id]);
  return row === undefined ? undefined : unitText(row);
}

/** Units in the order of their ids with their costs, after `afterId` (null: from the first), at most `limit`. */
export async function listUnits(
  db: Queryable,
  shopId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<{ readonly id: string; readonly text: string }[]> {
  const rows = await db.query(readUnitPage, [shopId, page.afterId, page.limit]);
  return rows.map((row) => ({ id: row.id, text: unitText(row) }));
}

/** The unit inside a stored record, which ends before the value of `costMinor`. */
function unitText(row: { readonly doc: string; readonly costMinor: number | null }): string {
  const from = row.doc.indexOf('"data":') + '"data":'.length;
  return `${row.doc.slice(from)}${row.costMinor ?? 'null'}}`;
}
