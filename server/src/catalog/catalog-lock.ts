import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * The key of the advisory lock between transactions that render catalog entries and those that
 * change them. Any number; it must not change between versions that run at the same time.
 */
const CATALOG_LOCK = 7_201_540_264;

export const shareCatalogLock = statement(
  'share_catalog_lock',
  `select pg_advisory_xact_lock_shared($1)`,
);

export const takeCatalogLock = statement('take_catalog_lock', `select pg_advisory_xact_lock($1)`);

/**
 * Keeps the catalog unchanged until the transaction ends, so that no entry changes between reading
 * and rendering. Any number of transactions may share the lock. Take it before any other lock, and
 * read the catalog in later statements only; they may be pipelined behind it.
 */
export async function lockCatalogShared(tx: Transaction): Promise<void> {
  await tx.queryPipelined(shareCatalogLock, [CATALOG_LOCK]);
}

/**
 * Gives this transaction exclusive access to the catalog until it ends, so that the positions of
 * its changes follow the order of commits. Every writer of the catalog takes this lock first, for
 * one bounded batch at a time.
 */
export async function lockCatalogExclusive(tx: Transaction): Promise<void> {
  await tx.query(takeCatalogLock, [CATALOG_LOCK]);
}
