import { uuidOfHex } from '../base/uuid.ts';
import { ApiError } from '../http/errors.ts';

/** 1,000 units are about 1 MB. */
export const PAGE_LIMIT_MAX = 1_000;
const PAGE_LIMIT_DEFAULT = 500;

/** The requested page of a list ordered by id. */
export interface Page {
  readonly afterId: string | null;
  readonly limit: number;
}

export interface ListedObject {
  readonly id: string;
  readonly text: string;
}

/** @throws ApiError 400 when `cursor` or `limit` is invalid or given twice */
export function readPage(query: Readonly<Record<string, unknown>>): Page {
  return { afterId: decodeCursor(query['cursor']), limit: readLimit(query['limit']) };
}

/** Requests one extra object, which shows whether there is another page. */
export function withLookaheadRow(page: Page): Page {
  return { afterId: page.afterId, limit: page.limit + 1 };
}

/** Renders `{[name]: objects, nextCursor, hasMore}`; `nextCursor` is null at the end. */
export function renderPage(name: string, objects: readonly ListedObject[], page: Page): string {
  return renderList(name, objects, page.limit, ({ id }) => encodeCursor(id));
}

/** `cursorOf` returns the cursor of the page that starts after an object. */
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

/** 22 characters. They need not be secret or signed, because the API key determines the shop. */
function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function decodeCursor(value: unknown): string | null {
  if (value === undefined) return null;
  const isCursor = typeof value === 'string' && /^[A-Za-z0-9_-]{21}[AQgw]$/.test(value);
  if (!isCursor) throw invalidCursor();
  return uuidOfHex(Buffer.from(value, 'base64url').toString('hex'));
}

export function invalidCursor(): ApiError {
  return invalid('cursor must be the nextCursor of an earlier page.');
}

/** @throws ApiError 400 when it is given twice or is not from 1 to 1,000 */
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
