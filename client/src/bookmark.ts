import { SyncTargetError } from './local-errors.ts';

/** How far a sync has come, as it is kept between two syncs. */
export interface Bookmark {
  /** Where to read on; null: from the beginning. */
  readonly cursor: string | null;
  /** True from `restart` to `finishRestart`: what does not come again must go (decision 0141). */
  readonly isReadingAgain: boolean;
}

// A cursor of the service is base64url, so it has no colon (decision 0004).
const READING_AGAIN = 'reading-again:';

/** The bookmark as text for `save`: the cursor as it came, or with a mark before it while everything is read again. */
export function writeBookmark({ cursor, isReadingAgain }: Bookmark): string {
  return `${isReadingAgain ? READING_AGAIN : ''}${cursor ?? ''}`;
}

/** What `load` answered, read. Nothing kept (null, undefined, an empty text) is the beginning. */
export function readBookmark(kept: unknown): Bookmark {
  if (kept === null || kept === undefined) return { cursor: null, isReadingAgain: false };
  if (typeof kept !== 'string') {
    const message = `load() must answer the text that save() was given, or null, not a ${typeof kept}`;
    throw new SyncTargetError({ message });
  }
  const isReadingAgain = kept.startsWith(READING_AGAIN);
  const cursor = isReadingAgain ? kept.slice(READING_AGAIN.length) : kept;
  return { cursor: cursor === '' ? null : cursor, isReadingAgain };
}

/** True when both are at the same place. */
export function isSameBookmark(one: Bookmark, other: Bookmark): boolean {
  return one.cursor === other.cursor && one.isReadingAgain === other.isReadingAgain;
}
