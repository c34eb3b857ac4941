/** What a change record is about (decision 0004). */
export type RecordKind = 'site' | 'location' | 'unit';

/**
 * The change record of an object as the feed sends it. `dataText` is the object's JSON.
 * Rendered when the object is written, so that a page of the feed is text joined with commas.
 */
export function renderRecord(
  kind: RecordKind,
  id: string,
  changedAt: Date,
  dataText: string,
): string {
  return `${openRecord(kind, id, changedAt)}${dataText}}`;
}

/** The beginning of a record, up to and including `"data":`. */
export function openRecord(kind: RecordKind, id: string, changedAt: Date): string {
  return `{"kind":"${kind}","id":"${id}","changedAt":"${changedAt.toISOString()}","data":`;
}

/** The object's JSON inside a whole record. */
export function dataOfRecord(record: string): string {
  // Kind, id and instant cannot hold a quote, so the first `"data":` is the record's own.
  return record.slice(record.indexOf('"data":') + '"data":'.length, -1);
}
