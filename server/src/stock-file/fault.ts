import type { FileField } from './columns.ts';

/** Why a file is refused as a whole. */
export type FileFaultCode =
  | 'empty'
  | 'too_large'
  | 'workbook'
  | 'compressed'
  | 'web_page'
  | 'utf16'
  | 'binary'
  | 'encoding'
  | 'no_header'
  | 'no_rows'
  | 'too_many_rows'
  | 'too_many_columns'
  | 'bad_quote'
  | 'open_quote'
  | 'record_too_long'
  | 'too_many_units'
  | 'shop_full'
  | 'interrupted';

export interface FileFault {
  readonly kind: 'file_fault';
  readonly code: FileFaultCode;
  /** The row of the spreadsheet, counted from 1. Null if the fault is not in a single row. */
  readonly row: number | null;
}

export type RowFaultCode =
  | 'too_many_cells'
  | 'cell_too_long'
  | 'control_characters'
  | 'too_long'
  | 'no_uuid'
  | 'no_item'
  | 'unknown_item'
  | 'ambiguous_item'
  | 'unknown_condition'
  | 'unknown_language'
  | 'no_quantity'
  | 'too_many'
  | 'one_piece_only'
  | 'no_amount'
  | 'amount_digits'
  | 'amount_too_large'
  | 'no_date'
  | 'no_ownership'
  | 'no_site'
  | 'unknown_site'
  | 'unknown_location'
  | 'unknown_unit'
  | 'skipped'
  | 'shop_full'
  | 'not_written';

export interface RowFault {
  /** The row of the spreadsheet; the header is row 1. */
  readonly row: number;
  readonly code: RowFaultCode;
  /** The field of the invalid cell, or null if the row as a whole is invalid. */
  readonly field: FileField | null;
  /** The text of the cell, truncated for messages. */
  readonly value: string;
}

/** The maximum length of a cell's text in a message. */
const SHOWN_CHARACTERS_MAX = 60;

export function fileFault(code: FileFaultCode, row: number | null = null): FileFault {
  return { kind: 'file_fault', code, row };
}

export function rowFault(
  row: number,
  code: RowFaultCode,
  field: FileField | null = null,
  value = '',
): RowFault {
  const shown =
    value.length > SHOWN_CHARACTERS_MAX ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value;
  // PostgreSQL cannot store NUL or half a surrogate pair, which a cell may contain.
  return { row, code, field, value: shown.toWellFormed().replaceAll(/\p{Cc}/gu, ' ') };
}
