import type { CallOptions } from './partner-api.ts';
import type { Change } from './types.ts';

/**
 * Where `sync` keeps a shop's stock: your database, in one of two forms that promise the same. A {@link StoreTarget} has
 * one function, `store`, that keeps a page and may be synchronous: for SQLite. A {@link TransactionTarget} has functions
 * within a transaction that waits: for a pool of connections, such as PostgreSQL's. The type of a transaction is not
 * inferred; name it, and `transaction` is required:
 *
 * ```ts
 * const target: SyncTarget<Prisma.TransactionClient> = {
 *   load: async () => (await prisma.progress.findUnique({ where: { shop } }))?.cursor,
 *   transaction: (work) => prisma.$transaction(work),
 *   upsert: async (changes, tx) => { for (const change of changes) await tx.record.upsert(rowOf(change)); },
 *   save: (cursor, tx) => tx.progress.upsert({ where: { shop }, create: { shop, cursor }, update: { cursor } }),
 * };
 * ```
 *
 * What a function throws ends the sync, and the next one goes on where this one was. None of them may wait for another
 * `sync` of the same shop: that one waits for this one.
 */
export type SyncTarget<Tx = undefined> = StoreTarget | TransactionTarget<Tx>;

/** One step of a sync, to be kept whole or not at all. */
export interface SyncStep {
  /** To be kept, each in place of the record with the same `kind` and `id`. Empty at times. */
  readonly changes: readonly Change[];
  /** To be kept as it is, for `load`. It is a cursor of the feed, or one with a mark before it during a restart. */
  readonly cursor: string;
  /**
   * What `load` answered when this step began; null: nothing was kept. For several processes that sync the same shop into
   * one database: compare it, within the transaction, with what is kept now. When that is another text, another process
   * has moved on: write nothing and answer false, and the sync goes on from there.
   */
  readonly before: string | null;
  /**
   * Everything is about to be read from the beginning: the first sync, or the shop was restored from a backup. Mark all
   * that is kept as old; what comes in `changes` from now on is not. It may come again before `isRestartDone`: then all is
   * old again. Deleting everything instead is simpler, if your app can be without stock for a while. A store that passes
   * over it keeps for ever what a restored shop no longer has.
   */
  readonly isRestart: boolean;
  /** Everything has come again, with these changes: after they are kept, remove what is still marked as old. */
  readonly isRestartDone: boolean;
}

/** A target with one function that keeps a whole step: in a synchronous transaction, if you like. */
export interface StoreTarget {
  /** The text that was last kept as `cursor`; null when there is none, which begins at the beginning. */
  load(): KeptCursor;
  /** Keeps a step, in one transaction. False, and nothing else, says that nothing was kept because of `before`. */
  store(step: SyncStep): unknown;
  readonly transaction?: never;
  readonly upsert?: never;
  readonly save?: never;
  readonly restart?: never;
  readonly finishRestart?: never;
  readonly loadLocked?: never;
}

/**
 * A target of single functions, each of which may be async. With `transaction` the records of a page and the cursor after
 * it are kept together or not at all; without it the records are kept first, so that a crash in between repeats a page and
 * loses nothing.
 */
export type TransactionTarget<Tx = undefined> = TransactionParts<Tx> &
  ([Tx] extends [undefined] ? unknown : Required<Pick<TransactionParts<Tx>, 'transaction'>>);

/** The functions of a {@link TransactionTarget}, which must have `transaction` where its `Tx` is not `undefined`. */
export interface TransactionParts<Tx> {
  /** The text that `save` was last given; null when there is none, which begins at the beginning. */
  load(): KeptCursor;
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back and throws when it rejects. It may run it
   * again. No request is under way meanwhile. The transaction must be `work`'s alone: where all of your program shares one
   * connection (SQLite), whatever else runs meanwhile would be in it too; use `store` there.
   */
  transaction?: (work: (tx: Tx) => Promise<void>) => unknown;
  /** Keeps these records, each in place of the one with the same `kind` and `id`. Never called without any. */
  upsert: (changes: readonly Change[], tx: Tx) => unknown;
  /** Keeps this text as it is, for `load`. It is a cursor of the feed, or one with a mark before it during a restart. */
  save: (cursor: string, tx: Tx) => unknown;
  /**
   * Everything is about to be read from the beginning: the first sync, `load` answered null, or the shop was restored from
   * a backup (410 `cursor_expired`). Marks all that is kept as old; `upsert` takes the mark off whatever comes again. It
   * may be called again before `finishRestart`: then all is old again. Deleting everything here instead is simpler, if
   * your app can be without stock for a while. Without this function a 410 ends the sync with `CursorExpiredError`.
   */
  restart?: (tx: Tx) => unknown;
  /** Everything has come again: removes what is still marked as old. Called with the last page, before its `save`. */
  finishRestart?: (tx: Tx) => unknown;
  /**
   * For several processes that sync the same shop into one database: `load` once more, inside the transaction, with the
   * row locked (`select … for update`). When another process has moved on, this one drops its page and goes on from
   * there, so that an old value never comes over a newer one. In one process syncs of a shop wait for each other, if they
   * come from one `openPartnerApp()`.
   */
  loadLocked?: (tx: Tx) => KeptCursor;
  readonly store?: never;
}

/** What `load` answers: a text, or nothing. */
export type KeptCursor = Promise<string | null | undefined> | string | null | undefined;

/** How a sync goes. */
export interface SyncOptions extends CallOptions {
  /** Records of a page, 1 to 1,000; the service sends 500 unless told otherwise. */
  readonly limit?: number | undefined;
  /** Pages of one sync at most; the next one goes on. 1,000,000 unless given. */
  readonly pagesMax?: number | undefined;
}

/** What a sync did. */
export interface SyncResult {
  /** Records that were kept. */
  readonly changes: number;
  /** Pages that were read. */
  readonly pages: number;
  /** How often everything was begun again after 410 `cursor_expired`. */
  readonly restarts: number;
  /** True when the head of the feed was reached; false only after `pagesMax` pages. */
  readonly isCaughtUp: boolean;
}
