import { nextChangeInstant } from '../base/clock.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { type BoostRow, updateBoostRow, lockBoost } from './boost-row.ts';
import { BOOST_IS_ENDED } from './put-boost.ts';
import { renderBoostRow } from './render-boost.ts';

export type ChangeBoostStateResult =
  | { readonly kind: 'updated' | 'unchanged'; readonly boostText: string }
  | { readonly kind: 'conflict'; readonly detail: string }
  | { readonly kind: 'not_found' };

/** Removes a boost from lists until it is resumed. Returns `conflict` if it is ended. */
export async function pauseBoost(
  tx: Transaction,
  shopId: string,
  id: string,
  now: Date,
): Promise<ChangeBoostStateResult> {
  return await changeBoostState(tx, shopId, id, now, (row) => ({ ...row, isPaused: true }));
}

export async function resumeBoost(
  tx: Transaction,
  shopId: string,
  id: string,
  now: Date,
): Promise<ChangeBoostStateResult> {
  return await changeBoostState(tx, shopId, id, now, (row) => ({ ...row, isPaused: false }));
}

export async function endBoost(
  tx: Transaction,
  shopId: string,
  id: string,
  now: Date,
): Promise<ChangeBoostStateResult> {
  const end = (row: BoostRow): BoostRow => ({ ...row, endedAt: row.endedAt ?? now });
  return await changeBoostState(tx, shopId, id, now, end, 'unchanged');
}

/** Applies `transition` to a boost. `whenEnded` is the result for a boost that is already ended. */
async function changeBoostState(
  tx: Transaction,
  shopId: string,
  id: string,
  now: Date,
  transition: (row: BoostRow) => BoostRow,
  whenEnded: 'refused' | 'unchanged' = 'refused',
): Promise<ChangeBoostStateResult> {
  const before = await lockBoost(tx, shopId, id);
  if (before === undefined) return { kind: 'not_found' };
  if (before.endedAt !== null && whenEnded === 'refused') return BOOST_IS_ENDED;
  const after = transition(before);
  if (after.isPaused === before.isPaused && after.endedAt === before.endedAt) {
    return { kind: 'unchanged', boostText: await renderBoostRow(tx, shopId, before, now) };
  }
  const row = { ...after, updatedAt: nextChangeInstant(before.updatedAt, now) };
  await updateBoostRow(tx, shopId, row);
  await announce(tx, 'boosts', shopId);
  return { kind: 'updated', boostText: await renderBoostRow(tx, shopId, row, now) };
}
