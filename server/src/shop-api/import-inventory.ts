import type { Clock } from '../base/clock.ts';
import {
  choiceField,
  type Field,
  isObject,
  type ParseResult,
  parseMembers,
  refuse,
  uuidField,
} from '../base/field.ts';
import { ImportReport, type ImportResult } from '../import/import-report.ts';
import type { NdjsonLine } from '../import/ndjson.ts';
import type { Database } from '../database/database.ts';
import type { WrittenShop } from './authentication.ts';
import {
  writeBoost,
  writeGrade,
  writeLocation,
  type WriteObject,
  writeSite,
} from './write-object.ts';
import { SYSTEM_WRITE_LIMITS, createWriteLimiter } from '../http/write-limiter.ts';
import { UnitWriter } from './write-units.ts';

export interface InventoryProgress {
  readonly lines: number;
  readonly accepted: number;
  readonly rejectedCount: number;
}

export interface ImportInventoryOptions {
  readonly clock: Clock;
  /** Called about every 500 lines and at the end. */
  readonly onProgress?: ((progress: InventoryProgress) => void) | undefined;
}

/** More frequent updates would not be visible in a progress bar. */
const PROGRESS_EVERY_LINES = 500;

const KINDS = ['site', 'location', 'grade', 'unit', 'boost'] as const;

const data: Field<Readonly<Record<string, unknown>>> = {
  schema: {},
  parse: (path, value) =>
    isObject(value) ? { ok: true, value } : refuse(`${path} must be a JSON object.`),
};
const lineFields = {
  kind: choiceField(KINDS, 'The kind of object in the line.'),
  id: uuidField('The id of the object.'),
  data,
};

/** Only units are written in batches, because there are many. */
const writers: Readonly<Record<Exclude<(typeof KINDS)[number], 'unit'>, WriteObject>> = {
  site: writeSite,
  location: writeLocation,
  grade: writeGrade,
  boost: writeBoost,
};

/**
 * Imports lines `{"kind", "id", "data"}` (decision 0009), where `data` is the body of the Shop
 * API's PUT. Lines take effect in order. Invalid lines are reported, valid ones are written. An
 * unchanged object counts as accepted and gets no new position.
 */
export async function importInventory(
  db: Database,
  shop: WrittenShop,
  lines: AsyncIterable<NdjsonLine>,
  { clock, onProgress }: ImportInventoryOptions,
): Promise<ImportResult> {
  const report = new ImportReport();
  // One transaction at a time, so an import never holds more than one database connection.
  const write = createWriteLimiter(db, SYSTEM_WRITE_LIMITS);
  const units = new UnitWriter(write, shop, clock, report);
  let linesRead = 0;
  const reportProgress = (): void => {
    const { accepted, rejectedCount } = report.result();
    onProgress?.({ lines: linesRead, accepted, rejectedCount });
  };
  for await (const line of lines) {
    linesRead = line.number;
    if (line.kind !== 'value') {
      report.reject(line.number, 'invalid_request', line.reason);
      continue;
    }
    const reading = readLine(line.value);
    if (!reading.ok) {
      report.reject(line.number, 'invalid_request', reading.problem);
      continue;
    }
    const { kind, id, data: members } = reading.value;
    if (kind === 'unit') {
      await addUnit(units, report, line.number, id, members);
    } else {
      // Write the pending units first: this line may depend on them, for example on a location that
      // a unit has left.
      await units.flush();
      const outcome = await writers[kind]({ write, clock, shop }, id, members);
      if (outcome.kind === 'refused') {
        report.reject(line.number, outcome.refusal.error, outcome.refusal.detail);
      } else {
        report.accept();
      }
    }
    if (line.number % PROGRESS_EVERY_LINES === 0) reportProgress();
  }
  await units.flush();
  reportProgress();
  return report.result();
}

interface InventoryLine {
  readonly kind: (typeof KINDS)[number];
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function readLine(value: unknown): ParseResult<InventoryLine> {
  const reading = parseMembers(lineFields, value, 'refuse');
  if (!reading.ok) return reading;
  const { kind, id, data: members } = reading.value;
  if (kind === undefined || id === undefined || members === undefined) {
    const given = { kind, id, data: members };
    const lacking = Object.entries(given).filter(([, member]) => member === undefined);
    return refuse(`The line must contain ${lacking.map(([name]) => name).join(', ')}.`);
  }
  return { ok: true, value: { kind, id, data: members } };
}

async function addUnit(
  units: UnitWriter,
  report: ImportReport,
  line: number,
  id: string,
  members: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (Object.hasOwn(members, 'id')) {
    report.reject(line, 'invalid_request', '"id" is not a known field of data.');
    return;
  }
  await units.add(line, { ...members, id });
}
