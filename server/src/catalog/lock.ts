import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * The key of the advisory lock that orders readers who render catalog entries and writers who change them. Any number;
 * it only must not change between versions that run together.
 */
const CATALOG_LOCK = 7_201_540_264;

export const shareCatalogLock = statement(
  'share_catalog_lock',
  `select pg_advisory_xact_lock_shared($1)`,
);

export const takeCatalogLock = statement('take_catalog_lock', `select pg_advisory_xact_lock($1)`);

/**
 * Holds the catalog still until the transaction ends: no entry changes between being read and being rendered. Many may
 * share it. Take it before any other lock, and read the catalog in later statements only; they may be sent behind it.
 */
export async function shareCatalog(tx: Transaction): Promise<void> {
  await tx.queryBehind(shareCatalogLock, [CATALOG_LOCK]);
}

/**
 * Makes this transaction the only one that touches the catalog until it ends, so that the positions of its changes are
 * in the order of the commits. Every writer of the catalog takes it first, for one bounded batch at a time.
 */
export async function lockCatalog(tx: Transaction): Promise<void> {
  await tx.query(takeCatalogLock, [CATALOG_LOCK]);
}
