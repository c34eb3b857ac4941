import type { Transaction } from '../database/database.ts';
import { type BoostRow, lockBoost } from './boost-row.ts';
import {
  type BoostChange,
  type BoostShop,
  isUnchangedBy,
  putBoost,
  type PutBoostResult,
} from './put-boost.ts';

/** The kind is `stale` if the boost is not in the expected state. Nothing was written then. */
export type EditBoostResult =
  | PutBoostResult
  | { readonly kind: 'stale'; readonly row: BoostRow }
  | { readonly kind: 'not_found' };

/** The kind is `taken` if another boost has that id. That boost stays unchanged. */
export type AddBoostResult = PutBoostResult | { readonly kind: 'taken' };

/** Changes a boost only if `expects`, evaluated under the row's lock, accepts its current state. */
export async function editBoost(
  tx: Transaction,
  shop: BoostShop,
  { id, expects }: { readonly id: string; readonly expects: (row: BoostRow) => boolean },
  change: BoostChange,
  now: Date,
): Promise<EditBoostResult> {
  const row = await lockBoost(tx, shop.id, id);
  if (row === undefined) return { kind: 'not_found' };
  if (!expects(row)) return { kind: 'stale', row };
  return await putBoost(tx, shop, id, change, now);
}

/**
 * Creates a boost. A repeated call, such as a form submitted twice, returns `unchanged`. `change`
 * must have every member, because omitted members would be taken from the existing boost.
 */
export async function addBoost(
  tx: Transaction,
  shop: BoostShop,
  id: string,
  change: Required<BoostChange>,
  now: Date,
): Promise<AddBoostResult> {
  const row = await lockBoost(tx, shop.id, id);
  if (row !== undefined && !isUnchangedBy(row, change, shop)) return { kind: 'taken' };
  return await putBoost(tx, shop, id, change, now);
}
