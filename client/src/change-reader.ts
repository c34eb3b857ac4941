import { trackProgress } from './feed-progress.ts';
import type { ChangePageOptions } from './inventory.ts';
import type { Change, ChangePage } from './types.ts';

/** Fetches one page of the feed. */
export type FetchPage = (options: ChangePageOptions) => Promise<ChangePage>;

/**
 * Reads the feed to its head and holds one page in memory at a time: `for await (const change of
 * shop.changes()) …`. A second loop continues from `cursor`. To keep a complete copy of the stock
 * use `shop.sync`.
 */
export interface ChangeReader extends AsyncIterable<Change> {
  /**
   * The cursor after the last page that was consumed completely, so reading from it again misses
   * nothing. Before the first such page it is the cursor given to the reader, or null.
   */
  readonly cursor: string | null;
  /** The same feed, page by page. */
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
      // The loop asked for the next page, so it has consumed this one. A loop that breaks off never
      // gets here.
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
