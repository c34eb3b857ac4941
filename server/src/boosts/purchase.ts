import { nextChangeInstant } from '../base/clock.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type BoostRow, updateBoostRow, lockBoost } from './boost-row.ts';
import { BOOST_IS_ENDED } from './put-boost.ts';
import { renderBoostRow } from './render-boost.ts';

/** A purchase. The point of sale chooses the id. */
export interface Purchase {
  readonly id: string;
  /** The number of pieces, at least 1. */
  readonly quantity: number;
}

interface BoostResult<Kind extends string> {
  readonly kind: Kind;
  readonly boostText: string;
}
type PurchaseRefusal =
  | { readonly kind: 'conflict'; readonly detail: string }
  | { readonly kind: 'not_found' };

export type AddPurchaseResult = BoostResult<'created' | 'unchanged'> | PurchaseRefusal;
export type CancelPurchaseResult =
  | BoostResult<'updated' | 'unchanged'>
  | PurchaseRefusal
  | NoPurchase;
interface NoPurchase {
  readonly kind: 'no_purchase';
}

interface PurchaseRow {
  readonly quantity: number;
  /** How much was subtracted from the remaining quantity; 0 if there was no limit. */
  readonly took: number;
  readonly cancelledAt: Date | null;
}

// This needs no lock, because the caller has locked the boost's row, which guards its purchases.
export const selectPurchase = statement<PurchaseRow>(
  'select_boost_purchase',
  `select quantity, took, cancelled_at as "cancelledAt" from boost_purchase
  where shop_id = $1 and boost_id = $2 and purchase_id = $3`,
);

export const insertPurchase = statement(
  'insert_boost_purchase',
  `insert into boost_purchase (shop_id, boost_id, purchase_id, quantity, took, created_at)
  values ($1, $2, $3, $4, $5, $6)`,
);

export const cancelPurchaseRow = statement(
  'cancel_boost_purchase',
  `update boost_purchase set cancelled_at = $4
  where shop_id = $1 and boost_id = $2 and purchase_id = $3`,
);

/**
 * Records bought pieces, at most as many as are left. Repeating the same id and quantity changes
 * nothing. The purchase has already taken place, so it is recorded even if the boost is scheduled,
 * paused or expired, but not if it is ended (decision 0070).
 */
export async function addPurchase(
  tx: Transaction,
  shopId: string,
  boostId: string,
  { id, quantity }: Purchase,
  now: Date,
): Promise<AddPurchaseResult> {
  const boost = await lockBoost(tx, shopId, boostId);
  if (boost === undefined) return { kind: 'not_found' };
  const known = await tx.one(selectPurchase, [shopId, boostId, id]);
  if (known !== undefined) {
    const detail = describeConflict(known, quantity);
    if (detail !== null) return { kind: 'conflict', detail };
    return { kind: 'unchanged', boostText: await renderBoostRow(tx, shopId, boost, now) };
  }
  if (boost.endedAt !== null) return BOOST_IS_ENDED;
  const left = boost.remainingQuantity;
  if (left !== null && left < quantity) {
    return { kind: 'conflict', detail: `The boost has ${left} left, fewer than ${quantity}.` };
  }
  const took = left === null ? 0 : quantity;
  await tx.query(insertPurchase, [shopId, boostId, id, quantity, took, now]);
  const boostText = await changeRemaining(tx, shopId, boost, -took, now);
  return { kind: 'created', boostText };
}

/**
 * Adds the quantity back, if the boost had a limit when the purchase was recorded and still has
 * one. Cancelling again changes nothing. An ended boost is refused.
 */
export async function cancelPurchase(
  tx: Transaction,
  shopId: string,
  boostId: string,
  id: string,
  now: Date,
): Promise<CancelPurchaseResult> {
  const boost = await lockBoost(tx, shopId, boostId);
  if (boost === undefined) return { kind: 'not_found' };
  const known = await tx.one(selectPurchase, [shopId, boostId, id]);
  if (known === undefined) return { kind: 'no_purchase' };
  if (known.cancelledAt !== null) {
    return { kind: 'unchanged', boostText: await renderBoostRow(tx, shopId, boost, now) };
  }
  if (boost.endedAt !== null) return BOOST_IS_ENDED;
  await tx.query(cancelPurchaseRow, [shopId, boostId, id, now]);
  const boostText = await changeRemaining(tx, shopId, boost, known.took, now);
  return { kind: 'updated', boostText };
}

function describeConflict(known: PurchaseRow, quantity: number): string | null {
  if (known.cancelledAt !== null) {
    return 'This purchase was cancelled. Use a new id for a new purchase.';
  }
  if (known.quantity === quantity) return null;
  return `This purchase was already recorded with the quantity ${known.quantity}.`;
}

async function changeRemaining(
  tx: Transaction,
  shopId: string,
  boost: BoostRow,
  by: number,
  now: Date,
): Promise<string> {
  if (boost.remainingQuantity === null || by === 0) {
    return await renderBoostRow(tx, shopId, boost, now);
  }
  const remainingQuantity = boost.remainingQuantity + by;
  const row = { ...boost, remainingQuantity, updatedAt: nextChangeInstant(boost.updatedAt, now) };
  await updateBoostRow(tx, shopId, row);
  await announce(tx, 'boosts', shopId);
  return await renderBoostRow(tx, shopId, row, now);
}
