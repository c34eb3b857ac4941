import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { type CatalogChange, readCatalogChanges } from '../catalog/catalog-change.ts';
import { lockCatalogShared } from '../catalog/catalog-lock.ts';
import { recordEntriesOfRenamedGames } from '../catalog/renamed-game.ts';
import type { Database, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { rerenderUnitRows } from './unit.ts';
import { lockUnits } from './unit-row.ts';

/** The maximum number of units in one transaction, which holds the lock on the shop's feed head. */
const RERENDER_UNITS = 500;
const RERENDER_CHANGES = 500;
/** Transactions in one call, each for the units of one shop. The next call does the rest. */
const RERENDER_TRANSACTIONS_MAX = 10_000;
/** The wait for another process is checked at this interval, and takes at most one minute. */
const WAIT_INTERVAL_MS = 100;
const WAITS_MAX = 600;

// Reads only the last entry of an index, so every node can check this every few seconds.
export const hasUnrenderedChanges = statement<{ isBehind: boolean }>(
  'has_unstamped_changes',
  `select coalesce((select max(position) from catalog_change), 0) > position as "isBehind"
  from catalog_restamp`,
);

export const claimRerender = statement<{ position: number }>(
  'claim_restamp',
  `select position from catalog_restamp for update skip locked`,
);

export const advanceRerender = statement(
  'advance_restamp',
  `update catalog_restamp set position = $1`,
);

export const selectStaleUnits = statement<{ shopId: string; id: string }>(
  'select_stale_units',
  `with entry as (
    select * from unnest($1::text[], $2::uuid[], $3::bigint[]) as e (kind, id, position)
  )
  (select u.shop_id as "shopId", u.unit_id as id from entry e
    join unit u on u.card_id = e.id and u.catalog_position < e.position
    where e.kind = 'card' limit $4)
  union all
  (select u.shop_id, u.unit_id from entry e
    join unit u on u.product_id = e.id and u.catalog_position < e.position
    where e.kind = 'product' limit $4)
  union all
  (select u.shop_id, u.unit_id from entry e
    join unit u on u.grade_id = e.id and u.catalog_position < e.position
    left join shop_grade g on g.shop_id = u.shop_id and g.grade_id = e.id
    where e.kind = 'grade' and u.catalog_position < coalesce(g.position, e.position) limit $4)
  limit $4`,
);

/**
 * Renders the units whose catalog entries have changed, and assigns them new feed positions. The
 * progress is stored, so a crash loses nothing. Only one process at a time does the work; calls in
 * other processes return immediately.
 *
 * @param signal stops the work between two transactions; the next call continues
 */
export async function rerenderUnits(
  db: Database,
  clock: Clock,
  signal?: AbortSignal,
): Promise<number> {
  // First complete an interrupted rename, because it adds catalog changes.
  await recordEntriesOfRenamedGames(db, signal);
  if (!(await isBehind(db))) return 0;
  let total = 0;
  for (let turn = 0; turn < RERENDER_TRANSACTIONS_MAX && signal?.aborted !== true; turn++) {
    const rerendered = await db.transaction(async (tx) => await rerenderBatch(tx, clock.now()));
    if (rerendered === null) break;
    total += rerendered;
  }
  return total;
}

/** Renders everything, or waits while another process does. False if aborted or after a minute. */
export async function finishRerendering(
  db: Database,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  for (let turn = 0; turn < WAITS_MAX && !signal.aborted; turn++) {
    await rerenderUnits(db, clock, signal);
    if (!(await isBehind(db))) return true;
    await pause(WAIT_INTERVAL_MS);
  }
  return false;
}

async function isBehind(db: Database): Promise<boolean> {
  return (await db.one(hasUnrenderedChanges))?.isBehind === true;
}

/** Renders one batch in a transaction. Returns null if nothing is left to do. */
async function rerenderBatch(tx: Transaction, now: Date): Promise<number | null> {
  // All writers of units lock the catalog first.
  await lockCatalogShared(tx);
  const claimed = await tx.one(claimRerender);
  if (claimed === undefined) return null;
  const changes = await readCatalogChanges(tx, claimed.position, RERENDER_CHANGES);
  const last = changes.at(-1);
  if (last === undefined) return null;
  const stale = await readStaleUnits(tx, changes);
  const shopId = stale[0]?.shopId;
  if (shopId === undefined) {
    await tx.query(advanceRerender, [last.position]);
    return 0;
  }
  const ids = stale.filter((unit) => unit.shopId === shopId).map((unit) => unit.id);
  const rows = await lockUnits(tx, shopId, ids);
  await rerenderUnitRows(tx, shopId, [...rows.values()], now);
  return rows.size;
}

async function readStaleUnits(
  tx: Transaction,
  changes: readonly CatalogChange[],
): Promise<{ shopId: string; id: string }[]> {
  return await tx.query(selectStaleUnits, [
    changes.map((change) => change.entryKind),
    changes.map((change) => change.entryId),
    changes.map((change) => change.position),
    RERENDER_UNITS,
  ]);
}
