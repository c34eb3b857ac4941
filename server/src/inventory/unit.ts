import { changeInstant, laterOf } from '../base/clock.ts';
import type { Members } from '../base/field.ts';
import { areSame, mergeMembers, namesOf } from '../base/object-fields.ts';
import { ITEM_COLUMNS, itemRowOf } from '../catalog/item-field.ts';
import { shareCatalog } from '../catalog/lock.ts';
import { announceSoon } from '../database/channel.ts';
import { StaleRead, type Transaction } from '../database/database.ts';
import { type Actor, SERVICE } from '../shops/audit.ts';
import { movesOf } from './stock-moves.ts';
import { UNIT_FIELDS } from './unit-fields.ts';
import { readUnitReferences, resolveItem } from './unit-item.ts';
import { lockUnits, type UnitRow } from './unit-row.ts';
import { moveValues, stampMovedUnits, stampUnits, stampValues } from './unit-stamp.ts';
import { canChangeStatus, type UnitStatus } from './unit-status.ts';
import { closeUnit, openUnitRecord, renderUnitHead } from './unit-text.ts';

/** Units that one call writes at most: one transaction, so it bounds how long the shop's head row is held. */
export const UNIT_BATCH_MAX = 500;

const { item: _item, ...WRITTEN_FIELDS } = UNIT_FIELDS;
/** What a write may change of a row. */
const WRITTEN_MEMBERS = [...namesOf(WRITTEN_FIELDS), ...namesOf(ITEM_COLUMNS)];

/** What a writer says of a unit: an omitted member stays as it is (on creation it takes its default), null clears. */
export interface UnitChange extends Members<typeof UNIT_FIELDS> {
  readonly id: string;
}

/** The shop that a unit belongs to; its currency is the default of a new unit's. */
export interface UnitShop {
  readonly id: string;
  readonly currency: string;
  /** Who writes, for the history of the units' statuses. Left out: the service. */
  readonly by?: Actor;
}

export type UnitRefusal =
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'unknown_reference'; readonly detail: string }
  | {
      readonly kind: 'forbidden_transition';
      readonly from: UnitStatus;
      readonly to: UnitStatus;
    };

/** `unitText` is the unit's JSON as the Shop API shows it, its cost included. */
export type PutUnitResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly unitText: string }
  | UnitRefusal;

/** A unit about to be written: as it stood and will be, and the beginning of its JSON (`renderUnitHead`). */
interface Written {
  readonly before: UnitRow | undefined;
  readonly row: UnitRow;
  readonly head: string;
}

/**
 * Creates or changes units and stamps those that really changed, in one statement. Each is judged for itself: a refused
 * one leaves the others alone.
 *
 * @param changes at most `UNIT_BATCH_MAX`, each id once
 * @returns one result for each change, in the same order
 */
export async function putUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly UnitChange[],
  now: Date,
): Promise<PutUnitResult[]> {
  return await putLockedUnits(tx, shop, changes, await lockForChange(tx, shop.id, changes), now);
}

/**
 * Locks what a batch of changes needs, in the order of locks everywhere: the catalog before units. Returns the units
 * that are there.
 */
export async function lockForChange(
  tx: Transaction,
  shopId: string,
  changes: readonly UnitChange[],
): Promise<ReadonlyMap<string, UnitRow>> {
  assertBatch(changes);
  // Held to the commit: no unit is rendered from a catalog entry that is about to change.
  const shared = shareCatalog(tx);
  const ids = changes.map((change) => change.id);
  const [rows] = await Promise.all([lockUnits(tx, shopId, ids), shared]);
  return rows;
}

