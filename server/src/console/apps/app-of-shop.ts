import { type App, findApp } from '../../apps/app.ts';
import type { Queryable } from '../../database/database.ts';
import { listShopKeys, type ShopKey } from '../../shops/shop-key.ts';
import { findConnection, type ShownConnection } from '../../webhooks/shown-connection.ts';
import { uuidOf } from '../query.ts';
import type { Visit } from '../visit.ts';

/** The app named by the path; undefined when it is unknown, removed, or another shop's. */
export async function findAppOfVisit(db: Queryable, visit: Visit): Promise<App | undefined> {
  const app = await findApp(db, visit.params['clientId'] ?? '');
  if (app === undefined || app.shopId !== visit.shop.id || app.removedAt !== null) return undefined;
  return app;
}

/**
 * The connection named by the path, active or ended; undefined when it is unknown or another
 * shop's.
 */
export async function findConnectionOfVisit(
  db: Queryable,
  visit: Visit,
): Promise<ShownConnection | undefined> {
  const id = uuidOf(visit.params['id']);
  return id === null ? undefined : await findConnection(db, visit.shop.id, id, visit.now);
}

/** The API key named by the path, or undefined. A shop has at most 50. */
export async function findKeyOfVisit(
  db: Queryable,
  { shop, params }: Visit,
): Promise<ShopKey | undefined> {
  const keyId = uuidOf(params['keyId']);
  return (await listShopKeys(db, shop.id)).find(({ id }) => id === keyId);
}
