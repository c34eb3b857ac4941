import { nextChangeInstant, laterOf } from '../base/clock.ts';
import type { Members } from '../base/field.ts';
import { areSame, mergeMembers, namesOf } from '../base/object-fields.ts';
import { ITEM_COLUMNS, itemRowOf } from '../catalog/item-field.ts';
import { lockCatalogShared } from '../catalog/catalog-lock.ts';
import { announceSoon } from '../database/channel.ts';
import { StaleRead, type Transaction } from '../database/database.ts';
import { type Actor, SERVICE } from '../shops/audit.ts';
import { stockEffectsOf } from './stock-effects.ts';
import { selectUnitCount } from './stock-figures.ts';
import { UNIT_FIELDS } from './unit-fields.ts';
import { readUnitReferences, resolveItem } from './unit-item.ts';
import { lockUnits, type UnitRow } from './unit-row.ts';
import { upsertInOneStatement } from './unit-upsert.ts';
import { upsertOnCitus } from './upsert-on-citus.ts';
import { canChangeStatus, type UnitStatus } from './unit-status.ts';
import { completeUnitJson, openUnitRecord, renderUnitStart } from './unit-text.ts';

/** The maximum number of units in one transaction, which locks the shop's feed head. */
export const UNIT_BATCH_MAX = 500;

const { item: _item, ...WRITABLE_FIELDS } = UNIT_FIELDS;
const WRITABLE_MEMBERS = [...namesOf(WRITABLE_FIELDS), ...namesOf(ITEM_COLUMNS)];

/** An omitted member keeps its value, or gets its default on creation; null clears it. */
export interface UnitChange extends Members<typeof UNIT_FIELDS> {
  readonly id: string;
}

/** The shop of a batch. Its currency is the default for new units. */
export interface UnitShop {
  readonly id: string;
  readonly currency: string;
  /** The maximum number of units, sold ones included. By default, there is none. */
  readonly unitsMax?: number;
  /** Who changes the units, for the status history. By default, the service. */
  readonly by?: Actor;
}

export type UnitRefusal =
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'unknown_reference'; readonly detail: string }
  | { readonly kind: 'shop_full'; readonly unitsMax: number }
  | {
      readonly kind: 'forbidden_transition';
      readonly from: UnitStatus;
      readonly to: UnitStatus;
    };

/** `unitText` is the unit in the format of the Shop API, including its cost. */
export type PutUnitResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly unitText: string }
  | UnitRefusal;

/** The rows before and after the write, and the start of the JSON (`renderUnitStart`). */
interface UnitWrite {
  readonly before: UnitRow | undefined;
  readonly row: UnitRow;
  readonly jsonStart: string;
}

/**
 * Creates or changes units. A refused change does not affect the other changes. Changes of the same
 * unit take effect in order, but only the last result is written: the feed gets one version.
 *
 * @param changes at most `UNIT_BATCH_MAX`
 * @returns one result for each change, in the same order
 */
export async function putUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly UnitChange[],
  now: Date,
): Promise<PutUnitResult[]> {
  return await putLockedUnits(
    tx,
    shop,
    changes,
    await lockUnitsForChange(tx, shop.id, changes),
    now,
  );
}

/** Locks the catalog and then the units, as all writers do. Returns the existing units. */
export async function lockUnitsForChange(
  tx: Transaction,
  shopId: string,
  changes: readonly UnitChange[],
): Promise<ReadonlyMap<string, UnitRow>> {
  assertBatch(changes);
  // The catalog stays locked until the commit, so that no unit is rendered from an outdated entry.
  const shared = lockCatalogShared(tx);
  const ids = changes.map((change) => change.id);
  const [rows] = await Promise.all([lockUnits(tx, shopId, ids), shared]);
  return rows;
}

