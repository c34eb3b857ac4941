import type { Transaction } from '../database/database.ts';
import { lockUnitsForChange, putLockedUnits, type PutUnitResult, type UnitShop } from './unit.ts';
import type { UnitStatus } from './unit-status.ts';

export type SetUnitStatusResult = PutUnitResult | { readonly kind: 'not_found' };

/** Sets the status of a unit. Changes nothing if the unit already has that status. */
export async function setUnitStatus(
  tx: Transaction,
  shop: UnitShop,
  id: string,
  status: UnitStatus,
  now: Date,
): Promise<SetUnitStatusResult> {
  const changes = [{ id, status }];
  const rows = await lockUnitsForChange(tx, shop.id, changes);
  if (rows.size === 0) return { kind: 'not_found' };
  const [result] = await putLockedUnits(tx, shop, changes, rows, now);
  if (result === undefined) throw new Error('no result for the unit');
  return result;
}
