import { hash } from 'node:crypto';
import { uuidOfHex } from '../base/uuid.ts';
import { addPurchase, cancelPurchase } from '../boosts/purchase.ts';
import { type Queryable, StaleRead, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { changeExistingUnits, receiveUnits } from '../inventory/existing-units.ts';
import type { UnitChange, UnitRefusal, UnitShop } from '../inventory/unit.ts';
import type { UnitRow } from '../inventory/unit-row.ts';

/** One line of a form. All lines of a call together have at most `UNIT_BATCH_MAX` units. */
export interface ReceiptLine {
  /** The receipt's id, chosen by the form. */
  readonly id: string;
  /** The values of each unit. Never empty. */
  readonly units: readonly Omit<UnitChange, 'id'>[];
  /** The boost on which the units were bought, or null. */
  readonly boostId: string | null;
}

/** The shop that receives the units, and the member who enters them. */
export interface ReceivingShop extends UnitShop {
  readonly by: { readonly kind: 'member'; readonly accountId: string };
}

/** Runs `work` in a transaction, which is rolled back if `work` throws. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** `line` is the index of the refused line. After a refusal nothing has been written. */
export type ReceiveLinesResult =
  | { readonly kind: 'received' }
  /** One of the receipts exists, so the form has already been processed. */
  | { readonly kind: 'known' }
  /** The boost has ended, or its remaining quantity is less than the number of units. */
  | { readonly kind: 'boost_refused'; readonly line: number }
  | { readonly kind: 'unit_refused'; readonly line: number; readonly refusal: UnitRefusal };

export type UndoReceiptResult =
  | { readonly kind: 'undone' | 'undone_before' | 'not_found' | 'boost_ended' }
  /** A unit has been changed since it was received. */
  | { readonly kind: 'unit_changed'; readonly row: UnitRow };

interface ReceiptRow {
  readonly quantity: number;
  readonly boostId: string | null;
  readonly undoneAt: Date | null;
}

const COLUMNS = 'quantity, boost_id as "boostId", undone_at as "undoneAt"';

export const selectKnownReceipts = statement<{ readonly id: string }>(
  'select_known_receipts',
  `select receipt_id as id from receipt
  where shop_id = $1 and receipt_id = any($2::uuid[])`,
);

export const selectReceipt = statement<ReceiptRow>(
  'select_receipt',
  `select ${COLUMNS} from receipt where shop_id = $1 and receipt_id = $2`,
);

export const lockReceipt = statement<ReceiptRow>(
  'lock_receipt',
  `select ${COLUMNS} from receipt where shop_id = $1 and receipt_id = $2 for no key update`,
);

export const insertReceipts = statement(
  'insert_receipts',
  `insert into receipt (shop_id, receipt_id, received_at, account_id, quantity, boost_id)
  select $1, r.receipt_id, $2, $3, r.quantity, r.boost_id
  from unnest($4::uuid[], $5::bigint[], $6::uuid[]) as r (receipt_id, quantity, boost_id)
  on conflict (shop_id, receipt_id) do nothing`,
);

export const undoReceiptRow = statement(
  'undo_receipt_row',
  `update receipt set undone_at = $3 where shop_id = $1 and receipt_id = $2`,
);

/** Thrown to roll back the transaction. The caller returns `result`. */
class Refused<Result> extends Error {
  override name = 'Refused';
  readonly result: Result;

  constructor(result: Result) {
    super('refused');
    this.result = result;
  }
}

/**
 * Derives a unit's id from its receipt's id, so that a form that is sent twice creates the units
 * once, and an undo finds them.
 */
export function unitIdOf(shopId: string, receiptId: string, index: number): string {
  return uuidOfHex(hash('sha256', `${shopId} ${receiptId} ${index}`, 'hex').slice(0, 32));
}

/**
 * Creates the units of all lines, and a purchase for each line with a boost, or writes nothing.
 * Locks boosts by id, then the catalog, units and feed head (decision 0233).
 */
export async function receiveLines(
  transact: Transact,
  shop: ReceivingShop,
  lines: readonly ReceiptLine[],
  now: Date,
): Promise<ReceiveLinesResult> {
  return await orRefusal<ReceiveLinesResult>(async () =>
    transact(async (tx) => {
      const ids = lines.map(({ id }) => id);
      const known = await tx.query(selectKnownReceipts, [shop.id, ids]);
      if (known.length > 0) return { kind: 'known' };
      await purchaseLines(tx, shop.id, lines, now);
      const written = await tx.count(insertReceipts, [
        shop.id,
        now,
        shop.by.accountId,
        ids,
        lines.map(({ units }) => units.length),
        lines.map(({ boostId }) => boostId),
      ]);
      if (written !== lines.length) throw new StaleRead('a concurrent request received the lines');
      await createUnits(tx, shop, lines, now);
      return { kind: 'received' };
    }),
  );
}

async function purchaseLines(
  tx: Transaction,
  shopId: string,
  lines: readonly ReceiptLine[],
  now: Date,
): Promise<void> {
  const counted = lines
    .flatMap(({ id, units, boostId }, line) =>
      boostId === null ? [] : [{ id, quantity: units.length, boostId, line }],
    )
    .toSorted((a, b) => (a.boostId < b.boostId ? -1 : a.boostId > b.boostId ? 1 : a.line - b.line));
  for (const { id, quantity, boostId, line } of counted) {
    const result = await addPurchase(tx, shopId, boostId, { id, quantity }, now);
    if (!('boostText' in result)) throw new Refused({ kind: 'boost_refused', line });
  }
}

async function createUnits(
  tx: Transaction,
  shop: ReceivingShop,
  lines: readonly ReceiptLine[],
  now: Date,
): Promise<void> {
  const pieces = lines.flatMap(({ id, units }, line) =>
    units.map((unit, index) => ({ line, change: { ...unit, id: unitIdOf(shop.id, id, index) } })),
  );
  const changes = pieces.map(({ change }) => change);
  const made = await receiveUnits(tx, shop, changes, now);
  if (made.kind === 'known') throw new Error('the units exist without their receipt');
  for (const [index, result] of made.results.entries()) {
    if ('unitText' in result) continue;
    throw new Refused({ kind: 'unit_refused', line: pieces[index]?.line ?? 0, refusal: result });
  }
}

/** Writes nothing if a unit was changed since it was received, or if the boost has ended. */
export async function undoReceipt(
  transact: Transact,
  shop: ReceivingShop,
  id: string,
  now: Date,
): Promise<UndoReceiptResult> {
  return await orRefusal<UndoReceiptResult>(async () =>
    transact(async (tx) => {
      const receipt = await tx.one(selectReceipt, [shop.id, id]);
      if (receipt === undefined) return { kind: 'not_found' };
      if (receipt.undoneAt !== null) return { kind: 'undone_before' };
      const { boostId, quantity } = receipt;
      if (boostId !== null) {
        const { kind } = await cancelPurchase(tx, shop.id, boostId, id, now);
        if (kind === 'conflict') throw new Refused({ kind: 'boost_ended' });
      }
      const locked = await tx.one(lockReceipt, [shop.id, id]);
      if (locked?.undoneAt !== null) return { kind: 'undone_before' };
      await tx.query(undoReceiptRow, [shop.id, id, now]);
      await voidUnits(tx, shop, { id, quantity }, now);
      return { kind: 'undone' };
    }),
  );
}

async function voidUnits(
  tx: Transaction,
  shop: ReceivingShop,
  { id, quantity }: { readonly id: string; readonly quantity: number },
  now: Date,
): Promise<void> {
  const changes = Array.from({ length: quantity }, (_, index) => ({
    change: { id: unitIdOf(shop.id, id, index), status: 'voided' as const },
    expects: ({ status, updatedAt, createdAt }: UnitRow) =>
      status === 'in_stock' && updatedAt.getTime() === createdAt.getTime(),
  }));
  for (const result of await changeExistingUnits(tx, shop, changes, now)) {
    if ('unitText' in result) continue;
    if (result.kind === 'changed_meanwhile') {
      throw new Refused({ kind: 'unit_changed', row: result.row });
    }
    throw new Error(`cannot void a unit of receipt ${id}: ${result.kind}`);
  }
}

async function orRefusal<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    // The cast is safe: each function throws only its own results.
    if (error instanceof Refused) return error.result as Result;
    throw error;
  }
}

export async function findReceipt(
  db: Queryable,
  shopId: string,
  id: string,
): Promise<ReceiptRow | undefined> {
  return await db.one(selectReceipt, [shopId, id]);
}
