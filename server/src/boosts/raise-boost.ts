import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { changeBoostRow, lockBoost } from './boost-row.ts';

/** `left` is what is left after it. */
export type RaiseBoostResult =
  | { readonly kind: 'raised'; readonly left: number }
  /** It has no limit: there is nothing to raise. */
  | { readonly kind: 'no_limit' }
  /** More would be left than a shop may say. */
  | { readonly kind: 'too_many' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'not_found' };

/** Pieces that a boost may have left (decision 0070). */
export const REMAINING_MAX = 1_000_000_000;

/**
 * Adds to what is left of a boost, under its row's lock: what the till buys at the same time is neither lost nor undone.
 * A filled boost is open again. `by` is 1 or more.
 */
export async function raiseBoost(
  tx: Transaction,
  shopId: string,
  id: string,
  by: number,
  now: Date,
): Promise<RaiseBoostResult> {
  const before = await lockBoost(tx, shopId, id);
  if (before === undefined) return { kind: 'not_found' };
  if (before.endedAt !== null) return { kind: 'ended' };
  if (before.remainingQuantity === null) return { kind: 'no_limit' };
  const left = before.remainingQuantity + by;
  if (left > REMAINING_MAX) return { kind: 'too_many' };
  await changeBoostRow(tx, shopId, { ...before, remainingQuantity: left, updatedAt: now });
  await announce(tx, 'boosts', shopId);
  return { kind: 'raised', left };
}
