import { namesOf } from '../base/object-fields.ts';
import { statement } from '../database/statement.ts';
import { readRecordData, renderRecordStart, createTextFinder, createTextLister } from './record.ts';
import { OWN_UNIT_FIELDS, SHARED_UNIT_FIELDS } from './unit-fields.ts';
import { showPhotos } from './unit-photo.ts';
import { OWN_UNIT_COLUMNS, type OwnValues, type UnitRow } from './unit-row.ts';

const SHARED = namesOf(SHARED_UNIT_FIELDS);
const [, ...AFTER_COST] = namesOf(OWN_UNIT_FIELDS);

/**
 * Renders a unit as JSON up to `"costMinor":`, because the value depends on each reader's
 * permissions. Concatenates strings, so that the JSON of an item is rendered only once for all its
 * units (decision 0124).
 */
export function renderUnitStart(row: UnitRow, itemText: string): string {
  let text = `{"id":"${row.id}"`;
  for (const name of SHARED) text += `,"${name}":${name === 'item' ? itemText : jsonOf(row[name])}`;
  const photos = row.photos.length === 0 ? '[]' : JSON.stringify(showPhotos(row.photos));
  return (
    `${text},"photos":${photos},"statusChangedAt":${jsonOf(row.statusChangedAt)},` +
    `"createdAt":${jsonOf(row.createdAt)},"updatedAt":${jsonOf(row.updatedAt)},"costMinor":`
  );
}

export function completeUnitJson(jsonStart: string, own: OwnValues): string {
  let text = `${jsonStart}${own.costMinor}`;
  for (const name of AFTER_COST) text += `,"${name}":${jsonOf(own[name])}`;
  return `${text}}`;
}

function jsonOf(value: string | number | Date | null): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return value instanceof Date ? `"${value.toISOString()}"` : `${value}`;
}

/** Returns the stored form of the record, without the cost and the closing braces. */
export function openUnitRecord(row: UnitRow, jsonStart: string, now: Date): string {
  return `${renderRecordStart('unit', row.id, now)}${jsonStart}`;
}

/** A stored record. `doc` ends before the value of `costMinor`. */
interface UnitRecord extends OwnValues {
  readonly doc: string;
}

export const selectUnitRecord = statement<UnitRecord>(
  'select_unit_record',
  `select doc, ${OWN_UNIT_COLUMNS.select()} from unit where shop_id = $1 and unit_id = $2`,
);

export const selectUnitPage = statement<UnitRecord & { readonly id: string }>(
  'select_unit_page',
  `select unit_id as id, doc, ${OWN_UNIT_COLUMNS.select()} from unit
  where shop_id = $1 and ($2::uuid is null or unit_id > $2) order by unit_id limit $3`,
);

export const findUnitText = createTextFinder(selectUnitRecord, unitText);
export const listUnits = createTextLister(selectUnitPage, unitText);

function unitText({ doc, ...own }: UnitRecord): string {
  return completeUnitJson(readRecordData(doc), own);
}
