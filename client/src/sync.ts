import { type Bookmark, isSameBookmark, readBookmark, writeBookmark } from './bookmark.ts';
import type { FetchPage } from './change-reader.ts';
import { CursorExpiredError, InvalidRequestError } from './errors.ts';
import { watchProgress } from './feed-progress.ts';
import { SyncTargetError } from './local-errors.ts';
import { throwIfAborted } from './retry.ts';
import type { SyncOptions, SyncResult, SyncTarget } from './sync-target.ts';
import type { ChangePage } from './types.ts';

/** A billion records: a bound for a feed that never ends, and none for any shop. */
const PAGES_MAX = 1_000_000;

/** One restore is rare; more than two in one sync are a fault of the service. */
const RESTARTS_MAX = 2;

/** Times in a row that another process may be first; beyond it `save` keeps nothing, or `loadLocked` reads another row. */
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
  let progress = watchProgress();
  let [pages, changes, restarts, moves] = [0, 0, 0, 0];
  while (pages < pagesMax) {
    throwIfAborted(signal);
    const page = await readPage(
      async () => await fetchPage({ cursor: mark.cursor, limit, signal }),
      mark,
    );
    throwIfAborted(signal);
    let step: Step;
    if (page instanceof CursorExpiredError) {
      if (target.restart === undefined || ++restarts > RESTARTS_MAX) throw page;
      step = await keep(target, mark, beginRestart());
    } else {
      pages++;
      progress.note(mark.cursor, page);
      step = await keep(target, mark, takePage(page, mark));
    }
    mark = step.mark;
    moves = step.isOurs ? 0 : moves + 1;
    if (moves > MOVES_MAX) {
      const message = 'loadLocked() never answers what save() was given';
      throw new SyncTargetError({ message });
    }
    if (!step.isOurs || page instanceof CursorExpiredError) {
      progress = watchProgress();
      continue;
    }
    changes += page.changes.length;
    if (!page.hasMore) return { changes, pages, restarts, isCaughtUp: true };
  }
  return { changes, pages, restarts, isCaughtUp: false };
}

/** What is to be kept together, and the bookmark after it. */
interface Work {
  readonly next: Bookmark;
  readonly page: ChangePage | null;
}

function beginRestart(): Work {
  return { next: { cursor: null, isReadingAgain: true }, page: null };
}

function takePage(page: ChangePage, mark: Bookmark): Work {
  const isReadingAgain = mark.isReadingAgain && page.hasMore;
  return { next: { cursor: page.nextCursor, isReadingAgain }, page };
}

/** Where the sync is after a piece of work. */
interface Step {
  readonly mark: Bookmark;
  /** False when another process had moved on, so that the work was dropped. */
  readonly isOurs: boolean;
}

async function keep<Tx>(target: SyncTarget<Tx>, mark: Bookmark, work: Work): Promise<Step> {
  const { next, page } = work;
  // A poll at the head has nothing to keep.
  if (page?.changes.length === 0 && isSameBookmark(mark, next)) return { mark, isOurs: true };
  let step: Step = { mark: next, isOurs: true };
  await inTransaction(target, async (tx) => {
    const kept = target.loadLocked === undefined ? mark : readBookmark(await target.loadLocked(tx));
    step = isSameBookmark(kept, mark)
      ? { mark: next, isOurs: true }
      : { mark: kept, isOurs: false };
    if (!step.isOurs) return;
    if (page === null) await target.restart?.(tx);
    else if (page.changes.length > 0) await target.upsert(page.changes, tx);
    if (mark.isReadingAgain && !next.isReadingAgain) await target.finishRestart?.(tx);
    const text = writeBookmark(next);
    if (text !== null) await target.save(text, tx);
  });
  return step;
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
  fetchPage: () => Promise<ChangePage>,
  { cursor }: Bookmark,
): Promise<ChangePage | CursorExpiredError> {
  try {
    return await fetchPage();
  } catch (error) {
    if (cursor === null) throw error;
    if (error instanceof CursorExpiredError) return error;
    if (!(error instanceof InvalidRequestError)) throw error;
    const { status, requestId, help } = error;
    const message =
      'the service does not take the cursor that load() answered: was it kept for another shop or another service?';
    throw new InvalidRequestError({ message, status, requestId, help });
  }
}
