import { FeedStuckError } from './local-errors.ts';
import type { ChangePage } from './types.ts';

/** The number of consecutive empty pages that counts as an error. Even one is unusual. */
const EMPTY_PAGES_MAX = 100;

/** Detects a feed that makes no progress, and keeps only two cursors in memory. */
export interface FeedProgress {
  /**
   * `from` is the cursor that the page was requested with. Throws {@link FeedStuckError} when the
   * feed repeats itself or sends too many empty pages.
   */
  recordPage(from: string | null, page: ChangePage): void;
}

/**
 * Detects loops in a feed. Positions in a feed only grow, so a repeated cursor means a loop.
 * Brent's algorithm keeps one earlier cursor and replaces it after 1, 2, 4, 8 … pages. It detects
 * any loop by the time it has read the pages before the loop and twice the loop's length
 * (https://maths-people.anu.edu.au/~brent/pub/pub051.html).
 */
export function trackProgress(): FeedProgress {
  let earlierCursor: string | null = null;
  let [steps, stepsMax, emptyPages] = [0, 1, 0];
  return {
    recordPage: (from, { nextCursor, hasMore, changes }) => {
      if (!hasMore) return;
      if (nextCursor === from || nextCursor === earlierCursor) {
        const message = 'the feed says that there are more pages but repeats an earlier cursor';
        throw new FeedStuckError({ message });
      }
      emptyPages = changes.length === 0 ? emptyPages + 1 : 0;
      if (emptyPages >= EMPTY_PAGES_MAX) {
        const message = `the feed sent ${EMPTY_PAGES_MAX} empty pages in a row and says that there are more`;
        throw new FeedStuckError({ message });
      }
      if (++steps < stepsMax && earlierCursor !== null) return;
      [earlierCursor, steps, stepsMax] = [nextCursor, 0, stepsMax * 2];
    },
  };
}
