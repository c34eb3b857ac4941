import { type App, findApp } from '../../apps/app.ts';
import type { Queryable } from '../../database/database.ts';
import { listShopKeys, type ShopKey } from '../../shops/shop-key.ts';
import { findConnection, type ConnectionDetails } from '../../webhooks/connection-details.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * Finds the app with the id from the path. Returns undefined if the app is unknown, removed, or
 * belongs to another shop.
 */
export async function findAppByPath(
  db: Queryable,
  context: RequestContext,
): Promise<App | undefined> {
  const app = await findApp(db, context.params['clientId'] ?? '');
  if (app === undefined || app.shopId !== context.shop.id || app.removedAt !== null) {
    return undefined;
  }
  return app;
}

/**
 * Finds the active or ended connection with the id from the path. Returns undefined if the
 * connection is unknown or belongs to another shop.
 */
export async function findConnectionByPath(
  db: Queryable,
  context: RequestContext,
): Promise<ConnectionDetails | undefined> {
  const id = parseUuid(context.params['id']);
  return id === null ? undefined : await findConnection(db, context.shop.id, id, context.now);
}

/** Finds the API key with the id from the path. A shop has at most 50 keys, so all are listed. */
export async function findKeyByPath(
  db: Queryable,
  { shop, params }: RequestContext,
): Promise<ShopKey | undefined> {
  const keyId = parseUuid(params['keyId']);
  return (await listShopKeys(db, shop.id)).find(({ id }) => id === keyId);
}
