import type { Transaction } from '../database/database.ts';
import { putUnits, type PutUnitResult, type UnitShop } from './unit.ts';
import { findUnitText } from './unit-row.ts';
import type { UnitStatus } from './unit-status.ts';

export type SetUnitStatusResult = PutUnitResult | { readonly kind: 'not_found' };

/** Moves a unit to another status, as far as the transitions allow; the same status again is no change. */
export async function setUnitStatus(
  tx: Transaction,
  shop: UnitShop,
  id: string,
  status: UnitStatus,
  now: Date,
): Promise<SetUnitStatusResult> {
  // A unit is never deleted, so one that is there stays there.
  if ((await findUnitText(tx, shop.id, id)) === undefined) return { kind: 'not_found' };
  const [result] = await putUnits(tx, shop, [{ id, status }], now);
  if (result === undefined) throw new Error('no result for the unit');
  return result;
}
