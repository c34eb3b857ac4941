import { findNameProblem } from '../base/plain-text.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, type AuditAction, type AuditDetails, recordAudit } from './audit.ts';
import type { Shop } from './shop.ts';

/** Returns why the name is invalid. The slug stays, because URLs, apps and mails contain it. */
export async function renameShop(
  tx: Transaction,
  shop: Shop,
  name: string,
  now: Date,
  by: Actor,
): Promise<{ readonly reason: string } | undefined> {
  const reason = findNameProblem(name);
  if (reason !== null) return { reason };
  if ((await tx.count(updateShopName, [shop.id, name])) === 0) return undefined;
  const details = { before: shop.name, after: name };
  await recordShopChange(tx, { ...shop, name }, { action: 'shop.renamed', details }, now, by);
  return undefined;
}

/**
 * Closes the shop for members, Shop API keys and new approvals. Returns false if it was already
 * closed. `closeShop` also ends the access of apps.
 */
export async function markShopClosed(
  tx: Transaction,
  shop: Shop,
  now: Date,
  by: Actor,
): Promise<boolean> {
  if ((await tx.count(updateShopClosed, [shop.id, now])) === 0) return false;
  await recordShopChange(tx, shop, { action: 'shop.closed' }, now, by);
  return true;
}

/** Members and keys work again, but apps need new approvals. False if it was already open. */
export async function reopenShop(
  tx: Transaction,
  shop: Shop,
  now: Date,
  by: Actor,
): Promise<boolean> {
  if ((await tx.count(updateShopReopened, [shop.id])) === 0) return false;
  await recordShopChange(tx, shop, { action: 'shop.reopened' }, now, by);
  return true;
}

/** The shop cannot be closed until the transaction ends. False if it is already closed. */
export async function lockOpenShop(tx: Transaction, shopId: string): Promise<boolean> {
  return (await tx.one(lockShopIfOpen, [shopId])) !== undefined;
}

async function recordShopChange(
  tx: Transaction,
  { id, name }: Shop,
  event: { readonly action: AuditAction; readonly details?: AuditDetails },
  now: Date,
  by: Actor,
): Promise<void> {
  await announce(tx, 'access', id);
  await recordAudit(tx, id, by, { ...event, subject: { kind: 'shop', id, name } }, now);
}

export const updateShopName = statement(
  'update_shop_name',
  `update shop set name = $2 where shop_id = $1 and name <> $2`,
);

export const updateShopClosed = statement(
  'update_shop_closed',
  `update shop set closed_at = $2 where shop_id = $1 and closed_at is null`,
);

export const updateShopReopened = statement(
  'update_shop_reopened',
  `update shop set closed_at = null where shop_id = $1 and closed_at is not null`,
);

export const lockShopIfOpen = statement<{ readonly id: string }>(
  'lock_shop_if_open',
  `select shop_id as id from shop where shop_id = $1 and closed_at is null for share`,
);
