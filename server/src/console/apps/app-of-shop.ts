import { type App, findApp } from '../../apps/app.ts';
import { isUuid } from '../../base/field.ts';
import type { Queryable } from '../../database/database.ts';
import { findConnection, type ShownConnection } from '../../webhooks/shown-connection.ts';
import type { Visit } from '../visit.ts';

/** The app that the path names, or undefined: unknown, removed, or another shop's. */
export async function findAppOfVisit(db: Queryable, visit: Visit): Promise<App | undefined> {
  const app = await findApp(db, visit.params['clientId'] ?? '');
  if (app === undefined || app.shopId !== visit.shop.id || app.removedAt !== null) return undefined;
  return app;
}

/** The connection that the path names, ended ones too, or undefined: unknown, or another shop's. */
export async function findConnectionOfVisit(
  db: Queryable,
  visit: Visit,
): Promise<ShownConnection | undefined> {
  const { id = '' } = visit.params;
  if (!isUuid(id)) return undefined;
  return await findConnection(db, visit.shop.id, id.toLowerCase(), visit.now);
}

/** The uuid of a query, or null. */
export function uuidOf(text: string | undefined): string | null {
  return text !== undefined && isUuid(text) ? text.toLowerCase() : null;
}
