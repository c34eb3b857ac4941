import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { listGrades } from '../catalog/shop-grade.ts';
import type { Grade } from '../catalog/grade.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { listPlaces } from '../inventory/places.ts';
import { findShopTimezone } from '../inventory/shop-timezone.ts';
import { countUnits } from '../inventory/stock-figures.ts';
import { putUnits, UNIT_BATCH_MAX, type UnitChange, type UnitShop } from '../inventory/unit.ts';
import { IN_STOCK_STATUSES } from '../inventory/unit-status.ts';
import { readUnitValues, type UnitValues } from '../inventory/unit-values.ts';
import type { Layout, Mapping } from './columns.ts';
import { fileFault, type FileFault, rowFault, type RowFault } from './fault.ts';
import { type ItemChoices, MATCH_METHODS, type MatchMethod, matchItems } from './match-items.ts';
import { type PlannedRow, type PlannedUnit, type Question, UnitPlanner } from './plan-units.ts';
import type { Table, TableRow } from './read-table.ts';
import { type FileValues, readRow, type RowDraft, type ReadRowOptions } from './row-draft.ts';
import { readCondition } from './values.ts';

/** The number of rows in a batch. A batch is matched with a few queries. */
const MATCHED_ROWS = 500;
/** A file with more is probably read wrongly: a column of prices or numbers as the quantity. */
export const FILE_UNITS_MAX = 50_000;
/** The maximum number of faults: two in each row of the largest file. */
const FAULTS_MAX = 100_000;
/** The maximum number of questions. Further questions are asked when the file is checked again. */
export const QUESTIONS_MAX = 100;
const GRADES_MAX = 2_000;

export interface FileSettings {
  readonly mapping: Mapping;
  /** The place of units without one in their row. */
  readonly siteId: string | null;
  readonly locationId: string | null;
  /** True if every row is new stock. False if equal rows of two files mean the same unit. */
  readonly isDelivery: boolean;
  readonly itemChoices: ItemChoices;
  readonly gradeChoices: Readonly<Record<string, string>>;
}

export interface StockFile {
  readonly table: Table;
  readonly carried: Layout['carried'];
  /** The SHA-256 of the file. */
  readonly digest: string;
}

export interface FileCounts {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** The number of units that have left the stock since an earlier import. They are not changed. */
  readonly left: number;
  readonly rowsRefused: number;
  readonly rowsOpen: number;
  readonly rowsWithoutUnits: number;
  readonly rowsMatched: Readonly<Record<MatchMethod | 'unit', number>>;
}

export interface FileProgress {
  readonly rowsDone: number;
  readonly counts: FileCounts;
}

export interface AskedQuestion {
  readonly question: Question;
  readonly rows: number;
}

export interface FileResult extends FileProgress {
  /** Why the file as a whole is refused, or null. */
  readonly refusal: FileFault | null;
  readonly faults: readonly RowFault[];
  readonly questions: readonly AskedQuestion[];
}

/** Runs `work`, which writes a batch and the progress of the file, in one transaction. */
export type WriteBatch = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

export interface ProcessOptions {
  readonly clock: Clock;
  /** If null, the file is only checked. */
  readonly write: WriteBatch | null;
  /** Where an interrupted import continues. */
  readonly from?: FileProgress | undefined;
  /** Called in the transaction of each batch; `tx` is null when the file is only checked. */
  readonly onProgress?: (tx: Transaction | null, progress: FileProgress) => Promise<void>;
  readonly signal?: AbortSignal;
}

export const ZERO_COUNTS: FileCounts = {
  created: 0,
  changed: 0,
  unchanged: 0,
  left: 0,
  rowsRefused: 0,
  rowsOpen: 0,
  rowsWithoutUnits: 0,
  rowsMatched: Object.fromEntries(
    [...MATCH_METHODS, 'unit'].map((by) => [by, 0]),
  ) as FileCounts['rowsMatched'],
};

export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/**
 * Checks or imports a file, in transactions of at most `UNIT_BATCH_MAX` units. The ids of units are
 * derived from the file's content, so a repeated or interrupted import can simply run again.
 */
export async function processStockFile(
  db: Queryable,
  shop: UnitShop,
  file: StockFile,
  settings: FileSettings,
  options: ProcessOptions,
): Promise<FileResult> {
  const { unitsMax = Infinity } = shop;
  const unitsLeft = unitsMax === Infinity ? Infinity : unitsMax - (await countUnits(db, shop.id));
  const run = new FileRun(db, shop, unitsLeft, options);
  const timezone = (await findShopTimezone(db, shop.id)) ?? 'UTC';
  const reading = { mapping: settings.mapping, currency: shop.currency, timezone };
  const tooMany = await findTooManyUnits(file.table, reading);
  if (tooMany !== null) return { ...run.result(), refusal: tooMany };
  for await (const rows of planRows(db, shop, file, settings, reading)) {
    options.signal?.throwIfAborted();
    for (const row of rows) await run.add(row);
    await run.flush();
    if (run.result().refusal !== null) break;
  }
  return run.result();
}

