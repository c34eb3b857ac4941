import type { Transaction } from '../database/database.ts';
import { type BoostRow, lockBoost } from './boost-row.ts';
import {
  type BoostChange,
  type BoostShop,
  isUnchangedBy,
  putBoost,
  type PutBoostResult,
} from './put-boost.ts';

/** `stale` means that the boost was not in the expected state. Nothing was written. */
export type EditBoostResult =
  | PutBoostResult
  | { readonly kind: 'stale'; readonly row: BoostRow }
  | { readonly kind: 'not_found' };

/** `taken` means that another boost has this id. That boost is not changed. */
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
 * must have every member, because an omitted member would match any value of an existing boost.
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
