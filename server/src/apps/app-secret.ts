import { hashSecret, newId, newSecret } from '../base/secrets.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import { insertAppSecret, recordAppAudit } from './app.ts';

/** A secret's id and age. It never includes the secret or its hash. */
export interface AppSecret {
  readonly id: string;
  readonly createdAt: Date;
}

/** One in use and its replacement (decision 0007). With more, forgotten ones would stay valid. */
const SECRETS_MAX = 2;

export type AddAppSecretResult =
  | { readonly kind: 'added'; readonly secretId: string; readonly secret: string }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'unknown' };

/**
 * Adds a second secret for a rotation. Both secrets are valid until one of them is removed. The new
 * secret (`cps_…`) appears only in this result; its SHA-256 is stored.
 */
export async function addAppSecret(
  tx: Transaction,
  shopId: string,
  clientId: string,
  now: Date,
  by: Actor,
): Promise<AddAppSecretResult> {
  const app = await tx.one(lockAppForSecrets, [shopId, clientId]);
  if (app === undefined) return { kind: 'unknown' };
  const live = await tx.query(selectAppSecrets, [shopId, clientId, SECRETS_MAX]);
  if (live.length >= SECRETS_MAX) return { kind: 'too_many' };
  const secret = newSecret('cps');
  const secretId = newId();
  await tx.count(insertAppSecret, [shopId, clientId, secretId, hashSecret(secret), now]);
  const event = { action: 'app.secret_added', details: { secret: secretId } } as const;
  await recordAppAudit(tx, { shopId, clientId, name: app.name }, by, event, now);
  return { kind: 'added', secretId, secret };
}

/** After `removed`, the secret is not accepted any more. Tokens issued with it stay valid. */
export type RemoveAppSecretResult = 'removed' | 'last' | 'unknown';

/** Removes a secret, except the last one: without a secret the app could not refresh its tokens. */
export async function removeAppSecret(
  tx: Transaction,
  shopId: string,
  clientId: string,
  secretId: string,
  now: Date,
  by: Actor,
): Promise<RemoveAppSecretResult> {
  const app = await tx.one(lockAppForSecrets, [shopId, clientId]);
  if (app === undefined) return 'unknown';
  const live = await tx.query(selectAppSecrets, [shopId, clientId, SECRETS_MAX]);
  if (!live.some(({ id }) => id === secretId)) return 'unknown';
  if (live.length === 1) return 'last';
  await tx.count(deleteAppSecret, [shopId, clientId, secretId]);
  const event = { action: 'app.secret_removed', details: { secret: secretId } } as const;
  await recordAppAudit(tx, { shopId, clientId, name: app.name }, by, event, now);
  return 'removed';
}

export async function listAppSecrets(
  db: Queryable,
  shopId: string,
  clientId: string,
): Promise<AppSecret[]> {
  return await db.query(selectAppSecrets, [shopId, clientId, SECRETS_MAX]);
}

/** Locks the app's row, so that concurrent additions never exceed the limit. */
export const lockAppForSecrets = statement<{ readonly name: string }>(
  'lock_app_for_secrets',
  `select name from app
    where shop_id = $1 and client_id = $2 and removed_at is null
      for no key update`,
);

export const selectAppSecrets = statement<AppSecret>(
  'select_app_secrets',
  `select secret_id as id, created_at as "createdAt" from app_secret
    where shop_id = $1 and client_id = $2
    order by created_at desc, secret_id limit $3`,
);

export const deleteAppSecret = statement(
  'delete_app_secret',
  `delete from app_secret where shop_id = $1 and client_id = $2 and secret_id = $3`,
);
