import { namesOf, pick } from '../base/object-fields.ts';
import type { Queryable } from '../database/database.ts';
import { OFFER_FIELDS, TERM_FIELDS } from './boost-fields.ts';
import { type BoostRow, selectBoostPage, selectBoostRow } from './boost-row.ts';
import { type BoostStatus, statusAt } from './boost-status.ts';
import {
  readTargets,
  type BoostTarget,
  type ResolveTarget,
  type TargetColumns,
} from './boost-target.ts';
import { type BoostPage, readBoostsByStatus } from './boosts-by-status.ts';

const { target: _target, ...OFFERED } = OFFER_FIELDS;
const [OFFER, TERMS] = [namesOf(OFFERED), namesOf(TERM_FIELDS)];

/** Renders the fields of spec 2.3 in order. `targetText` is the target as JSON. */
export function renderBoost(row: BoostRow, targetText: string, status: BoostStatus): string {
  const { updatedAt } = row;
  const shown = { ...pick(row, OFFER), status, ...pick(row, TERMS), updatedAt };
  return `{"id":"${row.id}","target":${targetText},${JSON.stringify(shown).slice(1)}`;
}

/** Returns a boost's target. Catalog entries are never deleted, so a missing target is a fault. */
export function targetOf<Target = BoostTarget>(
  row: TargetColumns & { readonly id: string },
  resolve: ResolveTarget<Target>,
): Target {
  const resolved = resolve(row);
  if (resolved.kind === 'target') return resolved.target;
  throw new Error(`boost ${row.id}: ${resolved.detail}`);
}

export async function renderBoostRow(
  db: Queryable,
  shopId: string,
  row: BoostRow,
  now: Date,
): Promise<string> {
  const resolve = await readTargets(db, shopId, [row]);
  return renderBoost(row, JSON.stringify(targetOf(row, resolve)), statusAt(row, now));
}

export async function findBoostText(
  db: Queryable,
  shopId: string,
  id: string,
  now: Date,
): Promise<string | undefined> {
  const row = await db.one(selectBoostRow, [shopId, id]);
  return row === undefined ? undefined : await renderBoostRow(db, shopId, row, now);
}

/** By id, after `afterId` or from the first if it is null. A null `status` lists all. */
export async function listBoosts(
  db: Queryable,
  shopId: string,
  page: BoostPage,
  now: Date,
  status: BoostStatus | null = null,
): Promise<{ readonly id: string; readonly text: string }[]> {
  const rows =
    status === null
      ? await db.query(selectBoostPage, [shopId, page.afterId, page.limit])
      : await readBoostsByStatus(db, shopId, status, page, now);
  const resolve = await readTargets(db, shopId, rows);
  return rows.map((row) => ({
    id: row.id,
    text: renderBoost(row, JSON.stringify(targetOf(row, resolve)), statusAt(row, now)),
  }));
}
