import { type Bookmark, isSameBookmark, writeBookmark } from './bookmark.ts';
import type { FetchPage } from './change-reader.ts';
import { CursorExpiredError, InvalidRequestError } from './errors.ts';
import { type FeedProgress, watchProgress } from './feed-progress.ts';
import { SyncTargetError } from './local-errors.ts';
import type { ChangePageOptions } from './inventory.ts';
import { throwIfAborted } from './retry.ts';
import { keeperOf } from './sync-keeper.ts';
import type { SyncOptions, SyncResult, SyncStep, SyncTarget } from './sync-target.ts';
import type { ChangePage } from './types.ts';

/** A billion records: a bound for a feed that never ends, and none for any shop. */
const PAGES_MAX = 1_000_000;

/** One restore is rare; more than two in one sync are a fault of the service. */
const RESTARTS_MAX = 2;

/** Times in a row that another process may be first; beyond it the target answers something else than it keeps. */
const MOVES_MAX = 100;

/**
 * Brings the target to the head of the feed (decision 0141). One page is in memory at a time. At every instant the target
 * can be left and taken up again: what `load` answers is never ahead of the records that are kept.
 */
export async function syncChanges<Tx = undefined>(
  fetchPage: FetchPage,
  target: SyncTarget<Tx>,
  { limit, signal, pagesMax = PAGES_MAX }: SyncOptions,
): Promise<SyncResult> {
  const keeper = keeperOf(target);
  let mark = await keeper.load();
  let [progress, moves, hasMoved] = [watchProgress(), 0, false];
  const counts = { changes: 0, pages: 0, restarts: 0 };
  // A read from the beginning is a restart: something may be there already, of a sync that died before its first save.
  let isRestarting = mark.cursor === null && keeper.canRestart;
  while (counts.pages < pagesMax) {
    throwIfAborted(signal);
    const page = isRestarting
      ? null
      : await readPage(fetchPage, { cursor: mark.cursor, limit, signal });
    throwIfAborted(signal);
    if (page instanceof CursorExpiredError) {
      if (!keeper.canRestart || ++counts.restarts > RESTARTS_MAX) throw page;
      isRestarting = true;
      continue;
    }
    if (page !== null) {
      counts.pages++;
      noteProgress(progress, mark, page, hasMoved);
    }
    const next = page === null ? READING_AGAIN : bookmarkAfter(mark, page);
    // A poll at the head has nothing to keep.
    const isIdle = page?.changes.length === 0 && isSameBookmark(mark, next);
    const moved = isIdle ? null : await keeper.keep(mark, stepOf(mark, page, next));
    if (moved === null && page !== null) {
      counts.changes += page.changes.length;
      if (!page.hasMore) return { ...counts, isCaughtUp: true };
    }
    moves = moved === null ? 0 : moves + 1;
    hasMoved ||= moved !== null;
    if (moves > MOVES_MAX) throw loadedOther();
    const now = moved ?? next;
    if (now.isReadingAgain !== mark.isReadingAgain) progress = watchProgress();
    [mark, isRestarting] = [now, false];
  }
  return { ...counts, isCaughtUp: false };
}

function noteProgress(
  progress: FeedProgress,
  { cursor }: Bookmark,
  page: ChangePage,
  hasMoved: boolean,
): void {
  try {
    progress.note(cursor, page);
  } catch (error) {
    // The feed comes round because `loadLocked` or `store` leads back to one place.
    throw hasMoved ? loadedOther() : error;
  }
}

function loadedOther(): SyncTargetError {
  const message =
    'loadLocked() does not answer what save() was given, or store() answers false though `before` is what is kept';
  return new SyncTargetError({ message });
}

const READING_AGAIN: Bookmark = { cursor: null, isReadingAgain: true };

/** A page and the cursor after it; null: everything is to be read again. */
function stepOf(mark: Bookmark, page: ChangePage | null, next: Bookmark): SyncStep {
  const before = writeBookmark(mark);
  return {
    changes: page?.changes ?? [],
    cursor: writeBookmark(next),
    before: before === '' ? null : before,
    isRestart: page === null,
    isRestartDone: page !== null && mark.isReadingAgain && !next.isReadingAgain,
  };
}

function bookmarkAfter(mark: Bookmark, { nextCursor, hasMore }: ChangePage): Bookmark {
  return { cursor: nextCursor, isReadingAgain: mark.isReadingAgain && hasMore };
}

/** The page, or the error of a cursor that has expired. */
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
      'the service does not take the cursor that load() answered: was it kept for another shop or another service?';
    throw new InvalidRequestError({ message, status, requestId, help });
  }
}
