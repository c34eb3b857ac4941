import { nextChangeInstant } from '../base/clock.ts';
import type { Members } from '../base/field.ts';
import { areSame, mergeMembers, namesOf } from '../base/object-fields.ts';
import { ITEM_COLUMNS, itemRowOf } from '../catalog/item-field.ts';
import { announce } from '../database/channel.ts';
import { StaleRead, type Transaction } from '../database/database.ts';
import { BOOST_FIELDS } from './boost-fields.ts';
import {
  type BoostRow,
  updateBoostRow,
  insertBoostRow,
  canAddLiveBoost,
  LIVE_BOOSTS_MAX,
  lockBoost,
} from './boost-row.ts';
import { isLive, statusAt } from './boost-status.ts';
import { readTargets } from './boost-target.ts';
import { renderBoost, renderBoostRow } from './render-boost.ts';

/** An omitted member keeps its value, or gets its default on creation; null clears it. */
export type BoostChange = Members<typeof BOOST_FIELDS>;

const { target: _target, ...WRITABLE_FIELDS } = BOOST_FIELDS;
const WRITABLE_MEMBERS = [...namesOf(WRITABLE_FIELDS), ...namesOf(ITEM_COLUMNS)];

/** The shop of a boost. Its currency is the default for new boosts. */
export interface BoostShop {
  readonly id: string;
  readonly currency: string;
}

type BoostRefusal =
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'invalid'; readonly detail: string }
  | { readonly kind: 'unknown_reference'; readonly detail: string }
  | { readonly kind: 'conflict'; readonly detail: string };

/** `boostText` is the boost with its status, in the format of the Shop API. */
export type PutBoostResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly boostText: string }
  | BoostRefusal;

/** The refusal to change an ended boost (decision 0070). */
export const BOOST_IS_ENDED = {
  kind: 'conflict',
  detail: 'The boost has ended and cannot be changed.',
} as const;

/** Creates or changes a boost. An identical write changes nothing and is not announced. */
export async function putBoost(
  tx: Transaction,
  shop: BoostShop,
  id: string,
  change: BoostChange,
  now: Date,
): Promise<PutBoostResult> {
  const before = await lockBoost(tx, shop.id, id);
  const merged = mergeBoost(before, id, change, shop, now);
  if (merged.kind !== 'row') return merged;
  const { row } = merged;
  if (before !== undefined && areSame(before, row, WRITABLE_MEMBERS)) {
    return { kind: 'unchanged', boostText: await renderBoostRow(tx, shop.id, before, now) };
  }
  if (before !== undefined && before.endedAt !== null) return BOOST_IS_ENDED;
  const resolved = (await readTargets(tx, shop.id, [row]))(row);
  if (resolved.kind !== 'target') return resolved;
  const becomesLive = isLive(row, now) && (before === undefined || !isLive(before, now));
  if (becomesLive && !(await canAddLiveBoost(tx, shop.id, now))) {
    const detail = `A shop can have at most ${LIVE_BOOSTS_MAX} boosts that have not ended or expired.`;
    return { kind: 'conflict', detail };
  }
  if (before !== undefined) await updateBoostRow(tx, shop.id, row);
  else if (!(await insertBoostRow(tx, shop.id, row))) {
    throw new StaleRead('a concurrent request created the boost');
  }
  await announce(tx, 'boosts', shop.id);
  const boostText = renderBoost(row, JSON.stringify(resolved.target), statusAt(row, now));
  return { kind: before === undefined ? 'created' : 'updated', boostText };
}

export function isUnchangedBy(row: BoostRow, change: BoostChange, shop: BoostShop): boolean {
  const merged = mergeBoost(row, row.id, change, shop, row.updatedAt);
  return merged.kind === 'row' && areSame(row, merged.row, WRITABLE_MEMBERS);
}

type Merged = { readonly kind: 'row'; readonly row: BoostRow } | BoostRefusal;

function mergeBoost(
  before: BoostRow | undefined,
  id: string,
  change: BoostChange,
  shop: BoostShop,
  now: Date,
): Merged {
  const target = change.target === undefined ? before : itemRowOf(change.target);
  const currency = change.currency ?? before?.currency ?? shop.currency;
  const merged = mergeMembers(WRITABLE_FIELDS, { ...change, currency }, before);
  if (merged.kind === 'incomplete' || target === undefined) {
    const missing = merged.kind === 'incomplete' ? merged.missing : [];
    return { kind: 'incomplete', missing: target === undefined ? ['target', ...missing] : missing };
  }
  const { startsAt, endsAt } = merged.values;
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    return { kind: 'invalid', detail: 'endsAt must be later than startsAt.' };
  }
  const { cardId, gradeId, productId } = target;
  const row: BoostRow = {
    ...merged.values,
    id,
    cardId,
    gradeId,
    productId,
    isPaused: before?.isPaused ?? false,
    endedAt: before?.endedAt ?? null,
    createdAt: before?.createdAt ?? now,
    updatedAt: nextChangeInstant(before?.updatedAt, now),
  };
  return { kind: 'row', row };
}
