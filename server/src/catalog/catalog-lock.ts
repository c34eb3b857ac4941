import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** The key of an advisory lock. It is arbitrary, but all running versions must use the same. */
const CATALOG_LOCK = 7_201_540_264;

export const shareCatalogLock = statement(
  'share_catalog_lock',
  `select pg_advisory_xact_lock_shared($1)`,
);

export const takeCatalogLock = statement('take_catalog_lock', `select pg_advisory_xact_lock($1)`);

/**
 * Keeps the catalog unchanged until the transaction ends, so that no entry changes between reading
 * and rendering. Take it before any other lock. Reads of the catalog may be pipelined after it.
 */
export async function lockCatalogShared(tx: Transaction): Promise<void> {
  await tx.queryPipelined(shareCatalogLock, [CATALOG_LOCK]);
}

/**
 * Makes this transaction the only writer of the catalog until it ends, so that the positions of its
 * changes follow the order of commits. Take this lock first, and for one bounded batch at a time.
 */
export async function lockCatalogExclusive(tx: Transaction): Promise<void> {
  await tx.query(takeCatalogLock, [CATALOG_LOCK]);
}
