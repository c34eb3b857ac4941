import type { Queryable } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';

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

/** The JSON of a site or a location inside its record. */
export function placeText({ doc }: { readonly doc: string }): string {
  return dataOfRecord(doc).slice(0, -1);
}

/** What follows `"data":` in a record. */
export function dataOfRecord(record: string): string {
  // Kind, id and instant cannot hold a quote, so the first `"data":` is the record's own.
  return record.slice(record.indexOf('"data":') + '"data":'.length);
}

/** One object as JSON text, or undefined when the shop has none of that id. */
type FindText = (db: Queryable, shopId: string, id: string) => Promise<string | undefined>;

/** Objects as JSON texts in the order of their ids: after `afterId` (null: from the first), at most `limit`. */
type ListTexts = (
  db: Queryable,
  shopId: string,
  page: { readonly afterId: string | null; readonly limit: number },
) => Promise<{ readonly id: string; readonly text: string }[]>;

/** Finds an object of one kind by its id. */
export function textFinder<Row extends object>(
  read: Statement<Row>,
  textOf: (row: Row) => string,
): FindText {
  return async (db, shopId, id) => {
    const row = await db.one(read, [shopId, id]);
    return row === undefined ? undefined : textOf(row);
  };
}

/** Lists the objects of one kind. */
export function textLister<Row extends { readonly id: string }>(
  readPage: Statement<Row>,
  textOf: (row: Row) => string,
): ListTexts {
  return async (db, shopId, page) => {
    const rows = await db.query(readPage, [shopId, page.afterId, page.limit]);
    return rows.map((row) => ({ id: row.id, text: textOf(row) }));
  };
}
