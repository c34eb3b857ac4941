import { listApps } from '../apps/app.ts';
import { endConnection } from '../connections/connection.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import { markShopClosed } from '../shops/change-shop.ts';
import type { Shop } from '../shops/shop.ts';
import { removeWebhooksOfApp } from './end-connection.ts';

/** The maximum number of apps that are read. No shop has this many. */
const APPS_MAX = 10_000;

/** The numbers of objects that end or stop working when the shop is closed. */
export interface ClosingEffects {
  readonly connections: number;
  readonly approvals: number;
  readonly webhooks: number;
  readonly keys: number;
  readonly members: number;
}

export async function findClosingEffects(db: Queryable, shopId: string): Promise<ClosingEffects> {
  const effects = await db.one(selectClosingEffects, [shopId]);
  if (effects === undefined) throw new Error('counts are one row');
  return effects;
}

/**
 * Closes a shop: connections (`shop_closed`), approvals and webhooks end, Shop API keys and members
 * are refused, and no app can be approved. The data stays. Returns false if it was already closed.
 */
export async function closeShop(
  tx: Transaction,
  shop: Shop,
  now: Date,
  by: Actor,
): Promise<boolean> {
  // Mark the shop first. An approval locks the shop, so a concurrent one is either found below or
  // refused.
  if (!(await markShopClosed(tx, shop, now, by))) return false;
  for (const { clientId } of await listApps(tx, shop.id, APPS_MAX)) {
    await endConnection(tx, shop.id, clientId, 'shop_closed', now, by);
    await removeWebhooksOfApp(tx, shop.id, clientId, now);
  }
  return true;
}

export const selectClosingEffects = statement<ClosingEffects>(
  'select_closing_effects',
  `select
     (select count(*)::int from connection where shop_id = $1 and status = 'active') as connections,
     (select count(*)::int from approval where shop_id = $1 and ended_at is null) as approvals,
     (select count(*)::int from webhook where shop_id = $1 and removed_at is null) as webhooks,
     (select count(*)::int from shop_key where shop_id = $1) as keys,
     (select count(*)::int from member where shop_id = $1 and is_active) as members`,
);
