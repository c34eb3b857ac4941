import { findApp } from '../apps/app.ts';
import { type ConnectionEnd, endConnectionOfId, removeApp } from '../connections/connection.ts';
import type { Database, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import { REMOVAL, removeWebhook, selectWebhooksOfApp } from './registration.ts';

/** As `endConnectionOfId`, and removes the webhook, including the signing secrets. */
export async function endConnectionAndWebhook(
  tx: Transaction,
  shopId: string,
  connectionId: string,
  reason: ConnectionEnd,
  now: Date,
  by: Actor,
): Promise<'ended' | 'ended_before' | 'not_found'> {
  const ended = await endConnectionOfId(tx, shopId, connectionId, reason, now, by);
  if (ended === 'ended') await removeWebhook(tx, shopId, connectionId, 'connection_ended', now);
  return ended;
}

/** As `removeApp`, and removes the webhooks of its connections. False if there was no app. */
export async function removeAppAndWebhook(
  tx: Transaction,
  clientId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const isRemoved = await removeApp(tx, clientId, now, by);
  const app = isRemoved ? await findApp(tx, clientId) : undefined;
  if (app === undefined) return false;
  await removeWebhooksOfApp(tx, app.shopId, clientId, now);
  return true;
}

/** Of connections that have ended. */
export async function removeWebhooksOfApp(
  tx: Transaction,
  shopId: string,
  clientId: string,
  now: Date,
): Promise<void> {
  for (const { connectionId } of await tx.query(selectWebhooksOfApp, [shopId, clientId])) {
    await removeWebhook(tx, shopId, connectionId, 'connection_ended', now);
  }
}

/** Per statement: locks them only briefly. */
const BATCH_ROWS = 500;

/**
 * Removes the webhooks of connections that ended in other ways (reason `connection_ended`). They
 * have not been due since; this deletes their secrets within about a minute. Works in batches until
 * `signal` stops it. Returns how many were removed.
 */
export async function removeEndedWebhooks(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const count = await db.count(removeWebhooksOfEnded, [now, 'connection_ended', BATCH_ROWS]);
    removed += count;
    if (count < BATCH_ROWS) break;
  }
  return removed;
}

// Locked rows are left for the next run.
export const removeWebhooksOfEnded = statement(
  'remove_webhooks_of_ended',
  `update webhook
      set ${REMOVAL}
     from (
       select webhook.shop_id, webhook.connection_id
         from webhook
         join connection on connection.shop_id = webhook.shop_id
          and connection.connection_id = webhook.connection_id
        where webhook.removed_at is null and connection.status <> 'active'
        order by 1, 2 limit $3
          for update of webhook skip locked
     ) ended
    where webhook.shop_id = ended.shop_id and webhook.connection_id = ended.connection_id`,
);
