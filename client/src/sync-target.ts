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
   * The text to store unchanged and return from `load`: a cursor, with a prefix during a restart.
   */
  readonly cursor: string;
  /**
   * The text that `load` returned when this step began, or null. If several processes sync a shop
   * into one database, compare it with the stored text in the transaction. If they differ, write
   * nothing and return false: another process was faster, and the sync continues from its text.
   */
  readonly before: string | null;
  /**
   * True when the complete feed is about to be read: on the first sync, or because the shop was
   * restored from a backup. Mark all stored records as old, even if an earlier restart has not
   * reached `isRestartDone`; records in later `changes` are not old. If your app can be without
   * stock for a while, delete all records instead. Otherwise records that the shop no longer has
   * remain.
   */
  readonly isRestart: boolean;
  /** True with the last page: store these changes, then remove all records still marked as old. */
  readonly isRestartDone: boolean;
}

/** A target with one function that stores a complete step; its transaction may be synchronous. */
export interface StoreTarget {
  /** Returns the text last stored as `cursor`, or null to start from the beginning. */
  load(): KeptCursor;
  /** Stores the step in one transaction. Returns false only if `before` prevented that. */
  store(step: SyncStep): unknown;
  readonly transaction?: never;
  readonly upsert?: never;
  readonly save?: never;
  readonly restart?: never;
  readonly finishRestart?: never;
  readonly loadLocked?: never;
}

/**
 * A target with separate functions, which may be async. `transaction` commits a page together with
 * the cursor after it. Without `transaction`, a crash between the two repeats a page and loses
 * nothing.
 */
export type TransactionTarget<Tx = undefined> = TransactionParts<Tx> &
  ([Tx] extends [undefined] ? unknown : Required<Pick<TransactionParts<Tx>, 'transaction'>>);

/** `transaction` is required unless `Tx` is `undefined`. */
export interface TransactionParts<Tx> {
  /** Returns the text last passed to `save`, or null to start from the beginning. */
  load(): KeptCursor;
  /**
   * Runs `work` in one transaction: commit when it resolves; roll back and throw when it rejects.
   * `work` may run more than once, and makes no request. No other statements may run in the
   * transaction: if your whole program shares one connection (SQLite), use `store` instead.
   */
  transaction?: (work: (tx: Tx) => Promise<void>) => unknown;
  /** Upserts these records by `kind` and `id`. There is always at least one. */
  upsert: (changes: readonly Change[], tx: Tx) => unknown;
  /** Stores this text unchanged, for `load`. It is a cursor, with a prefix during a restart. */
  save: (cursor: string, tx: Tx) => unknown;
  /**
   * Called before the complete feed is read: on the first sync, or because the shop was restored
   * from a backup (410 `cursor_expired`). Mark all stored records as old, even if an earlier
   * restart has not reached `finishRestart`; `upsert` clears the mark. If your app can be without
   * stock for a while, delete all records. Without this function a 410 throws
   * `CursorExpiredError`.
   */
  restart?: (tx: Tx) => unknown;
  /** Removes all records that are still marked as old. Called before the last page's `save`. */
  finishRestart?: (tx: Tx) => unknown;
  /**
   * Like `load`, but inside the transaction and with the row locked (`select … for update`). Needed
   * if several processes sync a shop into one database: the slower one drops its page and continues
   * from the stored text, so an old value never overwrites a newer value.
   */
  loadLocked?: (tx: Tx) => KeptCursor;
  readonly store?: never;
}

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
  readonly pages: number;
  /** How often the sync started over after 410 `cursor_expired`. */
  readonly restarts: number;
  /** True when the sync reached the head of the feed; false only after `pagesMax` pages. */
  readonly isCaughtUp: boolean;
}
