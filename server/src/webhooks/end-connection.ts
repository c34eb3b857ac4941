import { findApp } from '../apps/app.ts';
import { newId } from '../base/secrets.ts';
import { type ConnectionEnd, endConnectionById, removeApp } from '../connections/connection.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import { REMOVAL_ASSIGNMENTS, removeWebhook, selectWebhooksOfApp } from './registration.ts';

export async function endConnectionAndWebhook(
  tx: Transaction,
  shopId: string,
  connectionId: string,
  reason: ConnectionEnd,
  now: Date,
  by: Actor,
): Promise<'ended' | 'ended_before' | 'not_found'> {
  const ended = await endConnectionById(tx, shopId, connectionId, reason, now, by);
  if (ended === 'ended') await removeWebhook(tx, shopId, connectionId, 'connection_ended', now);
  return ended;
}

export async function removeAppAndWebhooks(
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

/** The numbers of objects that end when an app is removed. */
export interface RemovalEffects {
  readonly connections: number;
  readonly approvals: number;
  readonly webhooks: number;
}

export const selectRemovalEffects = statement<RemovalEffects>(
  'select_removal_effects',
  `select
     (select count(*)::int from connection where shop_id = $1 and client_id = $2 and status = 'active') as connections,
     (select count(*)::int from approval where shop_id = $1 and client_id = $2 and ended_at is null) as approvals,
     (select count(*)::int from webhook join connection using (shop_id, connection_id)
       where shop_id = $1 and client_id = $2 and removed_at is null) as webhooks`,
);

export async function findRemovalEffects(
  db: Queryable,
  shopId: string,
  clientId: string,
): Promise<RemovalEffects> {
  const effects = await db.one(selectRemovalEffects, [shopId, clientId]);
  if (effects === undefined) throw new Error('counts are one row');
  return effects;
}

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

const BATCH_ROWS = 500;

/**
 * Removes the webhooks of connections that ended without `endConnectionAndWebhook`. They get no
 * events any longer; this deletes their secrets within about a minute. Returns how many it removed.
 */
export async function removeEndedWebhooks(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const ended = await db.query(findWebhooksOfEndedConnections, [BATCH_ROWS]);
    let count = 0;
    for (const { shopId, connectionId } of ended) {
      const values = [now, 'connection_ended', newId(), shopId, connectionId];
      count += await db.count(removeWebhookOfEndedConnection, values);
    }
    removed += count;
    if (count < BATCH_ROWS) break;
  }
  return removed;
}

export const findWebhooksOfEndedConnections = statement<{
  readonly shopId: string;
  readonly connectionId: string;
}>(
  'find_webhooks_of_ended',
  `select w.shop_id as "shopId", w.connection_id as "connectionId"
     from webhook w
     join connection c on c.shop_id = w.shop_id and c.connection_id = w.connection_id
    where w.removed_at is null and c.status <> 'active'
    order by w.shop_id, w.connection_id limit $1`,
);

// A locked row is left for the next run.
export const removeWebhookOfEndedConnection = statement(
  'remove_webhook_of_ended',
  `update webhook
      set ${REMOVAL_ASSIGNMENTS}
     from (
       select connection_id from webhook
        where shop_id = $4 and connection_id = $5 and removed_at is null
          for update skip locked
     ) ended
    where webhook.shop_id = $4 and webhook.connection_id = ended.connection_id`,
);
