import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

// The epoch is at least the Unix time in seconds. Otherwise restoring one backup twice would start
// the same epoch twice, and cursors issued in between would still be accepted.
export const raiseEpochs = statement(
  'raise_epochs',
  `insert into feed_head (shop_id, epoch, seq, changed_at)
  select shop_id, $2::bigint, 0, $1 from shop
  on conflict (shop_id) do update
    set epoch = greatest(feed_head.epoch + 1, excluded.epoch),
      changed_at = greatest(feed_head.changed_at, excluded.changed_at)`,
);

/**
 * Starts a new epoch for every shop after a restore: every earlier cursor now gets 410, and clients
 * read from the beginning (decision 0004).
 *
 * @param lastEpoch an epoch that the new epochs must exceed, for a database that was replaced
 */
export async function startNewEpoch(tx: Transaction, now: Date, lastEpoch = 0): Promise<number> {
  return await tx.count(raiseEpochs, newEpochValues(now, lastEpoch));
}

export function newEpochValues(now: Date, lastEpoch = 0): readonly [Date, number] {
  return [now, Math.max(Math.floor(now.getTime() / 1_000), lastEpoch + 1)];
}

export const selectNewestEpoch = statement<{ readonly epoch: number }>(
  'select_newest_epoch',
  `select coalesce(max(epoch), 0)::float8 as epoch from feed_head`,
);

export async function findNewestEpoch(db: Queryable): Promise<number> {
  return (await db.one(selectNewestEpoch, []))?.epoch ?? 0;
}