/** Finds the row with which the file has more than `FILE_UNITS_MAX` units. */
async function findTooManyUnits(table: Table, reading: ReadRowOptions): Promise<FileFault | null> {
  let units = 0;
  for (const [index, row] of table.rows.entries()) {
    if (index % MATCHED_ROWS === 0) await nextTurn();
    const draft = readRow(row, reading);
    units += 'quantity' in draft ? draft.quantity : 0;
    if (units > FILE_UNITS_MAX) return fileFault('too_many_units', row.number);
  }
  return null;
}

async function* planRows(
  db: Queryable,
  shop: UnitShop,
  { table, carried, digest }: StockFile,
  settings: FileSettings,
  reading: ReadRowOptions,
): AsyncGenerator<Iterable<PlannedRow>> {
  const [places, grades] = await Promise.all([listPlaces(db, shop.id), readGrades(db, shop.id)]);
  const { siteId, locationId, gradeChoices, isDelivery } = settings;
  const scope = isDelivery ? digest : '';
  const planner = new UnitPlanner({
    shopId: shop.id,
    scope,
    places: places.filter(
      ({ isSiteActive, isLocationActive }) => isSiteActive && isLocationActive !== false,
    ),
    grades,
    siteId,
    locationId,
    gradeChoices,
  });
  const fillColumn = columnFiller(carried);
  for (let at = 0; at < table.rows.length; at += MATCHED_ROWS) {
    const rows = table.rows.slice(at, at + MATCHED_ROWS);
    const drafts = rows.map((row) => readRow(fillColumn(row), reading));
    const needing = drafts.filter((draft) => !Array.isArray(draft) && needsItem(draft as RowDraft));
    const queries = (needing as RowDraft[]).map(({ item, condition }) => {
      // A condition such as `Near Mint Foil` also contains the finish.
      const { finish, variant } = readCondition(condition);
      return {
        ...item,
        finish: item.finish === '' ? (finish ?? '') : item.finish,
        variant: item.variant === '' ? (variant ?? '') : item.variant,
      };
    });
    const matches = await matchItems(db, queries, settings.itemChoices);
    const matchOf = new Map(needing.map((draft, index) => [draft, matches[index] ?? null]));
    yield (function* (): Generator<PlannedRow> {
      for (const [index, draft] of drafts.entries()) {
        yield 'item' in draft
          ? planner.plan(draft, matchOf.get(draft) ?? null)
          : { kind: 'refused', row: rows[index]?.number ?? 0, faults: draft };
      }
    })();
  }
}

function needsItem({ unitId, quantity }: RowDraft): boolean {
  return unitId === null && quantity > 0;
}

/** Returns a function that fills in the column that is empty after the first row of a product. */
function columnFiller(carried: Layout['carried']): (row: TableRow) => TableRow {
  if (carried === null) return (row) => row;
  let last = { by: '', value: '' };
  return (row) => {
    const [by = '', value = ''] = [row.cells[carried.by], row.cells[carried.column]];
    if (value !== '' || by !== last.by) last = { by, value };
    return value === '' ? { ...row, cells: row.cells.with(carried.column, last.value) } : row;
  };
}

async function readGrades(db: Queryable, shopId: string): Promise<readonly Grade[]> {
  return await listGrades(db, shopId, { afterId: null, limit: GRADES_MAX });
}

type Counting = { -readonly [K in keyof FileCounts]: FileCounts[K] };

interface RowUnit extends PlannedUnit {
  readonly row: number;
}

class FileRun {
  readonly #db: Queryable;
  readonly #shop: UnitShop;
  readonly #options: ProcessOptions;
  /** The number of units that may be added to the shop. */
  readonly #unitsLeft: number;
  readonly #counts: Counting;
  readonly #faults: RowFault[] = [];
  readonly #questions = new Map<string, AskedQuestion>();
  #units: RowUnit[] = [];
  #ids = new Set<string>();
  #rowsSeen = 0;
  #refusal: FileFault | null = null;
  #rowsDone: number;

  constructor(db: Queryable, shop: UnitShop, unitsLeft: number, options: ProcessOptions) {
    this.#db = db;
    this.#shop = shop;
    this.#unitsLeft = unitsLeft;
    this.#options = options;
    this.#counts = { ...(options.from?.counts ?? ZERO_COUNTS) };
    this.#rowsDone = options.from?.rowsDone ?? 0;
  }

