import { watchProgress } from './feed-progress.ts';
import type { ChangePageOptions } from './inventory.ts';
import type { Change, ChangePage } from './types.ts';

/** Fetches one page of the feed. */
export type FetchPage = (options: ChangePageOptions) => Promise<ChangePage>;

/**
 * Reads the feed to its head, a page in memory at a time: `for await (const change of shop.changes()) …`. Iterate again
 * later and it goes on from its `cursor`. For a copy of the stock that is never short of a change use `shop.sync`.
 */
export interface ChangeReader extends AsyncIterable<Change> {
  /**
   * Of the last page whose changes were all taken, so that reading from it again loses nothing; before that the cursor
   * that the reader was given, or null.
   */
  readonly cursor: string | null;
  /** The same, page by page. */
  pages(): AsyncIterable<ChangePage>;
}

/** A reader of the feed from `options.cursor`. */
export function readChanges(fetchPage: FetchPage, options: ChangePageOptions): ChangeReader {
  const { limit, signal } = options;
  let cursor = options.cursor ?? null;

  async function* pages(): AsyncGenerator<ChangePage, void, undefined> {
    const progress = watchProgress();
    for (;;) {
      const page = await fetchPage({ cursor, limit, signal });
      progress.note(cursor, page);
      yield page;
      // The reader has come back for more, so it has taken this page. One that leaves the loop does not come here.
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
