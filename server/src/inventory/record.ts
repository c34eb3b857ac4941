import type { Queryable } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';

/** The kind of object in a change record (spec 2.6, decision 0004). */
export type RecordKind = 'site' | 'location' | 'unit';

/** Records are rendered on write, so that a page of the feed only joins texts with commas. */
export function renderRecord(
  kind: RecordKind,
  id: string,
  changedAt: Date,
  dataText: string,
): string {
  return `${renderRecordStart(kind, id, changedAt)}${dataText}}`;
}

export function renderRecordStart(kind: RecordKind, id: string, changedAt: Date): string {
  return `{"kind":"${kind}","id":"${id}","changedAt":"${changedAt.toISOString()}","data":`;
}

export function placeJson({ doc }: { readonly doc: string }): string {
  return readRecordData(doc).slice(0, -1);
}

export function readRecordData(record: string): string {
  // Kind, id and time contain no quotes, so the first `"data":` is that of the record.
  return record.slice(record.indexOf('"data":') + '"data":'.length);
}

type FindText = (db: Queryable, shopId: string, id: string) => Promise<string | undefined>;

/** Lists at most `limit` objects by id, after `afterId` or from the first if it is null. */
type ListTexts = (
  db: Queryable,
  shopId: string,
  page: { readonly afterId: string | null; readonly limit: number },
) => Promise<{ readonly id: string; readonly text: string }[]>;

export function createTextFinder<Row extends object>(
  read: Statement<Row>,
  textOf: (row: Row) => string,
): FindText {
  return async (db, shopId, id) => {
    const row = await db.one(read, [shopId, id]);
    return row === undefined ? undefined : textOf(row);
  };
}

export function createTextLister<Row extends { readonly id: string }>(
  readPage: Statement<Row>,
  textOf: (row: Row) => string,
): ListTexts {
  return async (db, shopId, page) => {
    const rows = await db.query(readPage, [shopId, page.afterId, page.limit]);
    return rows.map((row) => ({ id: row.id, text: textOf(row) }));
  };
}
