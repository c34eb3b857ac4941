import { changeInstant } from '../base/clock.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { REMAINING_MAX } from './boost-fields.ts';
import { changeBoostRow, lockBoost } from './boost-row.ts';

export { REMAINING_MAX } from './boost-fields.ts';

/** `left` is what is left after it. */
export type RaiseBoostResult =
  | { readonly kind: 'raised'; readonly left: number }
  /** It has no limit: there is nothing to raise. */
  | { readonly kind: 'no_limit' }
  /** More is left by now than who raises it has seen: it was raised meanwhile, perhaps by the same form. */
  | { readonly kind: 'raised_before'; readonly left: number }
  /** More would be left than a shop may say. */
  | { readonly kind: 'too_many' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'not_found' };

/** What is added, 1 or more, and what was left when somebody decided so. */
export interface BoostRaise {
  readonly by: number;
  readonly leftSeen: number;
}

/**
 * Adds to what is left of a boost, under its row's lock: what the till buys at the same time is neither lost nor undone.
 * A filled boost is open again. A form that comes twice raises once: after it more is left than it showed.
 */
export async function raiseBoost(
  tx: Transaction,
  shopId: string,
  id: string,
  { by, leftSeen }: BoostRaise,
  now: Date,
): Promise<RaiseBoostResult> {
  const before = await lockBoost(tx, shopId, id);
  if (before === undefined) return { kind: 'not_found' };
  if (before.endedAt !== null) return { kind: 'ended' };
  if (before.remainingQuantity === null) return { kind: 'no_limit' };
  if (before.remainingQuantity > leftSeen) {
    return { kind: 'raised_before', left: before.remainingQuantity };
  }
  const left = before.remainingQuantity + by;
  if (left > REMAINING_MAX) return { kind: 'too_many' };
  const updatedAt = changeInstant(before.updatedAt, now);
  await changeBoostRow(tx, shopId, { ...before, remainingQuantity: left, updatedAt });
  await announce(tx, 'boosts', shopId);
  return { kind: 'raised', left };
}
