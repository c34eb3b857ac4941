import { announce } from '../database/channel.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

export type EntryKind = 'card' | 'product' | 'grade';

/** A change of a catalog entry. Positions follow the order of commits and have gaps. */
export interface CatalogChange {
  readonly position: number;
  readonly entryKind: EntryKind;
  readonly entryId: string;
}

export const selectCatalogChanges = statement<CatalogChange>(
  'select_catalog_changes',
  `select position, entry_kind as "entryKind", entry_id as "entryId"
     from catalog_change where position > $1 order by position limit $2`,
);

export const assignCatalogPositions = statement<{ position: number }>(
  'stamp_catalog_entries',
  `with stamped as (
    insert into catalog_change (entry_kind, entry_id, position)
    select $1, entry.id, nextval('catalog_position') from unnest($2::uuid[]) as entry (id)
        on conflict (entry_kind, entry_id) do update set position = excluded.position
    returning position
  )
  select max(position) as position from stamped`,
);

/** Lists at most `limit` changes in order. Each entry appears once, with its latest change. */
export async function readCatalogChanges(
  db: Queryable,
  afterPosition: number,
  limit: number,
): Promise<CatalogChange[]> {
  return await db.query(selectCatalogChanges, [afterPosition, limit]);
}

/**
 * Announces the changes to every node at commit. Call it under `lockCatalogExclusive`, in the
 * transaction that changed the entries, with each id once. Returns the highest new position.
 */
export async function recordCatalogChanges(
  tx: Transaction,
  entryKind: EntryKind,
  entryIds: readonly string[],
): Promise<number> {
  if (entryIds.length === 0) return 0;
  const position = (await tx.one(assignCatalogPositions, [entryKind, entryIds]))?.position ?? 0;
  await announce(tx, 'catalog', String(position));
  return position;
}
