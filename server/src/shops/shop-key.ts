import { findNameProblem } from '../base/plain-text.ts';
import { hashSecret, newId, newSecretOfShop, shopOfSecret } from '../base/secrets.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { hotRead, statement } from '../database/statement.ts';
import { type Actor, recordAudit } from './audit.ts';

export interface ShopKey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** The time of the last use, precise to the minute, or null if the key was never used. */
  readonly lastUsedAt: Date | null;
}

export type CreateShopKeyResult =
  | { readonly kind: 'created'; readonly id: string; readonly key: string }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'invalid'; readonly reason: string };

export interface KeyHolder {
  readonly shopId: string;
  readonly keyId: string;
  /** The shop's default currency (ISO 4217). */
  readonly currency: string;
}

const KEYS_PER_SHOP_MAX = 50;
/** The last use is recorded at most this often, so that not every call writes. */
const LAST_USE_STEP_MS = 60_000;

/** Creates a Shop API key. The key (`csk_…`) appears only in this result; its SHA-256 is stored. */
export async function createShopKey(
  tx: Transaction,
  shopId: string,
  name: string,
  now: Date,
  by: Actor,
): Promise<CreateShopKeyResult> {
  const reason = name === '' ? null : findNameProblem(name);
  if (reason !== null) return { kind: 'invalid', reason };
  const key = newSecretOfShop('csk', shopId);
  const id = newId();
  const values = [shopId, id, name, hashSecret(key), now, KEYS_PER_SHOP_MAX];
  const created = await tx.count(insertShopKey, values);
  if (created === 0) return { kind: 'too_many' };
  const subject = { kind: 'shop_key', id, name } as const;
  await recordAudit(tx, shopId, by, { action: 'shop_key.created', subject }, now);
  return { kind: 'created', id, key };
}

export async function listShopKeys(db: Queryable, shopId: string): Promise<ShopKey[]> {
  return await db.query(selectShopKeys, [shopId, KEYS_PER_SHOP_MAX]);
}

/** The next call with the key is refused. False if the shop has no such key. */
export async function removeShopKey(
  tx: Transaction,
  shopId: string,
  keyId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const removed = await tx.one(deleteShopKey, [shopId, keyId]);
  if (removed === undefined) return false;
  const subject = { kind: 'shop_key', id: keyId, name: removed.name } as const;
  await recordAudit(tx, shopId, by, { action: 'shop_key.removed', subject }, now);
  return true;
}

/**
 * Finds the shop of a key. Undefined if the key is unknown or its shop is closed. Records the use
 * at most once a minute without delaying the request. If that fails, the next call tries again.
 */
export async function findShopKey(
  db: Database,
  key: string,
  now: Date,
): Promise<KeyHolder | undefined> {
  const hash = hashSecret(key);
  // Only keys of the emulator do not contain their shop.
  const shopId = shopOfSecret(key) ?? (await db.one(selectShopOfKey, [hash]))?.shopId;
  if (shopId === undefined) return undefined;
  const row = await db.one(selectShopKeyByHash, [shopId, hash]);
  if (row === undefined) return undefined;
  const { lastUsedAt, ...holder } = row;
  const isUseDue = lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= LAST_USE_STEP_MS;
  if (isUseDue) {
    const before = new Date(now.getTime() - LAST_USE_STEP_MS);
    db.count(recordShopKeyUse, [holder.shopId, holder.keyId, now, before]).catch(() => {
      // The failure is ignored, because the request's own queries report an unavailable database.
    });
  }
  return holder;
}

export const insertShopKey = statement(
  'insert_shop_key',
  `insert into shop_key (shop_id, key_id, name, key_hash, created_at)
   select $1::uuid, $2::uuid, $3::text, $4::text, $5::timestamptz
    where (select count(*) from shop_key where shop_id = $1) < $6`,
);

export const selectShopKeys = statement<ShopKey>(
  'select_shop_keys',
  `select key_id as id, name, created_at as "createdAt", last_used_at as "lastUsedAt"
     from shop_key where shop_id = $1 order by created_at, key_id limit $2`,
);

export const deleteShopKey = statement<{ readonly name: string }>(
  'delete_shop_key',
  `delete from shop_key where shop_id = $1 and key_id = $2 returning name`,
);

interface KeyRow extends KeyHolder {
  readonly lastUsedAt: Date | null;
}

export const selectShopKeyByHash = hotRead<KeyRow>(
  'select_shop_key_by_hash',
  `select k.shop_id as "shopId", k.key_id as "keyId", s.currency, k.last_used_at as "lastUsedAt"
     from shop_key k join shop s on s.shop_id = k.shop_id
    where k.shop_id = $1 and k.key_hash = $2 and s.closed_at is null`,
);

export const selectShopOfKey = statement<{ readonly shopId: string }>(
  'select_shop_of_key',
  `select shop_id as "shopId" from shop_key where key_hash = $1`,
);

export const recordShopKeyUse = statement(
  'record_shop_key_use',
  // Only one of several concurrent calls records the use. The others neither wait nor write.
  `update shop_key set last_used_at = $3
    where shop_id = $1 and key_id in (
      select key_id from shop_key
       where shop_id = $1 and key_id = $2 and (last_used_at is null or last_used_at <= $4)
         for no key update skip locked)`,
);
