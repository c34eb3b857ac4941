import type { CallOptions } from './partner-api.ts';
import type { Change } from './types.ts';

/**
 * Where `sync` stores a shop's stock: your database, in one of two equivalent forms. A
 * {@link StoreTarget} has one function, `store`, that stores a page and may be synchronous, as
 * SQLite needs. A {@link TransactionTarget} has separate functions within an async transaction, as
 * a pool of PostgreSQL connections needs. The type of the transaction is not inferred. Name it, and
 * `transaction` becomes required:
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
 * An error in a function ends the sync, and the next sync continues where this one stopped. No
 * function may await another `sync` of the same shop: that sync starts only after this one ends.
 */
export type SyncTarget<Tx = undefined> = StoreTarget | TransactionTarget<Tx>;

/** One step of a sync. Store it completely or not at all. */
export interface SyncStep {
  /** Upsert each record by `kind` and `id`. May be empty. */
  readonly changes: readonly Change[];
  /**
   * Store this text unchanged and return it from `load`. It is a cursor, with a prefix during a
   * restart.
   */
  readonly cursor: string;
  /**
   * The text that `load` returned when this step began; null if nothing was stored. If several
   * processes sync the same shop into one database, compare it with the stored text within the
   * transaction. If they differ, another process was faster: write nothing and return false, and
   * the sync continues from the stored text.
   */
  readonly before: string | null;
  /**
   * True when the complete feed is about to be read: on the first sync, or because the shop was
   * restored from a backup. Mark all stored records as old; records in later `changes` are not old.
   * If a restart begins again before `isRestartDone`, mark all records as old again. If your app
   * can be without stock for a while, delete all records instead. A store that ignores this keeps
   * records that the shop no longer has.
   */
  readonly isRestart: boolean;
  /**
   * True when the complete feed has been read, including these changes. Store them, then remove all
   * records that are still marked as old.
   */
  readonly isRestartDone: boolean;
}

/** A target with one function that stores a complete step; its transaction may be synchronous. */
export interface StoreTarget {
  /** Returns the text last stored as `cursor`, or null to start from the beginning. */
  load(): KeptCursor;
  /**
   * Stores a step in one transaction. Return false only if nothing was stored because of `before`.
   */
  store(step: SyncStep): unknown;
  readonly transaction?: never;
  readonly upsert?: never;
  readonly save?: never;
  readonly restart?: never;
  readonly finishRestart?: never;
  readonly loadLocked?: never;
}

/**
 * A target of separate functions, which may be async. With `transaction`, the records of a page and
 * the cursor after it are committed together. Without `transaction`, the records are stored before
 * the cursor, so a crash in between repeats a page and loses nothing.
 */
export type TransactionTarget<Tx = undefined> = TransactionParts<Tx> &
  ([Tx] extends [undefined] ? unknown : Required<Pick<TransactionParts<Tx>, 'transaction'>>);

/**
 * The functions of a {@link TransactionTarget}. `transaction` is required unless `Tx` is
 * `undefined`.
 */
export interface TransactionParts<Tx> {
  /** Returns the text last passed to `save`, or null to start from the beginning. */
  load(): KeptCursor;
  /**
   * Runs `work` in one transaction: commit when it resolves; roll back and throw when it rejects.
   * You may run `work` more than once. No request is made during the transaction. No other
   * statements may run in the transaction: if your whole program shares one connection (SQLite),
   * use `store` instead.
   */
  transaction?: (work: (tx: Tx) => Promise<void>) => unknown;
  /** Upserts these records by `kind` and `id`. There is always at least one. */
  upsert: (changes: readonly Change[], tx: Tx) => unknown;
  /** Stores this text unchanged, for `load`. It is a cursor, with a prefix during a restart. */
  save: (cursor: string, tx: Tx) => unknown;
  /**
   * Called before the complete feed is read: on the first sync, when `load` returned null, or
   * because the shop was restored from a backup (410 `cursor_expired`). Mark all stored records as
   * old; `upsert` clears the mark. This may be called again before `finishRestart`: then mark all
   * records as old again. If your app can be without stock for a while, delete all records here
   * instead. Without this function a 410 ends the sync with `CursorExpiredError`.
   */
  restart?: (tx: Tx) => unknown;
  /**
   * Removes all records that are still marked as old. Called with the last page, before its `save`.
   */
  finishRestart?: (tx: Tx) => unknown;
  /**
   * Like `load`, but inside the transaction and with the row locked (`select … for update`). Needed
   * if several processes sync the same shop into one database: when another process was faster,
   * this process drops its page and continues from the stored text, so an old value never
   * overwrites a newer value. Within one process, `openPartnerApp()` runs syncs of a shop one at a
   * time.
   */
  loadLocked?: (tx: Tx) => KeptCursor;
  readonly store?: never;
}

/** The result of `load`: the stored text, or nothing. */
export type KeptCursor = Promise<string | null | undefined> | string | null | undefined;

export interface SyncOptions extends CallOptions {
  /** The maximum number of records per page, 1 to 1,000. The service's default is 500. */
  readonly limit?: number | undefined;
  /** Maximum number of pages in one sync; the next sync continues. Defaults to 1,000,000. */
  readonly pagesMax?: number | undefined;
}

export interface SyncResult {
  /** The number of stored records. */
  readonly changes: number;
  /** The number of pages read. */
  readonly pages: number;
  /** How often the sync started over after 410 `cursor_expired`. */
  readonly restarts: number;
  /** True when the sync reached the head of the feed; false only after `pagesMax` pages. */
  readonly isCaughtUp: boolean;
}
