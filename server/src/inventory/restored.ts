import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

// An epoch is at least the second in which it began: a backup that is restored twice must not begin the same epoch
// twice, or cursors of the lost time would pass for current ones.
export const raiseEpochs = statement(
  'raise_epochs',
  `insert into feed_head (shop_id, epoch, seq, changed_at)
  select shop_id, $2::bigint, 0, $1 from shop
  on conflict (shop_id) do update
    set epoch = greatest(feed_head.epoch + 1, excluded.epoch),
      changed_at = greatest(feed_head.changed_at, excluded.changed_at)`,
);

/**
 * Begins a new epoch for every shop, because the database was restored from a backup: every cursor answers 410 from now
 * on, and readers start again (decision 0004).
 *
 * @returns how many shops there are
 */
export async function beginNewEpoch(tx: Transaction, now: Date): Promise<number> {
  return await tx.count(raiseEpochs, [now, Math.floor(now.getTime() / 1_000)]);
}