/** `putUnits` of units that `lockForChange` has locked; `rows` is what it returned. */
export async function putLockedUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly UnitChange[],
  rows: ReadonlyMap<string, UnitRow>,
  now: Date,
): Promise<PutUnitResult[]> {
  const merged = changes.map((change) => mergeUnit(rows.get(change.id), change, shop, now));
  const references = await readUnitReferences(
    tx,
    shop.id,
    merged.filter((each) => each.kind === 'row').map((each) => each.row),
  );
  const written: Written[] = [];
  const results = merged.map((each): PutUnitResult => {
    if (each.kind !== 'row') return each;
    const resolved = resolveItem(each.row, references);
    if (resolved.kind !== 'item') return resolved;
    const before = rows.get(each.row.id);
    if (before !== undefined && areSame(before, each.row, WRITTEN_MEMBERS)) {
      const unitText = closeUnit(renderUnitHead(before, resolved.itemText), before);
      return { kind: 'unchanged', unitText };
    }
    const head = renderUnitHead(each.row, resolved.itemText);
    written.push({ before, row: each.row, head });
    const unitText = closeUnit(head, each.row);
    return { kind: before === undefined ? 'created' : 'updated', unitText };
  });
  await writeUnits(tx, shop, written, references.catalogPosition, now);
  return results;
}

/**
 * Stamps units again, because what they show of the catalog or of their photos has changed. The catalog is held by the
 * caller.
 */
export async function restampUnitRows(
  tx: Transaction,
  shopId: string,
  rows: readonly UnitRow[],
  now: Date,
): Promise<void> {
  const references = await readUnitReferences(tx, shopId, rows);
  const written = rows.map((row): Written => {
    const resolved = resolveItem(row, references);
    if (resolved.kind !== 'item') throw new Error(`unit ${row.id}: ${resolved.detail}`);
    return { before: row, row, head: renderUnitHead(row, resolved.itemText) };
  });
  await writeUnits(tx, { id: shopId }, written, references.catalogPosition, now);
}

async function writeUnits(
  tx: Transaction,
  shop: Pick<UnitShop, 'id' | 'by'>,
  written: readonly Written[],
  catalogPosition: number,
  now: Date,
): Promise<void> {
  if (written.length === 0) return;
  const units = written.map(({ row, head }) => ({
    row,
    doc: openUnitRecord(row, head, laterOf(row.updatedAt, now)),
  }));
  const moves = movesOf(written);
  const moved = moves === null ? [] : moveValues(moves, shop.by ?? SERVICE, now);
  const stamped = await tx.one(
    moves === null ? stampUnits : stampMovedUnits,
    stampValues(shop.id, units, now, catalogPosition, moved),
  );
  // The counts are those of the rows that were read; with one of them created meanwhile nothing of it stays.
  if (stamped?.written !== units.length) throw new StaleRead('a unit was created meanwhile');
  announceSoon(tx, 'stock', shop.id);
}

type Merged = { readonly kind: 'row'; readonly row: UnitRow } | UnitRefusal;

function mergeUnit(
  before: UnitRow | undefined,
  change: UnitChange,
  shop: UnitShop,
  now: Date,
): Merged {
  const currency = change.currency ?? before?.currency ?? shop.currency;
  const merged = mergeMembers(WRITTEN_FIELDS, { ...change, currency }, before);
  const item = change.item === undefined ? before : itemRowOf(change.item);
  if (merged.kind === 'incomplete' || item === undefined) {
    const missing = merged.kind === 'incomplete' ? merged.missing : [];
    return { kind: 'incomplete', missing: item === undefined ? [...missing, 'item'] : missing };
  }
  const { status } = merged.values;
  if (before !== undefined && !canChangeStatus(before.status, status)) {
    return { kind: 'forbidden_transition', from: before.status, to: status };
  }
  const { cardId, gradeId, productId } = item;
  const row: UnitRow = {
    ...merged.values,
    id: change.id,
    cardId,
    gradeId,
    productId,
    photos: before?.photos ?? [],
    statusChangedAt:
      before?.status === status
        ? before.statusChangedAt
        : changeInstant(before?.statusChangedAt, now),
    createdAt: before?.createdAt ?? now,
    updatedAt: changeInstant(before?.updatedAt, now),
    seq: before?.seq ?? 0,
  };
  return { kind: 'row', row };
}

function assertBatch(changes: readonly UnitChange[]): void {
  if (changes.length > UNIT_BATCH_MAX) throw new Error(`a batch of ${changes.length} units`);
  const ids = new Set(changes.map((change) => change.id));
  if (ids.size !== changes.length) throw new Error('a batch names a unit twice');
}
