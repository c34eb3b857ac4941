import { announceSoon } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

// `not_before` holds a Retry-After and the minimum interval, which still apply.
export const bringAllWebhooksForward = statement(
  'bring_all_webhooks_forward',
  `update webhook set early_at = greatest($1, not_before), is_early = false
    where removed_at is null and next_attempt_at > $1`,
);

/** The maximum number of shops that are woken individually. The workers' poll finds the rest. */
const WOKEN_SHOPS_MAX = 10_000;

export const listShopsWithWebhooks = statement<{ readonly shopId: string }>(
  'list_shops_with_webhooks',
  `select distinct shop_id as "shopId" from webhook where removed_at is null limit $1`,
);

/**
 * Brings waiting retries forward. All other webhooks become due because of the new epoch, which the
 * caller starts in the same transaction. If a retry that was brought forward fails, the retry
 * schedule does not advance (decision 0105).
 */
export async function makeWebhooksDue(tx: Transaction, now: Date): Promise<void> {
  await tx.query(bringAllWebhooksForward, [now]);
  for (const { shopId } of await tx.query(listShopsWithWebhooks, [WOKEN_SHOPS_MAX])) {
    announceSoon(tx, 'webhooks', shopId);
  }
}
