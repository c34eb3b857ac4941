import { type App, setRedirectUris } from '../apps/app.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { Actor } from '../shops/audit.ts';
import { removeWebhook, selectWebhooksOfApp, type WebhookOfApp } from './registration.ts';
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
  const lost = await findLost(tx, app.shopId, clientId, app.redirectUris);
  if (lost !== undefined) {
    await removeWebhook(tx, app.shopId, lost.connectionId, 'redirect_uri', now, by);
  }
  return { kind: 'changed', app, removedWebhookUrl: lost?.url ?? null };
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
  return (await findLost(db, shopId, clientId, redirectUris))?.url ?? null;
}

async function findLost(
  db: Queryable,
  shopId: string,
  clientId: string,
  redirectUris: readonly string[],
): Promise<WebhookOfApp | undefined> {
  const origins = new Set(redirectUris.map(originOf));
  const webhooks = await db.query(selectWebhooksOfApp, [shopId, clientId]);
  return webhooks.find(({ isActive, origin }) => isActive && !origins.has(origin));
}
