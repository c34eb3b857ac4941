import type { CallOptions } from './partner-api.ts';
import type { Change } from './types.ts';

/**
 * Where `sync` keeps a shop's stock: your database. Every function may be async; what it throws ends the sync, and the
 * next one goes on where this one was. With `transaction` the records of a page and the cursor after it are kept together
 * or not at all; without it the records are kept first, so that a crash in between repeats a page and loses nothing.
 */
export interface SyncTarget<Tx = undefined> {
  /** The text that `save` was last given; null when there is none, which begins at the beginning. */
  load(): Promise<string | null | undefined> | string | null | undefined;
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back and throws when it rejects. It may run it
   * again. No request is under way meanwhile.
   */
  transaction?(work: (tx: Tx) => Promise<void>): unknown;
  /** Keeps these records, each in place of the one with the same `kind` and `id`. Never called without any. */
  upsert(changes: readonly Change[], tx: Tx): unknown;
  /** Keeps this text as it is, for `load`. It is a cursor of the feed, or one with a mark before it during a restart. */
  save(cursor: string, tx: Tx): unknown;
  /**
   * Everything is about to be read from the beginning: the first sync, `load` answered null, or the shop was restored from
   * a backup (410 `cursor_expired`). Marks all that is kept as old; `upsert` takes the mark off whatever comes again. It
   * may be called again before `finishRestart`: then all is old again. Deleting everything here instead is simpler, if
   * your app can be without stock for a while. Without this function a 410 ends the sync with `CursorExpiredError`.
   */
  restart?(tx: Tx): unknown;
  /** Everything has come again: removes what is still marked as old. Called with the last page, before its `save`. */
  finishRestart?(tx: Tx): unknown;
  /**
   * For several processes that sync the same shop into one database: `load` once more, inside the transaction, with the
   * row locked (`select … for update`). When another process has moved on, this one drops its page and goes on from
   * there, so that an old value never comes over a newer one.
   */
  loadLocked?(tx: Tx): Promise<string | null | undefined> | string | null | undefined;
}

/** How a sync goes. */
export interface SyncOptions extends CallOptions {
  /** Records of a page, 1 to 1,000; the service sends 500 unless told otherwise. */
  readonly limit?: number | undefined;
  /** Pages of one sync at most; the next one goes on. 1,000,000 unless given. */
  readonly pagesMax?: number | undefined;
}

/** What a sync did. */
export interface SyncResult {
  /** Records that were given to `upsert`. */
  readonly changes: number;
  /** Pages that were read. */
  readonly pages: number;
  /** How often everything was begun again after 410 `cursor_expired`. */
  readonly restarts: number;
  /** True when the head of the feed was reached; false only after `pagesMax` pages. */
  readonly isCaughtUp: boolean;
}
