import type { Transaction } from '../database/database.ts';
import {
  lockUnitsForChange,
  putLockedUnits,
  type PutUnitResult,
  type UnitChange,
  type UnitShop,
} from './unit.ts';
import type { UnitRow } from './unit-row.ts';

export interface ExistingUnitChange {
  readonly change: UnitChange;
  /** Checks the state of the unit. Without this function, any state is accepted. */
  readonly expects?: (row: UnitRow) => boolean;
}

export type ExistingUnitResult =
  | PutUnitResult
  | { readonly kind: 'not_found' }
  | { readonly kind: 'changed_meanwhile'; readonly row: UnitRow };

/**
 * Changes existing units and creates none. A refused change does not affect the other changes.
 *
 * @param changes at most `UNIT_BATCH_MAX`, each id once
 * @returns one result for each change, in the same order
 */
export async function changeExistingUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly ExistingUnitChange[],
  now: Date,
): Promise<ExistingUnitResult[]> {
  const requested = changes.map(({ change }) => change);
  const rows = await lockUnitsForChange(tx, shop.id, requested);
  const refused = new Map<string, ExistingUnitResult>();
  for (const { change, expects } of changes) {
    const row = rows.get(change.id);
    if (row === undefined) refused.set(change.id, { kind: 'not_found' });
    else if (expects?.(row) === false) {
      refused.set(change.id, { kind: 'changed_meanwhile', row });
    }
  }
  const accepted = requested.filter(({ id }) => !refused.has(id));
  const put = await putLockedUnits(tx, shop, accepted, rows, now);
  const results = new Map(accepted.map((change, at) => [change.id, put[at]]));
  return requested.map(({ id }) => {
    const result = refused.get(id) ?? results.get(id);
    if (result === undefined) throw new Error('no result for a unit');
    return result;
  });
}

/** Creates units, but writes nothing if any exists: then the request was already processed. */
export async function receiveUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly UnitChange[],
  now: Date,
): Promise<
  | { readonly kind: 'received'; readonly results: readonly PutUnitResult[] }
  | { readonly kind: 'known' }
> {
  const rows = await lockUnitsForChange(tx, shop.id, changes);
  if (rows.size > 0) return { kind: 'known' };
  return { kind: 'received', results: await putLockedUnits(tx, shop, changes, rows, now) };
}
