import { type App, setRedirectUris } from '../apps/app.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { Actor } from '../shops/audit.ts';
import { removeWebhook, selectWebhooksOfApp, type WebhookOfApp } from './registration.ts';
import { originOf } from './webhook-url.ts';

export type ChangeRedirectUrisResult =
  | {
      readonly kind: 'changed';
      readonly app: App;
      readonly removedWebhookUrl: string | null;
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unknown' };

/**
 * Replaces the redirect URIs of an app, even a disabled one. Removes the app's webhook if no
 * redirect URI has the same origin any longer (reason `redirect_uri`; decision 0100).
 */
export async function changeRedirectUris(
  tx: Transaction,
  clientId: string,
  redirectUris: readonly string[],
  now: Date,
  by: Actor,
): Promise<ChangeRedirectUrisResult> {
  // Update the app's row first, because a concurrent PUT of a webhook locks it: either the new
  // webhook is visible below, or the PUT waits and sees the new URIs.
  const set = await setRedirectUris(tx, clientId, redirectUris, now, by);
  if (set.kind !== 'set') return set;
  const { app } = set;
  const uncovered = await findUncoveredWebhook(tx, app.shopId, clientId, app.redirectUris);
  if (uncovered !== undefined) {
    await removeWebhook(tx, app.shopId, uncovered.connectionId, 'redirect_uri', now, by);
  }
  return { kind: 'changed', app, removedWebhookUrl: uncovered?.url ?? null };
}

/** For a warning before a change. The URIs must have passed `describeRedirectUriProblem`. */
export async function findWebhookToRemove(
  db: Queryable,
  shopId: string,
  clientId: string,
  redirectUris: readonly string[],
): Promise<string | null> {
  return (await findUncoveredWebhook(db, shopId, clientId, redirectUris))?.url ?? null;
}

async function findUncoveredWebhook(
  db: Queryable,
  shopId: string,
  clientId: string,
  redirectUris: readonly string[],
): Promise<WebhookOfApp | undefined> {
  const origins = new Set(redirectUris.map(originOf));
  const webhooks = await db.query(selectWebhooksOfApp, [shopId, clientId]);
  return webhooks.find(({ isActive, origin }) => isActive && !origins.has(origin));
}
