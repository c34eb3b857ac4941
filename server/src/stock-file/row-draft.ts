import { Temporal } from 'temporal-polyfill';
import { isUuid } from '../base/field.ts';
import { namesOf } from '../base/object-fields.ts';
import { CODE_CHARACTERS_MAX } from '../inventory/text-limits.ts';
import { parseAmount } from '../shops/amount-text.ts';
import type { ExternalId } from '../catalog/external-id.ts';
import { type FileField, type Mapping, SOURCE_OF_FIELD } from './columns.ts';
import { rowFault, type RowFault, type RowFaultCode } from './fault.ts';
import type { TableRow } from './read-table.ts';
import {
  isMarkedCell,
  normalizeAmountText,
  readDate,
  readLanguage,
  readQuantity,
} from './values.ts';

/** The maximum number of units per row. One transaction writes all units of a row. */
export const QUANTITY_MAX = 500;
/** Cardmarket sells playsets, which are four copies. */
const PLAYSET_CARDS = 4;
/** For fields without another limit. Names in the catalog are shorter. */
const TEXT_CHARACTERS_MAX = 400;
const KEY_CHARACTERS_MAX = 200;

/** The cells that identify a row's card or product. */
export interface ItemQuery {
  readonly itemId: string | null;
  readonly externalIds: readonly ExternalId[];
  readonly name: string;
  readonly set: string;
  readonly number: string;
  /** A language tag, or null if the row states no language. */
  readonly language: string | null;
  readonly finish: string;
  readonly variant: string;
  readonly jan: string;
}

/** The values that a file may also change in existing units. Empty cells are omitted. */
export interface FileValues {
  readonly priceMinor?: number;
  readonly costMinor?: number;
  readonly certNumber?: string;
  readonly serialNumber?: string;
  readonly ownership?: 'owned' | 'consigned';
  readonly acquiredAt?: Date;
}

/** The parsed cells of a row. The catalog and the shop's places have not been consulted yet. */
export interface RowDraft {
  readonly row: number;
  readonly unitId: string | null;
  readonly rowKey: string;
  readonly item: ItemQuery;
  readonly condition: string;
  readonly quantity: number;
  readonly site: string;
  readonly location: string;
  readonly values: FileValues;
}

export interface ReadRowOptions {
  readonly mapping: Mapping;
  readonly currency: string;
  /** The time zone of the dates in the file, each of which means midnight. */
  readonly timezone: string;
}

/** Parses a row. Returns all of its faults, so that a person can fix them together. */
export function readRow(row: TableRow, options: ReadRowOptions): RowDraft | readonly RowFault[] {
  if (row.problem !== null) return [rowFault(row.number, row.problem)];
  const cells = new CellReader(row, options);
  const quantity = cells.quantity();
  const draft: RowDraft = {
    row: row.number,
    unitId: cells.uuid('unitId'),
    rowKey: cells.text('rowKey'),
    item: readItem(cells),
    condition: cells.text('condition'),
    quantity,
    site: cells.text('site'),
    location: cells.text('location'),
    values: readValues(cells, quantity),
  };
  return cells.faults.length > 0 ? cells.faults : draft;
}

