import { FeedStuckError } from './local-errors.ts';
import type { ChangePage } from './types.ts';

/** Empty pages that promise more, one after the other, before the feed counts as stuck. One would be odd already. */
const EMPTY_PAGES_MAX = 100;

/** Sees that a reader of the feed comes forward. Its memory is two cursors, however long the feed is. */
export interface FeedProgress {
  /** Takes note of a page that was read with `from`; throws {@link FeedStuckError} when it leads nowhere. */
  note(from: string | null, page: ChangePage): void;
}

/**
 * The positions of a feed only grow, so a cursor that comes again means a circle. It is found as in Brent's algorithm:
 * one earlier cursor is kept, and replaced after 1, 2, 4, 8 … pages, so that any circle is noticed within twice its length
 * and the pages before it (https://maths-people.anu.edu.au/~brent/pub/pub051.html).
 */
export function watchProgress(): FeedProgress {
  let kept: string | null = null;
  let [steps, stepsMax, emptyPages] = [0, 1, 0];
  return {
    note: (from, { nextCursor, hasMore, changes }) => {
      if (!hasMore) return;
      if (nextCursor === from || nextCursor === kept) {
        const message = 'the feed says that there is more but sends a cursor that it sent before';
        throw new FeedStuckError({ message });
      }
      emptyPages = changes.length === 0 ? emptyPages + 1 : 0;
      if (emptyPages >= EMPTY_PAGES_MAX) {
        const message = `${EMPTY_PAGES_MAX} empty pages in a row say that there is more`;
        throw new FeedStuckError({ message });
      }
      if (++steps < stepsMax && kept !== null) return;
      [kept, steps, stepsMax] = [nextCursor, 0, stepsMax * 2];
    },
  };
}
