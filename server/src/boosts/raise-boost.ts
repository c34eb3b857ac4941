import { nextChangeInstant } from '../base/clock.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { REMAINING_MAX } from './boost-fields.ts';
import { updateBoostRow, lockBoost } from './boost-row.ts';

export { REMAINING_MAX } from './boost-fields.ts';

/** `left` is the new remaining quantity. */
export type RaiseBoostResult =
  | { readonly kind: 'raised'; readonly left: number }
  | { readonly kind: 'no_limit' }
  /** More is left than the form showed: it was raised since, or the form was sent twice. */
  | { readonly kind: 'raised_before'; readonly left: number }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'not_found' };

/** The amount to add, at least 1, and the remaining quantity that the form showed. */
export interface BoostRaise {
  readonly by: number;
  readonly shownQuantity: number;
}

/**
 * Adds under the row's lock, so that no concurrent purchase is lost. A filled boost opens again. A
 * form submitted twice raises once, because more pieces are then left than the form showed.
 */
export async function raiseBoost(
  tx: Transaction,
  shopId: string,
  id: string,
  { by, shownQuantity }: BoostRaise,
  now: Date,
): Promise<RaiseBoostResult> {
  const before = await lockBoost(tx, shopId, id);
  if (before === undefined) return { kind: 'not_found' };
  if (before.endedAt !== null) return { kind: 'ended' };
  if (before.remainingQuantity === null) return { kind: 'no_limit' };
  if (before.remainingQuantity > shownQuantity) {
    return { kind: 'raised_before', left: before.remainingQuantity };
  }
  const left = before.remainingQuantity + by;
  if (left > REMAINING_MAX) return { kind: 'too_many' };
  const updatedAt = nextChangeInstant(before.updatedAt, now);
  await updateBoostRow(tx, shopId, { ...before, remainingQuantity: left, updatedAt });
  await announce(tx, 'boosts', shopId);
  return { kind: 'raised', left };
}
