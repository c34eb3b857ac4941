import type { Caller } from './caller.ts';
import type { Context } from './context.ts';
import { expect, expectBody } from './expect.ts';
import { type ChangePage, changePageOf, connection } from './resources.ts';

/** The maximum number of pages in a full read, so that an endless feed cannot block the run. */
const PAGES_MAX = 500;

/** Reads all pages of the feed after a cursor; null starts at the beginning. */
export async function readPages(
  context: Context,
  app: Caller,
  {
    cursor = null,
    limit = null,
  }: { readonly cursor?: string | null; readonly limit?: number | null } = {},
): Promise<readonly ChangePage[]> {
  const pages: ChangePage[] = [];
  let next = cursor;
  while (pages.length < PAGES_MAX) {
    const page = await readPage(context, app, next, limit);
    pages.push(page);
    if (!page.hasMore) return pages;
    next = page.nextCursor;
  }
  expect(false, `hasMore to become false within ${PAGES_MAX} pages`, pages.length);
}

/** Reads one page after a cursor. `limit` is sent only if the target has a parameter for it. */
export async function readPage(
  context: Context,
  app: Caller,
  cursor: string | null,
  limit: number | null = null,
): Promise<ChangePage> {
  const { cursorParameter, limitParameter, changesMember } = context.target.names;
  const size = limitParameter === null ? {} : { [limitParameter]: limit };
  const query = { [cursorParameter]: cursor, ...size };
  return expectBody(await app.get('/inventory/changes', query), 200, changePageOf(changesMember));
}

/** Returns the current head of the feed from GET /connection. */
export async function headOf(app: Caller): Promise<string> {
  const response = await app.get('/connection');
  const { cursor } = expectBody(response, 200, connection);
  return cursor;
}

/** Returns the ids of the pages' records, in order. */
export function idsOfPages(pages: readonly ChangePage[]): readonly string[] {
  return pages.flatMap(({ changes }) => changes.map(({ data }) => data.id));
}
