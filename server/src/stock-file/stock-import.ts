import { hash } from 'node:crypto';
import { newId } from '../base/secrets.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { createPerShopCleaner } from '../database/cleaner.ts';
import { statement } from '../database/statement.ts';
import { FILE_FIELDS, headerKey, type Mapping } from './columns.ts';
import { fileFault, type FileFault, type RowFault } from './fault.ts';
import type { FileCounts, FileProgress, FileResult, FileSettings } from './import-stock-file.ts';
import type { Item } from './match-items.ts';

/** The uploaded files kept for a shop. One more upload deletes the oldest file. */
export const IMPORTS_MAX = 5;
/** The maximum number of faults stored for a file. They take about 1 MB. */
export const STORED_FAULTS_MAX = 10_000;
/** The maximum number of layouts stored for a shop. The oldest are deleted. */
const LAYOUTS_MAX = 50;
/** Imports are deleted after this time, even unfinished ones. */
export const IMPORT_RETENTION_MS = 86_400_000;
/** An import is not started again after this number of processes died while they worked on it. */
const DEATHS_MAX = 2;
/** After this time, another process can continue the import. A batch takes much less time. */
const LEASE_MS = 30_000;

export type ImportState = 'checking' | 'checked' | 'importing' | 'done' | 'failed';

/** A question about rows of a file, with the choices to display. */
export interface StoredQuestion {
  readonly kind: 'item' | 'grade';
  readonly key: string;
  /** The condition in the file, or the name of the item. */
  readonly text: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly rows: number;
}

/** An uploaded file without its bytes. */
export interface StockImport {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly fileName: string;
  readonly settings: FileSettings;
  readonly state: ImportState;
  /** No process is working on the file. */
  readonly isWaiting: boolean;
  /** Why the file as a whole was refused, or null. */
  readonly refusal: FileFault | null;
  readonly rowsTotal: number;
  readonly rowsDone: number;
  readonly counts: FileCounts | null;
  readonly faults: readonly RowFault[];
  readonly questions: readonly StoredQuestion[];
}

const COLUMNS = `import_id as id, account_id as "accountId", created_at as "createdAt", file_name as "fileName", settings,
    state, leased_until is null as "isWaiting", refusal, rows_total as "rowsTotal", rows_done as "rowsDone", counts, faults, questions`;

export const selectImport = statement<StockImport>(
  'select_stock_import',
  `select ${COLUMNS} from stock_import where shop_id = $1 and import_id = $2`,
);

export const selectImportFile = statement<{ readonly file: Buffer }>(
  'select_stock_import_file',
  `select file from stock_import where shop_id = $1 and import_id = $2`,
);

export const selectImports = statement<
  Pick<StockImport, 'id' | 'accountId' | 'createdAt' | 'fileName' | 'state'>
>(
  'select_stock_imports',
  `select import_id as id, account_id as "accountId", created_at as "createdAt", file_name as "fileName", state
  from stock_import where shop_id = $1 order by created_at desc, import_id limit $2`,
);

export const insertImport = statement(
  'insert_stock_import',
  `insert into stock_import (shop_id, import_id, account_id, created_at, file_name, file, settings, state,
    rows_total, rows_done, faults, questions)
  values ($1, $2, $3, $4, $5, $6, $7, 'checking', $8, 0, '[]', '[]')`,
);

export const deleteOldestImports = statement(
  'delete_oldest_stock_imports',
  `delete from stock_import where shop_id = $1 and import_id in (
    select old.import_id from stock_import old where old.shop_id = $1
    order by old.created_at desc, old.import_id offset $2)`,
);

export const deleteImport = statement(
  'delete_stock_import',
  `delete from stock_import where shop_id = $1 and import_id = $2`,
);

export const claimImport = statement<
  StockImport & { readonly file: Buffer; readonly deaths: number }
>(
  'claim_stock_import',
  `update stock_import set lease_id = $3, leased_until = $5,
    deaths = deaths + (case when leased_until is null then 0 else 1 end)
  where shop_id = $1 and import_id = $2 and state in ('checking', 'importing')
    and (leased_until is null or leased_until <= $4)
  returning ${COLUMNS}, file, deaths`,
);

