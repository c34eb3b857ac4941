import { type App, setRedirectUris } from '../apps/app.ts';
import { newId } from '../base/secrets.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import { recordRemoval } from './registration.ts';
import { originOf } from './webhook-url.ts';

export type ChangeRedirectUrisResult =
  | {
      readonly kind: 'changed';
      readonly app: App;
      /** The URL of the webhook that went along, or null. */
      readonly removedWebhookUrl: string | null;
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unknown' };

/**
 * Replaces the redirect URIs of an app. The webhook of an origin that is no longer among theirs is removed with them
 * (reason `redirect_uri`; decision 0100), also while the app is disabled.
 */
export async function changeRedirectUris(
  tx: Transaction,
  clientId: string,
  redirectUris: readonly string[],
  now: Date,
  by: Actor,
): Promise<ChangeRedirectUrisResult> {
  // The app's row first: a webhook that is being put holds it, and is seen below, or waits and finds the new ones.
  const set = await setRedirectUris(tx, clientId, redirectUris, now, by);
  if (set.kind !== 'set') return set;
  const { app } = set;
  const origins = [...new Set(app.redirectUris.map(originOf))];
  const { shopId } = app;
  const removed = await tx.one(removeLostWebhook, [shopId, clientId, origins, newId(), now]);
  if (removed !== undefined) {
    const lost = { ...removed, clientId, reason: 'redirect_uri' } as const;
    await recordRemoval(tx, shopId, lost, by, now);
  }
  return { kind: 'changed', app, removedWebhookUrl: removed?.url ?? null };
}

/**
 * The URL of the app's webhook that would be removed if its redirect URIs were these, or null: for a warning beforehand.
 * Every one of `redirectUris` must be one that `findRedirectUriFault` lets pass.
 */
export async function findWebhookLostBy(
  db: Queryable,
  shopId: string,
  clientId: string,
  redirectUris: readonly string[],
): Promise<string | null> {
  const origins = [...new Set(redirectUris.map(originOf))];
  const lost = await db.one(selectLostWebhook, [shopId, clientId, origins]);
  return lost?.url ?? null;
}

export const selectLostWebhook = statement<{ readonly url: string }>(
  'select_lost_webhook',
  `select w.url
     from connection c
     join webhook w on w.shop_id = c.shop_id and w.connection_id = c.connection_id
    where c.shop_id = $1 and c.client_id = $2 and c.status = 'active'
      and w.removed_at is null and w.origin <> all($3::text[])`,
);

// At most one row: an app has one active connection.
export const removeLostWebhook = statement<{
  readonly url: string;
  readonly connectionId: string;
}>(
  'remove_lost_webhook',
  `update webhook
      set registration_id = $4, removed_at = $5, removal_reason = 'redirect_uri',
          secret_sealed = null, secret_key_id = null,
          previous_sealed = null, previous_key_id = null, previous_until = null,
          event_id = null, covers_epoch = null, covers_seq = null, occurred_at = null, attempt = 0, early_at = null
     from connection
    where webhook.shop_id = $1 and webhook.removed_at is null and webhook.origin <> all($3::text[])
      and connection.shop_id = webhook.shop_id and connection.connection_id = webhook.connection_id
      and connection.client_id = $2 and connection.status = 'active'
   returning webhook.url, webhook.connection_id as "connectionId"`,
);
