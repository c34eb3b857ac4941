import type { Transaction } from '../database/database.ts';
import { type BoostRow, lockBoost } from './boost-row.ts';
import {
  type BoostChange,
  type BoostShop,
  isAlreadySo,
  putBoost,
  type PutBoostResult,
} from './put-boost.ts';

/** What an edit of a boost came to. `stale`: it is not what was expected, and nothing was written. */
export type EditBoostResult =
  | PutBoostResult
  | { readonly kind: 'stale'; readonly row: BoostRow }
  | { readonly kind: 'not_found' };

/** What a new boost came to. `taken`: there is another of that id, which stays as it is. */
export type AddBoostResult = PutBoostResult | { readonly kind: 'taken' };

/** Changes a boost only while it is what the editor takes it for, which `expects` judges under the row's lock. */
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
 * Creates a boost. The same one again, as when a form is sent twice, is `unchanged`; `change` must say every member, since
 * an omitted one would be taken from the boost that is there.
 */
export async function addBoost(
  tx: Transaction,
  shop: BoostShop,
  id: string,
  change: Required<BoostChange>,
  now: Date,
): Promise<AddBoostResult> {
  const row = await lockBoost(tx, shop.id, id);
  if (row !== undefined && !isAlreadySo(row, change, shop)) return { kind: 'taken' };
  return await putBoost(tx, shop, id, change, now);
}