export const selectUnclaimedImports = statement<{
  readonly shopId: string;
  readonly currency: string;
  readonly importId: string;
}>(
  'select_unclaimed_stock_imports',
  `select shop_id as "shopId", currency, import_id as "importId" from stock_import join shop using (shop_id)
    join member using (shop_id, account_id)
  where is_active and 'inventory.write' = any(permissions) and closed_at is null and state in ('checking', 'importing') and (leased_until is null or leased_until <= $1)
  order by stock_import.created_at limit $2`,
);

export const recordImportProgress = statement(
  'record_stock_import_progress',
  // A check begins again after a death, so its progress proves nothing.
  `update stock_import set rows_done = $4, counts = $5, leased_until = $6,
    deaths = (case when state = 'importing' then 0 else deaths end)
  where shop_id = $1 and import_id = $2 and lease_id = $3`,
);

export const endImportWork = statement(
  'end_stock_import_work',
  `update stock_import set lease_id = null, leased_until = null, state = $4, rows_done = $5, counts = $6,
    faults = coalesce($7, faults), questions = coalesce($8, questions), refusal = $9
  where shop_id = $1 and import_id = $2 and lease_id = $3`,
);

export const releaseImport = statement(
  'release_stock_import',
  `update stock_import set lease_id = null, leased_until = null, state = coalesce($4, state)
  where shop_id = $1 and import_id = $2 and lease_id = $3`,
);

export const restartImport = statement(
  'restart_stock_import',
  `update stock_import set state = $4, settings = coalesce($5, settings), rows_done = 0, counts = null,
    deaths = 0
  where shop_id = $1 and import_id = $2 and state = $3`,
);

export const selectLayout = statement<{ readonly mapping: Mapping }>(
  'select_stock_file_layout',
  `select mapping from stock_file_layout where shop_id = $1 and header_digest = $2`,
);

export const upsertLayout = statement(
  'upsert_stock_file_layout',
  `insert into stock_file_layout (shop_id, header_digest, mapping, used_at) values ($1, $2, $3, $4)
  on conflict (shop_id, header_digest) do update set mapping = excluded.mapping, used_at = excluded.used_at`,
);

export const deleteOldestLayouts = statement(
  'delete_oldest_stock_file_layouts',
  `delete from stock_file_layout where shop_id = $1 and header_digest in (
    select old.header_digest from stock_file_layout old where old.shop_id = $1
    order by old.used_at desc, old.header_digest offset $2)`,
);

export const selectShopsOfOldImports = statement<{ readonly shopId: string }>(
  'select_shops_of_old_stock_imports',
  `select distinct shop_id as "shopId" from (
    select shop_id from stock_import where created_at < $1 order by created_at limit $2
  ) old`,
);

export const deleteOldImports = statement(
  'delete_old_stock_imports',
  `delete from stock_import where shop_id = $1 and import_id in (
    select import_id from stock_import where shop_id = $1 and created_at < $2
    limit $3 for update skip locked)`,
);

export const cleanStockImports = createPerShopCleaner(
  selectShopsOfOldImports,
  deleteOldImports,
  IMPORT_RETENTION_MS,
);

export interface NewImport {
  readonly accountId: string;
  readonly fileName: string;
  readonly file: Buffer;
  readonly settings: FileSettings;
  readonly rowsTotal: number;
}

export async function addImport(
  tx: Transaction,
  shopId: string,
  { accountId, fileName, file, settings, rowsTotal }: NewImport,
  now: Date,
): Promise<string> {
  const id = newId();
  const values = [accountId, now, fileName, file, JSON.stringify(settings), rowsTotal];
  await tx.count(insertImport, [shopId, id, ...values]);
  await tx.count(deleteOldestImports, [shopId, IMPORTS_MAX]);
  return id;
}

export async function findImport(
  db: Queryable,
  shopId: string,
  importId: string,
): Promise<StockImport | undefined> {
  return await db.one(selectImport, [shopId, importId]);
}

/** Returns false if the import is not in the state `checked`. */
export async function changeCheckedImport(
  tx: Transaction,
  shopId: string,
  importId: string,
  to:
    | { readonly state: 'checking'; readonly settings: FileSettings }
    | { readonly state: 'importing' },
): Promise<boolean> {
  const settings = to.state === 'checking' ? JSON.stringify(to.settings) : null;
  return (await tx.count(restartImport, [shopId, importId, 'checked', to.state, settings])) === 1;
}

/** An import that a process has claimed. Only the holder of the lease may work on it. */
export interface ClaimedImport extends StockImport {
  readonly file: Buffer;
  readonly leaseId: string;
}

/**
 * Claims an unfinished import. Returns undefined if another process is working on it, or if
 * processes died of it: it then fails.
 */
