import { announceSoon } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

// In the order of their ids, as every batch of webhooks. A Retry-After still holds, as the pace between two notices does.
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

/** Shops whose workers are woken by name; those beyond are found by the workers' own look. */
const WOKEN_SHOPS_MAX = 10_000;

export const listShopsWithWebhooks = statement<{ readonly shopId: string }>(
  'list_shops_with_webhooks',
  `select distinct shop_id as "shopId" from webhook where removed_at is null limit $1`,
);

/**
 * Makes every webhook due, because the database was restored from a backup: a retry that waits comes at once, and the new
 * epoch, which the caller begins after this in the same transaction, makes the others due. A failure takes no step on the
 * table of retries, and `Retry-After` is still honoured (decision 0105).
 */
export async function makeWebhooksDue(tx: Transaction, now: Date): Promise<void> {
  await tx.query(bringAllWebhooksForward, [now]);
  for (const { shopId } of await tx.query(listShopsWithWebhooks, [WOKEN_SHOPS_MAX])) {
    announceSoon(tx, 'webhooks', shopId);
  }
}
