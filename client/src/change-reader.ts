import { trackProgress } from './feed-progress.ts';
import type { ChangePageOptions } from './inventory.ts';
import type { Change, ChangePage } from './types.ts';

export type FetchPage = (options: ChangePageOptions) => Promise<ChangePage>;

/**
 * Reads the feed to its head, one page in memory: `for await (const change of shop.changes()) …`. A
 * second loop continues from `cursor`. For a complete copy of the stock, use `shop.sync`.
 */
export interface ChangeReader extends AsyncIterable<Change> {
  /** The cursor after the last fully consumed page; before the first, the given cursor or null. */
  readonly cursor: string | null;
  pages(): AsyncIterable<ChangePage>;
}

export function readChanges(fetchPage: FetchPage, options: ChangePageOptions): ChangeReader {
  const { limit, signal } = options;
  let cursor = options.cursor ?? null;

  async function* pages(): AsyncGenerator<ChangePage, void, undefined> {
    const progress = trackProgress();
    for (;;) {
      const page = await fetchPage({ cursor, limit, signal });
      progress.recordPage(cursor, page);
      yield page;
      // The loop wants the next page, so it has consumed this one. A `break` never gets here.
      cursor = page.nextCursor;
      if (!page.hasMore) return;
    }
  }

  async function* changes(): AsyncGenerator<Change, void, undefined> {
    for await (const page of pages()) yield* page.changes;
  }

  return {
    get cursor() {
      return cursor;
    },
    pages,
    [Symbol.asyncIterator]: changes,
  };
}
