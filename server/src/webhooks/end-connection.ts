import { findApp } from '../apps/app.ts';
import { type ConnectionEnd, endConnectionOfId, removeApp } from '../connections/connection.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import { removeWebhook } from './registration.ts';

/**
 * Ends one connection by its id as `endConnectionOfId` does, and its webhook with it: the signing secrets are gone when the
 * transaction is committed.
 */
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

/** Removes an app of a shop as `removeApp` does, and its webhook with its connection. False when there was none to remove. */
export async function removeAppAndWebhook(
  tx: Transaction,
  clientId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const isRemoved = await removeApp(tx, clientId, now, by);
  const app = isRemoved ? await findApp(tx, clientId) : undefined;
  if (app !== undefined) await tx.count(removeWebhooksOfApp, [app.shopId, clientId, now]);
  return isRemoved;
}

// One at most: those of connections that ended before went with them, or go with the next run of the clean-up.
export const removeWebhooksOfApp = statement(
  'remove_webhooks_of_app',
  `update webhook
      set registration_id = gen_random_uuid(), removed_at = $3, removal_reason = 'connection_ended',
          secret_sealed = null, secret_key_id = null,
          previous_sealed = null, previous_key_id = null, previous_until = null,
          event_id = null, covers_epoch = null, covers_seq = null, occurred_at = null, attempt = 0, early_at = null
     from connection
    where connection.shop_id = $1 and connection.client_id = $2 and connection.status <> 'active'
      and webhook.shop_id = connection.shop_id and webhook.connection_id = connection.connection_id
      and webhook.removed_at is null`,
);
