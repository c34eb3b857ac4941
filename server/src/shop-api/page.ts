import { uuidOfHex } from '../base/uuid.ts';
import { ApiError } from '../http/errors.ts';

/** Objects of one page, and their number when none is asked for: 1,000 units are about 1 MB. */
export const PAGE_LIMIT_MAX = 1_000;
const PAGE_LIMIT_DEFAULT = 500;

/** A page of a list in the order of the ids. */
export interface Page {
  readonly afterId: string | null;
  readonly limit: number;
}

/** An object of a list: its id and its JSON. */
export interface ListedObject {
  readonly id: string;
  readonly text: string;
}

/**
 * Reads `cursor` and `limit` of a list.
 *
 * @throws ApiError 400 when one is given twice or is out of its bounds
 */
export function readPage(query: Readonly<Record<string, unknown>>): Page {
  return { afterId: readCursor(query['cursor']), limit: readLimit(query['limit']) };
}

/** Asks for one object more than the page holds, which tells whether there are more. */
export function withOneMore(page: Page): Page {
  return { afterId: page.afterId, limit: page.limit + 1 };
}

/** The answer of a list: the objects under their name, `nextCursor` (null at the end) and `hasMore`. */
export function renderPage(name: string, objects: readonly ListedObject[], page: Page): string {
  return renderList(name, objects, page.limit, ({ id }) => writeCursor(id));
}

/** The same for a list with cursors of its own: `cursorOf` writes that of the last object of a page. */
export function renderList<T extends { readonly text: string }>(
  name: string,
  objects: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): string {
  const shown = objects.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = objects.length > limit;
  const nextCursor = hasMore && last !== undefined ? `"${cursorOf(last)}"` : 'null';
  const texts = shown.map((object) => object.text).join(',');
  return `{"${name}":[${texts}],"nextCursor":${nextCursor},"hasMore":${hasMore}}`;
}

/** The last id of a page in 22 characters. No secret: the key decides whose objects are read. */
function writeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function readCursor(value: unknown): string | null {
  if (value === undefined) return null;
  const isCursor = typeof value === 'string' && /^[A-Za-z0-9_-]{21}[AQgw]$/.test(value);
  if (!isCursor) throw invalidCursor();
  return uuidOfHex(Buffer.from(value, 'base64url').toString('hex'));
}

/** 400: not a cursor of ours. */
export function invalidCursor(): ApiError {
  return invalid('cursor must be the nextCursor of a page.');
}

/**
 * Reads `limit` of a list: 1 to 1,000, 500 when it is not given.
 *
 * @throws ApiError 400 when it is given twice or is out of its bounds
 */
export function readLimit(value: unknown): number {
  if (value === undefined) return PAGE_LIMIT_DEFAULT;
  const limit = typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > PAGE_LIMIT_MAX) {
    throw invalid(`limit must be a whole number from 1 to ${PAGE_LIMIT_MAX}.`);
  }
  return limit;
}

function invalid(detail: string): ApiError {
  return new ApiError(400, 'invalid_request', { detail });
}