function readItem(cells: CellReader): ItemQuery {
  return {
    itemId: cells.uuid('itemId'),
    externalIds: SOURCE_FIELDS.flatMap((field) => {
      const source = SOURCE_OF_FIELD[field];
      const id = cells.text(field);
      return id === '' ? [] : [{ source, id: source === 'scryfall' ? id.toLowerCase() : id }];
    }),
    name: cells.text('name'),
    set: cells.text('set'),
    number: cells
      .text('number')
      .normalize('NFKC')
      .replace(/^(?:#|no\.?\s*)/i, ''),
    language: cells.read('language', 'unknown_language', readLanguage),
    finish: cells.text('finish'),
    variant: cells.text('variant'),
    jan: cells.text('jan'),
  };
}

function readValues(cells: CellReader, quantity: number): FileValues {
  const values = {
    priceMinor: cells.amount('price'),
    costMinor: cells.amount('cost'),
    certNumber: cells.numberOfOne('certNumber', quantity),
    serialNumber: cells.numberOfOne('serialNumber', quantity),
    ownership: cells.read('ownership', 'no_ownership', readOwnership),
    acquiredAt: cells.read('acquiredAt', 'no_date', (cell) => startOfDay(cell, cells.timezone)),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

const SOURCE_FIELDS = namesOf(SOURCE_OF_FIELD);

const CHARACTERS_MAX: Readonly<Partial<Record<FileField, number>>> = {
  certNumber: CODE_CHARACTERS_MAX,
  serialNumber: CODE_CHARACTERS_MAX,
  rowKey: KEY_CHARACTERS_MAX,
};

/** Reads the cells of one row by field, and collects their faults. */
class CellReader {
  readonly faults: RowFault[] = [];
  readonly #row: TableRow;
  readonly #options: ReadRowOptions;

  constructor(row: TableRow, options: ReadRowOptions) {
    this.#row = row;
    this.#options = options;
  }

  get timezone(): string {
    return this.#options.timezone;
  }

  /** Returns the text of a cell; empty if the file has no such column. */
  text(field: FileField): string {
    const column = this.#options.mapping[field];
    if (column === undefined) return '';
    // Spreadsheets and our exports put an apostrophe before text that looks like a formula.
    const cell = (this.#row.cells[column] ?? '').replace(/^'(?=[=+\-@])/, '');
    if (/\p{Cc}/u.test(cell)) this.#refuse('control_characters', field, cell);
    else if ([...cell].length > (CHARACTERS_MAX[field] ?? TEXT_CHARACTERS_MAX)) {
      this.#refuse('too_long', field, cell);
    } else return cell;
    return '';
  }

  /** Parses a cell that is not empty. A cell that cannot be parsed is a fault. */
  read<T>(field: FileField, code: RowFaultCode, parse: (cell: string) => T | null): T | null {
    const cell = this.text(field);
    if (cell === '') return null;
    const value = parse(cell);
    if (value === null) this.#refuse(code, field, cell);
    return value;
  }

  uuid(field: 'itemId' | 'unitId'): string | null {
    return this.read(field, 'no_uuid', (cell) => (isUuid(cell) ? cell.toLowerCase() : null));
  }

  quantity(): number {
    if (this.#options.mapping.quantity === undefined) return 1;
    const cell = this.text('quantity');
    const pieces = readQuantity(cell);
    if (pieces === null) this.#refuse('no_quantity', 'quantity', cell);
    const quantity = (pieces ?? 0) * (isMarkedCell(this.text('playset')) ? PLAYSET_CARDS : 1);
    if (quantity > QUANTITY_MAX) this.#refuse('too_many', 'quantity', cell);
    return quantity;
  }

  /** Reads a number that only one unit can have. */
  numberOfOne(field: 'certNumber' | 'serialNumber', quantity: number): string | null {
    const cell = this.text(field);
    if (cell !== '' && quantity > 1) this.#refuse('one_piece_only', field, cell);
    return cell === '' ? null : cell;
  }

  amount(field: 'price' | 'cost'): number | null {
    const cell = this.text(field);
    // Square writes `variable` where the till asks for the price.
    if (cell === '' || /^variable$/i.test(cell)) return null;
    const { currency } = this.#options;
    const parsed = parseAmount(normalizeAmountText(cell), currency);
    switch (parsed.kind) {
      case 'amount':
        return parsed.minor;
      case 'empty':
        return null;
      case 'no_amount':
        return this.#refuse('no_amount', field, cell);
      case 'too_large':
        return this.#refuse('amount_too_large', field, cell);
      case 'digits':
        return withoutZeros(cell, currency) ?? this.#refuse('amount_digits', field, cell);
    }
  }

  #refuse(code: RowFaultCode, field: FileField, cell: string): null {
    this.faults.push(rowFault(this.#row.number, code, field, cell));
    return null;
  }
}

/** Some exports write two decimals in every currency: `1200.00` is 1,200 yen. */
function withoutZeros(cell: string, currency: string): number | null {
  const parsed = parseAmount(normalizeAmountText(cell).replace(/\.0{1,2}$/, ''), currency);
  return parsed.kind === 'amount' ? parsed.minor : null;
}

function readOwnership(cell: string): 'owned' | 'consigned' | null {
  const word = cell.toLowerCase();
  if (['owned', '自社', '自社在庫', '所有'].includes(word)) return 'owned';
  return ['consigned', 'consignment', '委託', '委託品', '預かり'].includes(word)
    ? 'consigned'
    : null;
}

function startOfDay(cell: string, timezone: string): Date | null {
  const day = readDate(cell);
  if (day === null) return null;
  try {
    const start = Temporal.PlainDate.from(day, { overflow: 'reject' }).toZonedDateTime(timezone);
    return start.year < 1901 || start.year > 9998 ? null : new Date(start.epochMilliseconds);
  } catch (error) {
    // The day does not exist.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
