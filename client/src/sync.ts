import { type Bookmark, isSameBookmark, writeBookmark } from './bookmark.ts';
import type { FetchPage } from './change-reader.ts';
import { CursorExpiredError, InvalidRequestError } from './errors.ts';
import { type FeedProgress, trackProgress } from './feed-progress.ts';
import { SyncTargetError } from './local-errors.ts';
import type { ChangePageOptions } from './inventory.ts';
import { throwIfAborted } from './retry.ts';
import { createAdapter } from './target-adapter.ts';
import type { SyncOptions, SyncResult, SyncStep, SyncTarget } from './sync-target.ts';
import type { ChangePage } from './types.ts';

/** The default of `pagesMax`: a billion records, so that only an endless feed reaches it. */
const PAGES_MAX = 1_000_000;

/** The allowed restarts in one sync. Restores are rare, so more indicate a fault of the service. */
const RESTARTS_MAX = 2;

/**
 * The maximum number of times in a row that another process is faster. After that, `load` probably
 * returns a text that was never stored.
 */
const MOVES_MAX = 100;

/**
 * Syncs the target to the head of the feed (decision 0141) with one page in memory at a time. The
 * sync can stop at any point: the text that `load` returns is never ahead of the stored records.
 */
export async function syncChanges<Tx = undefined>(
  fetchPage: FetchPage,
  target: SyncTarget<Tx>,
  { limit, signal, pagesMax = PAGES_MAX }: SyncOptions,
): Promise<SyncResult> {
  const adapter = createAdapter(target);
  let current = await adapter.load();
  let [progress, moves, hasMoved] = [trackProgress(), 0, false];
  const counts = { changes: 0, pages: 0, restarts: 0 };
  // A sync from the beginning is a restart: a sync that crashed may have left records.
  let isRestarting = current.cursor === null && adapter.canRestart;
  while (counts.pages < pagesMax) {
    throwIfAborted(signal);
    const page = isRestarting
      ? null
      : await readPage(fetchPage, { cursor: current.cursor, limit, signal });
    throwIfAborted(signal);
    if (page instanceof CursorExpiredError) {
      if (!adapter.canRestart || ++counts.restarts > RESTARTS_MAX) throw page;
      isRestarting = true;
      continue;
    }
    if (page !== null) {
      counts.pages++;
      recordProgress(progress, current, page, hasMoved);
    }
    const next = page === null ? READING_AGAIN : bookmarkAfter(current, page);
    // A sync that is already at the head has nothing to store.
    const isIdle = page?.changes.length === 0 && isSameBookmark(current, next);
    const moved = isIdle ? null : await adapter.save(current, stepOf(current, page, next));
    if (moved === null && page !== null) {
      counts.changes += page.changes.length;
      if (!page.hasMore) return { ...counts, isCaughtUp: true };
    }
    moves = moved === null ? 0 : moves + 1;
    hasMoved ||= moved !== null;
    if (moves > MOVES_MAX) throw inconsistentTarget();
    const now = moved ?? next;
    if (now.isReadingAgain !== current.isReadingAgain) progress = trackProgress();
    [current, isRestarting] = [now, false];
  }
  return { ...counts, isCaughtUp: false };
}

function recordProgress(
  progress: FeedProgress,
  { cursor }: Bookmark,
  page: ChangePage,
  hasMoved: boolean,
): void {
  try {
    progress.recordPage(cursor, page);
  } catch (error) {
    // The target's bookmark changed unexpectedly during this sync, so the feed is not at fault.
    throw hasMoved ? inconsistentTarget() : error;
  }
}

function inconsistentTarget(): SyncTargetError {
  const message =
    'loadLocked() must return what save() was given, and store() must return false only when `before` differs from what is stored';
  return new SyncTargetError({ message });
}

const READING_AGAIN: Bookmark = { cursor: null, isReadingAgain: true };

/** Returns the step that stores a page and the cursor after it. A null page begins a restart. */
function stepOf(current: Bookmark, page: ChangePage | null, next: Bookmark): SyncStep {
  const before = writeBookmark(current);
  return {
    changes: page?.changes ?? [],
    cursor: writeBookmark(next),
    before: before === '' ? null : before,
    isRestart: page === null,
    isRestartDone: page !== null && current.isReadingAgain && !next.isReadingAgain,
  };
}

function bookmarkAfter(current: Bookmark, { nextCursor, hasMore }: ChangePage): Bookmark {
  return { cursor: nextCursor, isReadingAgain: current.isReadingAgain && hasMore };
}

async function readPage(
  fetchPage: FetchPage,
  options: ChangePageOptions,
): Promise<ChangePage | CursorExpiredError> {
  try {
    return await fetchPage(options);
  } catch (error) {
    if (options.cursor === null) throw error;
    if (error instanceof CursorExpiredError) return error;
    if (!(error instanceof InvalidRequestError)) throw error;
    const { status, requestId, help } = error;
    const message =
      'the service refused the cursor that load() returned: check that it was stored for this shop and this service';
    throw new InvalidRequestError({ message, status, requestId, help });
  }
}
