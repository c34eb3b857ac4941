import { SyncTargetError } from './local-errors.ts';

/** How far a sync has read the feed. The app stores it between two syncs. */
export interface Bookmark {
  /** The cursor from which the next sync continues; null means the beginning. */
  readonly cursor: string | null;
  /**
   * True during a restart: from `restart` until `finishRestart` removes the records that were not
   * seen again (decision 0141).
   */
  readonly isReadingAgain: boolean;
}

// The service's cursors are base64url, so they never contain a colon (decision 0004).
const READING_AGAIN = 'reading-again:';

/** Returns the text for `save`: the cursor unchanged, with a prefix during a restart. */
export function writeBookmark({ cursor, isReadingAgain }: Bookmark): string {
  return `${isReadingAgain ? READING_AGAIN : ''}${cursor ?? ''}`;
}

/** Parses what `load` returned. Null, undefined and an empty string are the beginning. */
export function readBookmark(stored: unknown): Bookmark {
  if (stored === null || stored === undefined) return { cursor: null, isReadingAgain: false };
  if (typeof stored !== 'string') {
    const message = `load() must return the text that save() was given, or null, not a ${typeof stored}`;
    throw new SyncTargetError({ message });
  }
  const isReadingAgain = stored.startsWith(READING_AGAIN);
  const cursor = isReadingAgain ? stored.slice(READING_AGAIN.length) : stored;
  return { cursor: cursor === '' ? null : cursor, isReadingAgain };
}

export function isSameBookmark(one: Bookmark, other: Bookmark): boolean {
  return one.cursor === other.cursor && one.isReadingAgain === other.isReadingAgain;
}
