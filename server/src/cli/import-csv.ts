import { OPERATOR } from '../shops/audit.ts';
import type { Shop } from '../shops/shop.ts';
import { listPlaces, type Place } from '../inventory/places.ts';
import {
  FILE_FIELDS,
  type FileField,
  guessLayout,
  headerKey,
  type Mapping,
} from '../stock-file/columns.ts';
import { FILE_BYTES_MAX } from '../stock-file/decode.ts';
import { fileFaultText, rowFaultText } from '../stock-file/fault-text.ts';
import {
  digestOf,
  type FileProgress,
  type FileResult,
  processStockFile,
} from '../stock-file/import-stock-file.ts';
import { readTable } from '../stock-file/read-table.ts';
import { REPORTED_LINES_MAX } from '../import/import-report.ts';
import type { Arguments, CommandContext, CommandInput, CommandResult, Option } from './command.ts';
import { readUntilAborted } from './read-until-aborted.ts';

export const csvOptions = {
  csv: { meaning: 'The file is CSV: one row for each card or product, with a header.' },
  site: { value: 'CODE', meaning: 'With --csv: the site for rows that do not name a site.' },
  location: {
    value: 'CODE',
    meaning: 'With --csv: the location at --site for the rows that do not name a site.',
  },
  column: {
    value: 'FIELD=HEADER',
    meaning: `With --csv: the column of a field, if its header is not recognized. The fields are ${FILE_FIELDS.join(', ')}.`,
    isRepeatable: true,
  },
  delivery: {
    meaning:
      'With --csv: add new units for every row. Without this option, rows that an earlier file also contained refer to the same units.',
  },
  check: { meaning: 'With --csv: print what would be imported, but write nothing.' },
} as const satisfies Readonly<Record<string, Option>>;

/** The number of rows between two progress reports. */
const PROGRESS_ROWS = 5_000;

/** Runs `inventory import --csv`. It can safely be run again, for example after an interruption. */
export async function importCsv(
  args: Arguments,
  { db, clock, shop }: CommandContext & { readonly shop: Shop },
  input: CommandInput,
): Promise<CommandResult> {
  const bytes = await readBytes(input);
  const table = await readTable(bytes);
  if (table.kind === 'file_fault') {
    return { kind: 'failed', code: 'unreadable_input', reason: fileFaultText(table, 'en') };
  }
  const { mapping: guessed, carried } = guessLayout(table.headers);
  const mapping = withColumns(guessed, table.headers, args.list('column'));
  if (typeof mapping === 'string') return { kind: 'misused', reason: mapping };
  const place = findPlace(
    await listPlaces(db, shop.id),
    args.optional('site'),
    args.optional('location'),
  );
  if (typeof place === 'string') return { kind: 'failed', code: 'not_found', reason: place };
  const settings = {
    mapping,
    ...place,
    isDelivery: args.has('delivery'),
    itemChoices: {},
    gradeChoices: {},
  };
  let told = 0;
  const onProgress = async (_tx: unknown, { rowsDone }: FileProgress): Promise<void> => {
    if (rowsDone < told + PROGRESS_ROWS) return;
    told = rowsDone;
    input.tell(`${rowsDone} of ${table.rows.length} rows`);
  };
  const isCheck = args.has('check');
  const result = await processStockFile(
    db,
    { id: shop.id, currency: shop.currency, by: OPERATOR },
    { table, carried, digest: digestOf(bytes) },
    settings,
    {
      clock,
      write: isCheck ? null : async (work) => await db.transaction(work),
      onProgress,
      signal: input.signal,
    },
  );
  if (result.refusal !== null) {
    const reason = fileFaultText(result.refusal, 'en');
    return { kind: 'failed', code: 'unreadable_input', reason };
  }
  return summarise(result, isCheck, input.tell);
}

async function readBytes(input: CommandInput): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readUntilAborted(input)) {
    chunks.push(chunk);
    size += chunk.length;
    // `readTable` refuses a larger file because of its size, so the rest is not needed.
    if (size > FILE_BYTES_MAX) break;
  }
  return Buffer.concat(chunks);
}

function withColumns(
  guessed: Mapping,
  headers: readonly string[],
  given: readonly string[],
): Mapping | string {
  const mapping: Partial<Record<FileField, number>> = { ...guessed };
  for (const pair of given) {
    const [name = '', ...rest] = pair.split('=');
    const field = FILE_FIELDS.find((each) => each === name);
    if (field === undefined) {
      return `--column ${pair} must begin with one of ${FILE_FIELDS.join(', ')}`;
    }
    const header = rest.join('=');
    const column = headers.findIndex((each) => headerKey(each) === headerKey(header));
    if (column < 0) return `--column ${pair}: the file has no column "${header}"`;
    mapping[field] = column;
  }
  return mapping;
}

function findPlace(
  places: readonly Place[],
  siteCode: string | null,
  locationCode: string | null,
): { readonly siteId: string | null; readonly locationId: string | null } | string {
  const sites = places.filter((each) => each.locationId === null && each.isSiteActive);
  const [only] = sites;
  const site =
    siteCode === null
      ? sites.length === 1
        ? only
        : undefined
      : sites.find((each) => each.siteCode === siteCode);
  if (siteCode !== null && site === undefined) return `the shop has no active site "${siteCode}"`;
  if (locationCode === null) return { siteId: site?.siteId ?? null, locationId: null };
  const location = places.find(
    (each) => each.siteId === site?.siteId && each.locationCode === locationCode,
  );
  return location === undefined
    ? `the site has no location "${locationCode}"`
    : { siteId: location.siteId, locationId: location.locationId };
}

function summarise(
  { counts, faults }: FileResult,
  isCheck: boolean,
  tell: CommandInput['tell'],
): CommandResult {
  const rejected = faults.slice(0, REPORTED_LINES_MAX).map((fault) => ({
    row: fault.row,
    error: fault.code,
    detail: rowFaultText(fault, 'en'),
  }));
  for (const { row, detail } of rejected) tell(`row ${row}: ${detail}`);
  if (faults.length > rejected.length) tell(`and ${faults.length - rejected.length} more`);
  const { created, changed, unchanged, left, rowsWithoutUnits, rowsMatched } = counts;
  const rowsRejected = counts.rowsRefused + counts.rowsOpen;
  const text = [
    isCheck ? `Would create ${created}` : `Created ${created}`,
    ` and ${isCheck ? 'change' : 'changed'} ${changed} units; ${unchanged} unchanged`,
    left === 0 ? '' : `, ${left} no longer in stock`,
    rowsRejected === 0 ? '.' : `. Rejected ${rowsRejected} rows.`,
  ].join('');
  const json = {
    created,
    changed,
    unchanged,
    noLongerInStock: left,
    rowsWithoutUnits,
    rowsRejected,
    rowsMatched,
    rejected,
  };
  return { kind: rowsRejected === 0 ? 'done' : 'some_rejected', json, text };
}
