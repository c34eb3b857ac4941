import { findTextFault } from '../base/plain-text.ts';
import { hashSecret, newId, newSecret } from '../base/secrets.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { hotRead, statement } from '../database/statement.ts';
import { type Actor, recordAudit } from './audit.ts';

/** A key of the Shop API as its shop lists it: never the key itself. */
export interface ShopKey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** To the minute; null when it was never used. */
  readonly lastUsedAt: Date | null;
}

export type CreateShopKeyResult =
  | { readonly kind: 'created'; readonly id: string; readonly key: string }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'invalid'; readonly reason: string };

/** The shop that a key stands for. */
export interface KeyHolder {
  readonly shopId: string;
  readonly keyId: string;
  /** The shop's currency, ISO 4217. */
  readonly currency: string;
}

/** A shop has a few systems; more keys than this are forgotten ones. */
const KEYS_PER_SHOP_MAX = 50;
const NAME_CODE_POINTS_MAX = 200;
/** The last use is recorded at most this often, so that a busy key costs no write a call. */
const LAST_USE_STEP_MS = 60_000;

/** Creates a key of a shop. The key (`csk_…`) is in this answer only; its SHA-256 is stored. */
export async function createShopKey(
  tx: Transaction,
  shopId: string,
  name: string,
  now: Date,
  by: Actor,
): Promise<CreateShopKeyResult> {
  const reason = name === '' ? null : findTextFault('name', name, NAME_CODE_POINTS_MAX);
  if (reason !== null) return { kind: 'invalid', reason };
  const key = newSecret('csk');
  const id = newId();
  const values = [shopId, id, name, hashSecret(key), now, KEYS_PER_SHOP_MAX];
  const created = await tx.count(insertShopKey, values);
  if (created === 0) return { kind: 'too_many' };
  const subject = { kind: 'shop_key', id, name } as const;
  await recordAudit(tx, shopId, by, { action: 'shop_key.created', subject }, now);
  return { kind: 'created', id, key };
}

/** The keys of a shop, oldest first. */
export async function listShopKeys(db: Queryable, shopId: string): Promise<ShopKey[]> {
  return await db.query(selectShopKeys, [shopId, KEYS_PER_SHOP_MAX]);
}

/** Removes a key: the next call with it is refused. False when the shop has no such key. */
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
 * The shop that a key stands for, or undefined. That it was used is recorded at most once a minute, beside the request:
 * when that fails, the next call tries again.
 */
export async function findShopKey(
  db: Database,
  key: string,
  now: Date,
): Promise<KeyHolder | undefined> {
  const row = await db.one(selectShopKeyByHash, [hashSecret(key)]);
  if (row === undefined) return undefined;
  const { lastUsedAt, ...holder } = row;
  const isStepOver =
    lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= LAST_USE_STEP_MS;
  if (isStepOver) {
    const before = new Date(now.getTime() - LAST_USE_STEP_MS);
    db.count(recordShopKeyUse, [holder.shopId, holder.keyId, now, before]).catch(() => {
      // A database that is away or busy is told of by what the request itself asks of it.
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

export const selectShopKeyByHash = hotRead<KeyHolder & { readonly lastUsedAt: Date | null }>(
  'select_shop_key_by_hash',
  `select k.shop_id as "shopId", k.key_id as "keyId", s.currency, k.last_used_at as "lastUsedAt"
     from shop_key k join shop s on s.shop_id = k.shop_id where k.key_hash = $1`,
);

export const recordShopKeyUse = statement(
  'record_shop_key_use',
  // Of many calls at once one records it; the others neither wait for it nor write again.
  `update shop_key set last_used_at = $3
    where (shop_id, key_id) in (
      select shop_id, key_id from shop_key
       where shop_id = $1 and key_id = $2 and (last_used_at is null or last_used_at <= $4)
         for no key update skip locked)`,
);
