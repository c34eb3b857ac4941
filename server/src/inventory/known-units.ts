import type { Transaction } from '../database/database.ts';
import {
  lockForChange,
  putLockedUnits,
  type PutUnitResult,
  type UnitChange,
  type UnitShop,
} from './unit.ts';
import type { UnitRow } from './unit-row.ts';

/** A change of a unit that must be there, for who has looked at it before. */
export interface KnownChange {
  readonly change: UnitChange;
  /** Whether the unit is still what the writer takes it for. Left out: whatever it is. */
  readonly expects?: (row: UnitRow) => boolean;
}

/** `changed_meanwhile`: it is another than was expected, and was left alone. */
export type KnownChangeResult =
  | PutUnitResult
  | { readonly kind: 'not_found' }
  | { readonly kind: 'changed_meanwhile'; readonly row: UnitRow };

/**
 * Changes units, and creates none. Each is judged for itself: a refused one leaves the others alone.
 *
 * @param changes at most `UNIT_BATCH_MAX`, each id once
 * @returns one result for each change, in the same order
 */
export async function changeKnownUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly KnownChange[],
  now: Date,
): Promise<KnownChangeResult[]> {
  const asked = changes.map(({ change }) => change);
  const rows = await lockForChange(tx, shop.id, asked);
  const refused = new Map<string, KnownChangeResult>();
  for (const { change, expects } of changes) {
    const row = rows.get(change.id);
    if (row === undefined) refused.set(change.id, { kind: 'not_found' });
    else if (expects?.(row) === false) {
      refused.set(change.id, { kind: 'changed_meanwhile', row });
    }
  }
  const accepted = asked.filter(({ id }) => !refused.has(id));
  const put = await putLockedUnits(tx, shop, accepted, rows, now);
  const results = new Map(accepted.map((change, at) => [change.id, put[at]]));
  return asked.map(({ id }) => {
    const result = refused.get(id) ?? results.get(id);
    if (result === undefined) throw new Error('no result for a unit');
    return result;
  });
}

/**
 * Takes in units that are not there yet. When any of them is, nothing is written: the same pieces were taken in before.
 *
 * @param changes at most `UNIT_BATCH_MAX`, each id once
 */
export async function receiveUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly UnitChange[],
  now: Date,
): Promise<
  | { readonly kind: 'received'; readonly results: readonly PutUnitResult[] }
  | { readonly kind: 'known' }
> {
  const rows = await lockForChange(tx, shop.id, changes);
  if (rows.size > 0) return { kind: 'known' };
  return { kind: 'received', results: await putLockedUnits(tx, shop, changes, rows, now) };
}
