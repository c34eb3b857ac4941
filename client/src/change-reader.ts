import { trackProgress } from './feed-progress.ts';
import type { ChangePageOptions } from './inventory.ts';
import type { Change, ChangePage } from './types.ts';

/** Fetches one page of the feed. */
export type FetchPage = (options: ChangePageOptions) => Promise<ChangePage>;

/**
 * Reads the feed to its head with one page in memory at a time: `for await (const change of
 * shop.changes()) …`. A second loop over the same reader continues from `cursor`. To keep a
 * complete copy of the stock, use `shop.sync`.
 */
export interface ChangeReader extends AsyncIterable<Change> {
  /**
   * The cursor after the last completely consumed page, so that reading from this cursor misses
   * nothing. Before the first page is consumed, it is the cursor passed to the reader, or null.
   */
  readonly cursor: string | null;
  /** Reads the same feed page by page. */
  pages(): AsyncIterable<ChangePage>;
}

/** Returns a reader that starts at `options.cursor`. */
export function readChanges(fetchPage: FetchPage, options: ChangePageOptions): ChangeReader {
  const { limit, signal } = options;
  let cursor = options.cursor ?? null;

  async function* pages(): AsyncGenerator<ChangePage, void, undefined> {
    const progress = trackProgress();
    for (;;) {
      const page = await fetchPage({ cursor, limit, signal });
      progress.recordPage(cursor, page);
      yield page;
      // The loop has asked for the next page, so it has consumed the current page. A loop that ends
      // with `break` never gets here.
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
