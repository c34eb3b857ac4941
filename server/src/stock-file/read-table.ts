import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { type DecodedFile, decodeFile, type Encoding } from './decode.ts';
import { type FileFault, fileFault } from './fault.ts';

export const ROWS_MAX = 50_000;
const COLUMNS_MAX = 100;
/** Excel's maximum length of a cell. */
const CELL_CHARACTERS_MAX = 32_767;
/** Keeps a missing quotation mark from turning the rest of the file into a single cell. */
const RECORD_CHARACTERS_MAX = 500_000;
/** The amount of text that is parsed before other work of the process can run. */
const PIECE_CHARACTERS = 65_536;

const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface TableRow {
  /** The row of the spreadsheet; the header is row 1. */
  readonly number: number;
  readonly cells: readonly string[];
  readonly problem: 'too_many_cells' | 'cell_too_long' | null;
}

export interface Table {
  readonly kind: 'table';
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
  readonly headers: readonly string[];
  /** The rows after the header that are not blank. */
  readonly rows: readonly TableRow[];
}

/**
 * Reads a complete CSV file, because nothing is imported from a damaged file; or, of a file that is
 * known to be valid, only the header.
 */
export async function readTable(
  bytes: Uint8Array,
  part: 'all' | 'header' = 'all',
): Promise<Table | FileFault> {
  const decoded = decodeFile(bytes);
  if (decoded.kind === 'file_fault') return decoded;
  const { text, delimiter, rowsBefore } = findDelimiter(decoded);
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: RECORD_CHARACTERS_MAX,
  });
  let number = rowsBefore;
  let headers: readonly string[] | null = null;
  const rows: TableRow[] = [];
  const source = Readable.from(piecesOf(text));
  try {
    for await (const record of source.compose(parser)) {
      const cells = textsOf(record).map((cell) => cell.trim());
      number += 1;
      if (cells.every((cell) => cell === '')) continue;
      if (headers === null) {
        headers = withoutTrailingBlanks(cells);
        if (headers.length > COLUMNS_MAX) return fileFault('too_many_columns');
        if (part === 'header') break;
        continue;
      }
      if (rows.length === ROWS_MAX) return fileFault('too_many_rows');
      rows.push(toRow(number, cells, headers.length));
    }
  } catch (error) {
    if (error instanceof CsvError) return fileFault(codeOf(error), number + 1);
    throw error;
  }
  if (headers === null) return fileFault('no_header');
  if (rows.length === 0 && part === 'all') return fileFault('no_rows');
  return { kind: 'table', encoding: decoded.encoding, delimiter, headers, rows };
}

function* piecesOfText(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    yield text.slice(at, at + PIECE_CHARACTERS);
  }
}

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  for (const piece of piecesOfText(text)) {
    yield Buffer.from(piece);
    await nextTurn();
  }
}

function codeOf({ code }: CsvError): FileFault['code'] {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'open_quote';
  return code === 'CSV_MAX_RECORD_SIZE' ? 'record_too_long' : 'bad_quote';
}

function textsOf(record: unknown): readonly string[] {
  return Array.isArray(record) ? record.map(String) : [];
}

function toRow(number: number, cells: readonly string[], columns: number): TableRow {
  const isWide = cells.slice(columns).some((cell) => cell !== '');
  const isLong = cells.some((cell) => cell.length > CELL_CHARACTERS_MAX);
  const problem = isWide ? 'too_many_cells' : isLong ? 'cell_too_long' : null;
  return { number, cells, problem };
}

function withoutTrailingBlanks(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

/** Excel's `sep=` line names it; otherwise it is the most frequent delimiter in the header. */
function findDelimiter({ text }: DecodedFile): {
  readonly text: string;
  readonly delimiter: Delimiter;
  readonly rowsBefore: number;
} {
  const [line = ''] = /^sep=.\r?\n/i.exec(text) ?? [];
  const named = DELIMITERS.find((each) => each === line[4]);
  if (named !== undefined) {
    return { text: text.slice(line.length), delimiter: named, rowsBefore: 1 };
  }
  const header = /^\s*([^\r\n]*)/.exec(text)?.[1]?.replaceAll(/"[^"]*"/g, '') ?? '';
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  return { text, delimiter, rowsBefore: 0 };
}