/** Like `putUnits`, for locked units: `rows` is the result of `lockUnitsForChange`. */
export async function putLockedUnits(
  tx: Transaction,
  shop: UnitShop,
  changes: readonly UnitChange[],
  rows: ReadonlyMap<string, UnitRow>,
  now: Date,
): Promise<PutUnitResult[]> {
  // As if no change were refused, to find the references.
  const current = new Map(rows);
  const expected = changes.map((change) => {
    const merged = mergeUnit(rows.get(change.id), current.get(change.id), change, shop, now);
    if (merged.kind === 'row') current.set(change.id, merged.row);
    return merged;
  });
  const repeats = new Set(changes.map(({ id }) => id)).size < changes.length;
  const named = expected.flatMap((each) => (each.kind === 'row' ? [each.row] : []));
  // If a change is refused, a later one of the same unit may be accepted and keep stored references.
  if (repeats) named.push(...rows.values(), ...rowsNaming(changes, rows, shop, now));
  const [references, unitsLeft] = await Promise.all([
    readUnitReferences(tx, shop.id, named),
    current.size === rows.size ? Infinity : countUnitsLeft(tx, shop),
  ]);
  let created = 0;
  const written = new Map<string, UnitWrite>();
  const results = expected.map((each, index): PutUnitResult => {
    const change = changes[index];
    if (change === undefined) throw new Error('a change without its result');
    const { id } = change;
    const stored = rows.get(id);
    const before = written.get(id)?.row ?? stored;
    const merged = repeats ? mergeUnit(stored, before, change, shop, now) : each;
    if (merged.kind !== 'row') return merged;
    const { row } = merged;
    const resolved = resolveItem(row, references);
    if (resolved.kind !== 'item') return resolved;
    if (before === undefined && ++created > unitsLeft) {
      return { kind: 'shop_full', unitsMax: shop.unitsMax ?? 0 };
    }
    if (before !== undefined && areSame(before, row, WRITABLE_MEMBERS)) {
      const unitText = completeUnitJson(renderUnitStart(before, resolved.itemText), before);
      return { kind: 'unchanged', unitText };
    }
    const jsonStart = renderUnitStart(row, resolved.itemText);
    written.set(id, { before: stored, row, jsonStart });
    const unitText = completeUnitJson(jsonStart, row);
    return { kind: before === undefined ? 'created' : 'updated', unitText };
  });
  await writeUnits(tx, shop, [...written.values()], references.catalogPosition, now);
  return results;
}

/** Returns a row with the references of each change, as if no status were forbidden. */
function rowsNaming(
  changes: readonly UnitChange[],
  rows: ReadonlyMap<string, UnitRow>,
  shop: UnitShop,
  now: Date,
): readonly UnitRow[] {
  return changes.flatMap((change) => {
    const stored = rows.get(change.id);
    const status = stored?.status ?? 'in_stock';
    const merged = mergeUnit(stored, stored, { ...change, status }, shop, now);
    return merged.kind === 'row' ? [merged.row] : [];
  });
}

/** Concurrent batches may exceed the maximum by their size. */
async function countUnitsLeft(tx: Transaction, { id, unitsMax }: UnitShop): Promise<number> {
  if (unitsMax === undefined) return Infinity;
  const [counted] = await tx.queryPipelined(selectUnitCount, [id]);
  return unitsMax - (counted?.units ?? 0);
}

/** Renders units whose entries or photos changed. The caller must hold the lock on the catalog. */
export async function rerenderUnitRows(
  tx: Transaction,
  shopId: string,
  rows: readonly UnitRow[],
  now: Date,
): Promise<void> {
  const references = await readUnitReferences(tx, shopId, rows);
  const written = rows.map((stored): UnitWrite => {
    const row = { ...stored, updatedAt: nextChangeInstant(stored.updatedAt, now) };
    const resolved = resolveItem(row, references);
    if (resolved.kind !== 'item') throw new Error(`unit ${row.id}: ${resolved.detail}`);
    return { before: stored, row, jsonStart: renderUnitStart(row, resolved.itemText) };
  });
  await writeUnits(tx, { id: shopId }, written, references.catalogPosition, now);
}

async function writeUnits(
  tx: Transaction,
  shop: Pick<UnitShop, 'id' | 'by'>,
  written: readonly UnitWrite[],
  catalogPosition: number,
  now: Date,
): Promise<void> {
  if (written.length === 0) return;
  const units = written.map(({ row, jsonStart }) => ({
    row,
    doc: openUnitRecord(row, jsonStart, laterOf(row.updatedAt, now)),
  }));
  const effects = stockEffectsOf(written);
  const by = shop.by ?? SERVICE;
  const count = (await tx.isDistributed())
    ? await upsertOnCitus(tx, { shopId: shop.id, units, catalogPosition, now, by }, effects)
    : await upsertInOneStatement(tx, { shopId: shop.id, units, catalogPosition, now, by }, effects);
  // The counts were computed from the rows that were read. If a unit was created concurrently, the
  // error rolls back the transaction.
  if (count !== units.length) throw new StaleRead('a unit was created concurrently');
  announceSoon(tx, 'stock', shop.id);
}

type Merged = { readonly kind: 'row'; readonly row: UnitRow } | UnitRefusal;

/** @param before the `stored` row with the earlier changes of the batch */
function mergeUnit(
  stored: UnitRow | undefined,
  before: UnitRow | undefined,
  change: UnitChange,
  shop: UnitShop,
  now: Date,
): Merged {
  const currency = change.currency ?? before?.currency ?? shop.currency;
  const merged = mergeMembers(WRITABLE_FIELDS, { ...change, currency }, before);
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
      stored?.status === status
        ? stored.statusChangedAt
        : nextChangeInstant(stored?.statusChangedAt, now),
    createdAt: stored?.createdAt ?? now,
    updatedAt: nextChangeInstant(stored?.updatedAt, now),
    seq: stored?.seq ?? 0,
  };
  return { kind: 'row', row };
}

function assertBatch(changes: readonly UnitChange[]): void {
  if (changes.length > UNIT_BATCH_MAX) throw new Error(`a batch of ${changes.length} units`);
}