export async function claimUnfinishedImport(
  db: Database,
  shopId: string,
  importId: string,
  now: Date,
): Promise<ClaimedImport | undefined> {
  const leaseId = newId();
  const values = [shopId, importId, leaseId, now, new Date(now.getTime() + LEASE_MS)];
  const row = await db.one(claimImport, values);
  if (row === undefined || row.deaths < DEATHS_MAX) return row && { ...row, leaseId };
  const { id, rowsDone, counts } = row;
  const result = [rowsDone, JSON.stringify(counts), null, null];
  const refusal = JSON.stringify(fileFault('interrupted'));
  await db.count(endImportWork, [shopId, id, leaseId, 'failed', ...result, refusal]);
  return undefined;
}

/** Thrown when another process has claimed the import, or a member has deleted it. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** @throws LeaseLost */
export async function recordProgress(
  db: Queryable,
  shopId: string,
  { id, leaseId }: ClaimedImport,
  { rowsDone, counts }: FileProgress,
  now: Date,
): Promise<void> {
  const leasedUntil = new Date(now.getTime() + LEASE_MS);
  const values = [shopId, id, leaseId, rowsDone, JSON.stringify(counts), leasedUntil];
  if ((await db.count(recordImportProgress, values)) !== 1) throw new LeaseLost();
}

/** An interrupted import has not seen all rows, so the check's faults and questions are kept. */
export async function recordResult(
  db: Queryable,
  shopId: string,
  claimed: ClaimedImport,
  { refusal, rowsDone, counts, faults, questions }: FileResult,
): Promise<void> {
  const isCheck = claimed.state === 'checking';
  const isWhole = isCheck || claimed.rowsDone === 0;
  await db.count(endImportWork, [
    shopId,
    claimed.id,
    claimed.leaseId,
    refusal !== null ? 'failed' : isCheck ? 'checked' : 'done',
    rowsDone,
    JSON.stringify(counts),
    isWhole ? JSON.stringify(faults.slice(0, STORED_FAULTS_MAX)) : null,
    isWhole ? JSON.stringify(questions.map(toStored)) : null,
    refusal === null ? null : JSON.stringify(refusal),
  ]);
}

function toStored({ question, rows }: FileResult['questions'][number]): StoredQuestion {
  const { kind, key } = question;
  if (kind === 'grade') return { kind, key, rows, text: question.text, choices: [] };
  const choices = question.items.map((item) => {
    return { value: `${item.kind}:${item.id}`, label: labelOf(item) };
  });
  const [first] = question.items;
  return { kind, key, rows, text: first === undefined ? '' : nameOf(first), choices };
}

function nameOf(item: Item): string {
  return item.kind === 'card' ? item.card.name : item.product.name;
}

/** Returns a text that distinguishes a card from other cards of the same name. */
function labelOf(item: Item): string {
  if (item.kind === 'product') return item.product.name;
  const { name, set, cardNumber, languageCode, variant, finish } = item.card;
  const details = [set?.code, cardNumber, languageCode, variant, finish];
  return [name, ...details.filter((each) => each !== null && each !== undefined)].join(' · ');
}

function digestOfHeaders(headers: readonly string[]): string {
  return hash('sha256', JSON.stringify(headers.map(headerKey)), 'hex');
}

/** Returns the mapping of the shop's last file with this header, if there was one. */
export async function findLayout(
  db: Queryable,
  shopId: string,
  headers: readonly string[],
): Promise<Mapping | undefined> {
  return (await db.one(selectLayout, [shopId, digestOfHeaders(headers)]))?.mapping;
}

export async function rememberLayout(
  tx: Transaction,
  shopId: string,
  headers: readonly string[],
  mapping: Mapping,
  now: Date,
): Promise<void> {
  const digest = digestOfHeaders(headers);
  await tx.count(upsertLayout, [shopId, digest, JSON.stringify(mapping), now]);
  await tx.count(deleteOldestLayouts, [shopId, LAYOUTS_MAX]);
}

/** Returns the mapping without unknown fields and without columns that the file does not have. */
export function keepValidColumns(
  fields: Readonly<Partial<Record<string, number>>>,
  columns: number,
): Mapping {
  return Object.fromEntries(
    FILE_FIELDS.flatMap((field) => {
      const column = fields[field];
      return column !== undefined && column >= 0 && column < columns ? [[field, column]] : [];
    }),
  );
}
