import type { Clock } from '../base/clock.ts';
import {
  choiceField,
  type Field,
  isObject,
  type Reading,
  readMembers,
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
import { SYSTEM_WRITES, takeTurns } from '../http/write-turns.ts';
import { UnitWriter } from './write-units.ts';

/** How far an import is. */
export interface InventoryProgress {
  readonly lines: number;
  readonly accepted: number;
  readonly rejectedCount: number;
}

export interface ImportInventoryOptions {
  readonly clock: Clock;
  /** Called now and then. */
  readonly onProgress?: ((progress: InventoryProgress) => void) | undefined;
}

/** A bar that moves more often than this shows nothing more. */
const PROGRESS_EVERY_LINES = 500;

const KINDS = ['site', 'location', 'grade', 'unit', 'boost'] as const;

const data: Field<Readonly<Record<string, unknown>>> = {
  schema: {},
  read: (path, value) =>
    isObject(value) ? { ok: true, value } : refuse(`${path} must be a JSON object.`),
};
const lineFields = {
  kind: choiceField(KINDS, 'What the line is about.'),
  id: uuidField('The id of the object.'),
  data,
};

/** Units alone are gathered: there are many of them. */
const writers: Readonly<Record<Exclude<(typeof KINDS)[number], 'unit'>, WriteObject>> = {
  site: writeSite,
  location: writeLocation,
  grade: writeGrade,
  boost: writeBoost,
};

/**
 * Writes a shop's file: lines `{"kind", "id", "data"}`, the kind one of site, location, grade, unit and boost, `data` as
 * in the body of the Shop API's PUT (decision 0009). Each line is taken in order as if it had been sent
 * alone; bad ones are reported and the good ones kept; unchanged ones count as accepted and stamp nothing.
 */
export async function importInventory(
  db: Database,
  shop: WrittenShop,
  lines: AsyncIterable<NdjsonLine>,
  { clock, onProgress }: ImportInventoryOptions,
): Promise<ImportResult> {
  const report = new ImportReport();
  // One transaction after the other: an import never holds more than one connection.
  const write = takeTurns(db, SYSTEM_WRITES);
  const units = new UnitWriter(write, shop, clock, report);
  let linesRead = 0;
  const tell = (): void => {
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
      report.reject(line.number, 'invalid_request', reading.fault);
      continue;
    }
    const { kind, id, data: members } = reading.value;
    if (kind === 'unit') {
      await addUnit(units, report, line.number, id, members);
    } else {
      // A line may name what a unit before it moves away from.
      await units.flush();
      const outcome = await writers[kind]({ write, clock, shop }, id, members);
      if (outcome.kind === 'refused') {
        report.reject(line.number, outcome.refusal.error, outcome.refusal.detail);
      } else {
        report.accept();
      }
    }
    if (line.number % PROGRESS_EVERY_LINES === 0) tell();
  }
  await units.flush();
  tell();
  return report.result();
}

interface InventoryLine {
  readonly kind: (typeof KINDS)[number];
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function readLine(value: unknown): Reading<InventoryLine> {
  const reading = readMembers(lineFields, value, 'refuse');
  if (!reading.ok) return reading;
  const { kind, id, data: members } = reading.value;
  if (kind === undefined || id === undefined || members === undefined) {
    const given = { kind, id, data: members };
    const lacking = Object.entries(given).filter(([, member]) => member === undefined);
    return refuse(`The line needs ${lacking.map(([name]) => name).join(', ')}.`);
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
    report.reject(line, 'invalid_request', '"id" is not a known member of data.');
    return;
  }
  await units.add(line, { ...members, id });
}