  async add(planned: PlannedRow): Promise<void> {
    this.#rowsSeen += 1;
    // This row was done before the import was interrupted.
    if (this.#rowsSeen <= this.#rowsDone) return;
    if (planned.kind === 'units') {
      const isFull = this.#units.length + planned.count > UNIT_BATCH_MAX;
      const units = [...planned.units];
      // A batch may contain a unit only once.
      const repeats = units.some(({ id }) => this.#ids.has(id));
      if (isFull || repeats) await this.flush(this.#rowsSeen - 1);
      for (const unit of units) {
        this.#units.push({ ...unit, row: planned.row });
        this.#ids.add(unit.id);
      }
    }
    this.#count(planned);
  }

  #count(planned: PlannedRow): void {
    switch (planned.kind) {
      case 'units': {
        const { by } = planned;
        const { rowsMatched } = this.#counts;
        this.#counts.rowsMatched = { ...rowsMatched, [by]: rowsMatched[by] + 1 };
        return;
      }
      case 'none':
        this.#counts.rowsWithoutUnits += 1;
        return;
      case 'refused':
        this.#counts.rowsRefused += 1;
        for (const fault of planned.faults) this.#report(fault);
        return;
      case 'open': {
        this.#counts.rowsOpen += 1;
        this.#report(planned.fault);
        const { question } = planned;
        const known = this.#questions.get(question.key);
        if (known === undefined && this.#questions.size >= QUESTIONS_MAX) return;
        this.#questions.set(question.key, { question, rows: (known?.rows ?? 0) + 1 });
      }
    }
  }

  #report(fault: RowFault): void {
    if (this.#faults.length < FAULTS_MAX) this.#faults.push(fault);
  }

  /** @param rowsDone the number of rows that are done when the pending units are written */
  async flush(rowsDone = this.#rowsSeen): Promise<void> {
    if (rowsDone <= this.#rowsDone) return;
    const units = this.#units;
    this.#units = [];
    this.#ids = new Set();
    const ids = units.map(({ id }) => id);
    const existing = await readUnitValues(this.#db, this.#shop.id, ids);
    const changes = units.flatMap((unit) => this.#changeOf(unit, existing.get(unit.id)));
    this.#rowsDone = rowsDone;
    const { write, onProgress, clock } = this.#options;
    if (write === null) {
      for (const { id } of changes) {
        this.#countWritten(existing.has(id) ? 'updated' : 'created');
        if (this.#counts.created <= this.#unitsLeft || this.#refusal !== null) continue;
        this.#refusal = fileFault('shop_full', units.find((unit) => unit.id === id)?.row ?? null);
      }
      await onProgress?.(null, { rowsDone, counts: this.#counts });
      return;
    }
    const before = { ...this.#counts };
    const faultsBefore = this.#faults.length;
    await write(async (tx) => {
      // The transaction may be retried, so discard the counts and faults of an earlier attempt.
      Object.assign(this.#counts, before);
      this.#faults.length = faultsBefore;
      const results = await putUnits(tx, this.#shop, changes, clock.now());
      for (const [index, result] of results.entries()) {
        if ('unitText' in result) {
          this.#countWritten(result.kind);
          continue;
        }
        const row = units.find(({ id }) => id === changes[index]?.id)?.row ?? 0;
        if (result.kind === 'shop_full') {
          if (this.#faults.at(-1)?.code !== 'shop_full') this.#report(rowFault(row, 'shop_full'));
          continue;
        }
        const detail = 'detail' in result ? result.detail : result.kind;
        this.#report(rowFault(row, 'not_written', null, detail));
      }
      await onProgress?.(tx, { rowsDone, counts: this.#counts });
    });
  }

  #countWritten(kind: 'created' | 'updated' | 'unchanged'): void {
    const name = kind === 'updated' ? 'changed' : kind;
    this.#counts[name] += 1;
  }

  #changeOf(unit: RowUnit, existing: UnitValues | undefined): readonly UnitChange[] {
    if (existing === undefined) {
      if (unit.created !== null) return [unit.created];
      this.#counts.rowsRefused += 1;
      this.#report(rowFault(unit.row, 'unknown_unit', 'unitId', unit.id));
      return [];
    }
    if (!IN_STOCK_STATUSES.has(existing.status)) {
      this.#counts.left += 1;
      return [];
    }
    const values = differing(unit.values, existing, this.#shop.currency);
    if (Object.keys(values).length === 0) {
      this.#counts.unchanged += 1;
      return [];
    }
    return [{ id: unit.id, ...values }];
  }

  result(): FileResult {
    return {
      refusal: this.#refusal,
      rowsDone: this.#rowsDone,
      counts: this.#counts,
      faults: this.#faults,
      questions: [...this.#questions.values()],
    };
  }
}

function differing(values: FileValues, existing: UnitValues, currency: string): FileValues {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      // Amounts are in the shop's currency, so units in another currency keep their amounts.
      if (name.endsWith('Minor') && existing.currency !== currency) return false;
      const own = existing[name as keyof FileValues];
      return own instanceof Date && value instanceof Date
        ? own.getTime() !== value.getTime()
        : own !== value;
    }),
  );
}
