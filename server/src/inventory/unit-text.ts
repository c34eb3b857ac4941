import { openRecord } from './record.ts';
import { showPhotos } from './unit-photo.ts';
import type { UnitRow } from './unit-row.ts';

/**
 * The unit's JSON up to and including `"costMinor":`, so that each reader's right decides what follows. Put together
 * from texts: ids, words and instants of a row need no quoting, and the item is rendered once for all units that show
 * it.
 *
 * @param itemText the JSON of the unit's item
 */
export function renderUnitHead(row: UnitRow, itemText: string): string {
  const photos = row.photos.length === 0 ? '[]' : JSON.stringify(showPhotos(row.photos));
  return (
    `{"id":"${row.id}","status":"${row.status}","siteId":"${row.siteId}",` +
    `"locationId":${plain(row.locationId)},"item":${itemText},` +
    `"certNumber":${free(row.certNumber)},"serialNumber":${free(row.serialNumber)},` +
    `"ownership":"${row.ownership}","priceMinor":${row.priceMinor},` +
    `"currency":${free(row.currency)},"photos":${photos},` +
    `"acquiredAt":${plain(row.acquiredAt?.toISOString() ?? null)},` +
    `"statusChangedAt":"${row.statusChangedAt.toISOString()}",` +
    `"createdAt":"${row.createdAt.toISOString()}","updatedAt":"${row.updatedAt.toISOString()}",` +
    `"costMinor":`
  );
}

/** The unit's JSON with its cost. */
export function closeUnit(row: UnitRow, head: string): string {
  return `${head}${row.costMinor ?? 'null'}}`;
}

/** The unit's record as it is kept, without the cost and what closes it. */
export function openUnitRecord(row: UnitRow, head: string, now: Date): string {
  return `${openRecord('unit', row.id, now)}${head}`;
}

/** A text that holds nothing that JSON would quote, or null. */
function plain(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

/** A text of somebody's own, or null. */
function free(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
