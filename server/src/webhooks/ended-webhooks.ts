import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Webhooks a statement; it holds no row longer than a blink. */
const BATCH_ROWS = 500;

/**
 * Removes the webhooks of connections that have ended (reason `connection_ended`), their secrets with them. They were
 * never due any more: this is how the secrets go, within a minute or so. In batches, until `signal` says stop.
 *
 * @returns how many were removed
 */
export async function removeEndedWebhooks(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const count = await db.count(removeWebhooksOfEnded, [BATCH_ROWS, now]);
    removed += count;
    if (count < BATCH_ROWS) break;
  }
  return removed;
}

// A row that somebody holds is left for the next run.
export const removeWebhooksOfEnded = statement(
  'remove_webhooks_of_ended',
  `update webhook
      set registration_id = gen_random_uuid(), removed_at = $2, removal_reason = 'connection_ended',
          secret_sealed = null, secret_key_id = null,
          previous_sealed = null, previous_key_id = null, previous_until = null,
          event_id = null, covers_epoch = null, covers_seq = null, occurred_at = null, attempt = 0, early_at = null
     from (
       select webhook.shop_id, webhook.connection_id
         from webhook
         join connection on connection.shop_id = webhook.shop_id
          and connection.connection_id = webhook.connection_id
        where webhook.removed_at is null and connection.status <> 'active'
        order by 1, 2 limit $1
          for update of webhook skip locked
     ) ended
    where webhook.shop_id = ended.shop_id and webhook.connection_id = ended.connection_id`,
);
