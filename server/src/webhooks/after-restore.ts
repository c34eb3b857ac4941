import { announceSoon } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

// Ordered by id, like every batch of webhooks, to avoid deadlocks. A Retry-After and the minimum
// interval still apply.
export const bringAllWebhooksForward = statement(
  'bring_all_webhooks_forward',
  `with waiting as materialized (
     select shop_id, connection_id from webhook
      where removed_at is null and next_attempt_at > $1
      order by shop_id, connection_id for update
   )
   update webhook w
      set early_at = greatest($1, w.not_before), is_early = false
     from waiting
    where (w.shop_id, w.connection_id) = (waiting.shop_id, waiting.connection_id)`,
);

/** Woken individually; the workers' poll finds the others. */
const WOKEN_SHOPS_MAX = 10_000;

export const listShopsWithWebhooks = statement<{ readonly shopId: string }>(
  'list_shops_with_webhooks',
  `select distinct shop_id as "shopId" from webhook where removed_at is null limit $1`,
);

/**
 * Makes every webhook due after a restore from a backup: retries are brought forward, and the epoch
 * that the caller starts next in this transaction makes the others due. A failure does not advance
 * the retry schedule, and `Retry-After` is still honored (decision 0105).
 */
export async function makeWebhooksDue(tx: Transaction, now: Date): Promise<void> {
  await tx.query(bringAllWebhooksForward, [now]);
  for (const { shopId } of await tx.query(listShopsWithWebhooks, [WOKEN_SHOPS_MAX])) {
    announceSoon(tx, 'webhooks', shopId);
  }
}
