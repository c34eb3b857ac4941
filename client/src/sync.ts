import { type Bookmark, isSameBookmark, readBookmark, writeBookmark } from './bookmark.ts';
import type { FetchPage } from './change-reader.ts';
import { CursorExpiredError, InvalidRequestError } from './errors.ts';
import { type FeedProgress, watchProgress } from './feed-progress.ts';
import { SyncTargetError } from './local-errors.ts';
import type { ChangePageOptions } from './inventory.ts';
import { throwIfAborted } from './retry.ts';
import type { SyncOptions, SyncResult, SyncTarget } from './sync-target.ts';
import type { ChangePage } from './types.ts';

/** A billion records: a bound for a feed that never ends, and none for any shop. */
const PAGES_MAX = 1_000_000;

/** One restore is rare; more than two in one sync are a fault of the service. */
const RESTARTS_MAX = 2;

/** Times in a row that another process may be first; beyond it `loadLocked` reads something else than `save` keeps. */
const MOVES_MAX = 100;

/**
 * Brings the target to the head of the feed (decision 0141). One page is in memory at a time. At every instant the target
 * can be left and taken up again: what `load` answers is never ahead of what `upsert` was given.
 */
export async function syncChanges<Tx>(
  fetchPage: FetchPage,
  target: SyncTarget<Tx>,
  { limit, signal, pagesMax = PAGES_MAX }: SyncOptions,
): Promise<SyncResult> {
  let mark = readBookmark(await target.load());
  let [progress, moves, hasMoved] = [watchProgress(), 0, false];
  const counts = { changes: 0, pages: 0, restarts: 0 };
  // A read from the beginning is a restart: something may be there already, of a sync that died before its first save.
  let isRestarting = mark.cursor === null && target.restart !== undefined;
  while (counts.pages < pagesMax) {
    throwIfAborted(signal);
    const page = isRestarting
      ? null
      : await readPage(fetchPage, { cursor: mark.cursor, limit, signal });
    throwIfAborted(signal);
    if (page instanceof CursorExpiredError) {
      if (target.restart === undefined || ++counts.restarts > RESTARTS_MAX) throw page;
      isRestarting = true;
      continue;
    }
    if (page !== null) {
      counts.pages++;
      noteProgress(progress, mark, page, hasMoved);
    }
    const step = await keep(target, mark, page);
    if (step.isOurs && page !== null) {
      counts.changes += page.changes.length;
      if (!page.hasMore) return { ...counts, isCaughtUp: true };
    }
    moves = step.isOurs ? 0 : moves + 1;
    hasMoved ||= !step.isOurs;
    if (moves > MOVES_MAX) throw loadedOther();
    if (step.mark.isReadingAgain !== mark.isReadingAgain) progress = watchProgress();
    [mark, isRestarting] = [step.mark, false];
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
    // The feed comes round because `loadLocked` leads back to one place.
    throw hasMoved ? loadedOther() : error;
  }
}

function loadedOther(): SyncTargetError {
  return new SyncTargetError({ message: 'loadLocked() does not answer what save() was given' });
}

const READING_AGAIN: Bookmark = { cursor: null, isReadingAgain: true };

/** Where the sync is after a piece of work. */
interface Step {
  readonly mark: Bookmark;
  /** False when another process had moved on, so that the work was dropped. */
  readonly isOurs: boolean;
}

/** Keeps a page and the cursor after it; null: begins to read again. */
async function keep<Tx>(
  target: SyncTarget<Tx>,
  mark: Bookmark,
  page: ChangePage | null,
): Promise<Step> {
  const next = page === null ? READING_AGAIN : bookmarkAfter(mark, page);
  // A poll at the head has nothing to keep.
  if (page?.changes.length === 0 && isSameBookmark(mark, next)) return { mark, isOurs: true };
  const run: { step: Step } = { step: { mark: next, isOurs: true } };
  await inTransaction(target, async (tx) => {
    const kept = target.loadLocked === undefined ? mark : readBookmark(await target.loadLocked(tx));
    const isOurs = isSameBookmark(kept, mark);
    run.step = { mark: isOurs ? next : kept, isOurs };
    if (!isOurs) return;
    if (page === null) await target.restart?.(tx);
    else if (page.changes.length > 0) await target.upsert(page.changes, tx);
    if (mark.isReadingAgain && !next.isReadingAgain) await target.finishRestart?.(tx);
    await target.save(writeBookmark(next), tx);
  });
  return run.step;
}

function bookmarkAfter(mark: Bookmark, { nextCursor, hasMore }: ChangePage): Bookmark {
  return { cursor: nextCursor, isReadingAgain: mark.isReadingAgain && hasMore };
}

async function inTransaction<Tx>(
  target: SyncTarget<Tx>,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  // Without `transaction` the type parameter is `undefined`, and so is what its functions are given.
  if (target.transaction === undefined) return await work(undefined as Tx);
  const run = { isDone: false };
  await target.transaction(async (tx) => {
    run.isDone = false;
    await work(tx);
    run.isDone = true;
  });
  if (run.isDone) return;
  const message = 'transaction() must call its function and wait for it before it commits';
  throw new SyncTargetError({ message });
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
