import { findNameProblem } from '../base/plain-text.ts';
import { newId } from '../base/secrets.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, type AuditAction, recordAuditOfAccount } from './audit.ts';
import { endSessionsOfPasskey } from './session.ts';

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** True if the provider syncs the passkey to several devices, false if one device has it. */
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface PasskeyWithKey extends Passkey {
  readonly accountId: string;
  /** The credential's id in base64url, as in the browser's API. */
  readonly credentialId: string;
  /** The public key in COSE format (RFC 9052 §7). */
  readonly publicKey: Buffer;
  /** The last signature counter of the authenticator, or 0 if it does not count. */
  readonly signCount: number;
  /** Hints for the browser on how to reach the authenticator: `internal`, `usb`, `hybrid`, … */
  readonly transports: readonly string[];
}

export type NewPasskey = Pick<
  PasskeyWithKey,
  'name' | 'isSynced' | 'credentialId' | 'publicKey' | 'signCount' | 'transports'
>;

export type AddPasskeyResult =
  | { readonly kind: 'added'; readonly id: string }
  | { readonly kind: 'too_many' }
  /** The credential is already registered with this account or another account. */
  | { readonly kind: 'known' }
  | { readonly kind: 'invalid_name'; readonly reason: string };

const PASSKEYS_PER_ACCOUNT_MAX = 20;
/** The maximum length of a name. The schema has the same limit (0016_sign_in_ways.sql). */
const NAME_CODE_POINTS_MAX = 100;

export function findPasskeyNameProblem(name: string): string | null {
  return findNameProblem(name, NAME_CODE_POINTS_MAX);
}

export async function listPasskeys(
  db: Queryable,
  accountId: string,
): Promise<readonly PasskeyWithKey[]> {
  return await db.query(selectPasskeys, [accountId, PASSKEYS_PER_ACCOUNT_MAX]);
}

export async function findPasskey(
  db: Queryable,
  credentialId: string,
): Promise<PasskeyWithKey | undefined> {
  return await db.one(selectPasskey, [credentialId]);
}

/**
 * Adds a passkey after its key was verified. If two requests add the same passkey, the second gets
 * `known`.
 */
export async function addPasskey(
  tx: Transaction,
  accountId: string,
  passkey: NewPasskey,
  now: Date,
  by: Actor,
): Promise<AddPasskeyResult> {
  const reason = findPasskeyNameProblem(passkey.name);
  if (reason !== null) return { kind: 'invalid_name', reason };
  // Lock the account until the commit, so that concurrent additions count its passkeys correctly.
  await tx.one(lockAccount, [accountId]);
  const { passkeys } = (await tx.one(countPasskeys, [accountId])) ?? { passkeys: 0 };
  if (passkeys >= PASSKEYS_PER_ACCOUNT_MAX) return { kind: 'too_many' };
  const id = newId();
  const { credentialId, publicKey, signCount, transports, isSynced, name } = passkey;
  const key = [credentialId, publicKey, signCount, [...transports], isSynced];
  const added = await tx.count(insertPasskey, [accountId, id, ...key, name, now]);
  if (added === 0) return { kind: 'known' };
  await recordPasskeyAudit(tx, accountId, { action: 'account.passkey_added', name }, now, by);
  return { kind: 'added', id };
}

export type RenamePasskeyResult =
  | { readonly kind: 'renamed' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'invalid_name'; readonly reason: string };

export async function renamePasskey(
  tx: Transaction,
  accountId: string,
  passkeyId: string,
  name: string,
  now: Date,
  by: Actor,
): Promise<RenamePasskeyResult> {
  const reason = findPasskeyNameProblem(name);
  if (reason !== null) return { kind: 'invalid_name', reason };
  const renamed = await tx.count(updatePasskeyName, [accountId, passkeyId, name]);
  if (renamed === 0) return { kind: 'not_found' };
  await recordPasskeyAudit(tx, accountId, { action: 'account.passkey_renamed', name }, now, by);
  return { kind: 'renamed' };
}

/** Also ends the sessions that the passkey opened. False if the account has no such passkey. */
export async function removePasskey(
  tx: Transaction,
  accountId: string,
  passkeyId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const removed = await tx.one(deletePasskey, [accountId, passkeyId]);
  if (removed === undefined) return false;
  const event = { action: 'account.passkey_removed', name: removed.name } as const;
  await recordPasskeyAudit(tx, accountId, event, now, by);
  // The passkey's row is locked before its sessions end, so a concurrent sign-in has either stored
  // its session already or no longer finds the passkey.
  await endSessionsOfPasskey(tx, accountId, passkeyId, now, by);
  return true;
}

export async function removePasskeys(
  tx: Transaction,
  accountId: string,
  now: Date,
  by: Actor,
): Promise<number> {
  let removed = 0;
  for (const { id } of await listPasskeys(tx, accountId)) {
    if (await removePasskey(tx, accountId, id, now, by)) removed++;
  }
  return removed;
}

/**
 * Records a sign-in with a passkey. False if the passkey was removed concurrently, or if its
 * counter did not increase, because the passkey was copied or the same response was sent twice (Web
 * Authentication §6.1.1). Authenticators that do not count always send 0.
 */
export async function recordPasskeyUse(
  tx: Transaction,
  { accountId, id }: Pick<PasskeyWithKey, 'accountId' | 'id'>,
  signCount: number,
  now: Date,
): Promise<boolean> {
  return (await tx.count(updatePasskeyUse, [accountId, id, signCount, now])) > 0;
}

async function recordPasskeyAudit(
  tx: Transaction,
  accountId: string,
  { action, name }: { readonly action: AuditAction; readonly name: string },
  now: Date,
  by: Actor,
): Promise<void> {
  const subject = { kind: 'member', id: accountId, name: null } as const;
  await recordAuditOfAccount(tx, accountId, by, { action, subject, details: { name } }, now);
}

export const selectPasskeys = statement<PasskeyWithKey>(
  'select_passkeys',
  `select passkey_id as id, account_id as "accountId", credential_id as "credentialId",
          public_key as "publicKey", sign_count as "signCount", transports,
          is_synced as "isSynced", name, created_at as "createdAt", last_used_at as "lastUsedAt"
     from passkey where account_id = $1 order by created_at desc, passkey_id limit $2`,
);

export const selectPasskey = statement<PasskeyWithKey>(
  'select_passkey',
  `select passkey_id as id, account_id as "accountId", credential_id as "credentialId",
          public_key as "publicKey", sign_count as "signCount", transports,
          is_synced as "isSynced", name, created_at as "createdAt", last_used_at as "lastUsedAt"
     from passkey where credential_id = $1`,
);

export const lockAccount = statement<{ readonly id: string }>(
  'lock_account',
  `select account_id as id from account where account_id = $1 for no key update`,
);

export const countPasskeys = statement<{ readonly passkeys: number }>(
  'count_passkeys',
  `select count(*)::int as passkeys from passkey where account_id = $1`,
);

export const insertPasskey = statement(
  'insert_passkey',
  `insert into passkey
     (account_id, passkey_id, credential_id, public_key, sign_count, transports, is_synced, name,
      created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (credential_id) do nothing`,
);

export const updatePasskeyName = statement(
  'update_passkey_name',
  `update passkey set name = $3 where account_id = $1 and passkey_id = $2`,
);

export const deletePasskey = statement<{ readonly name: string }>(
  'delete_passkey',
  `delete from passkey where account_id = $1 and passkey_id = $2 returning name`,
);

export const updatePasskeyUse = statement(
  'update_passkey_use',
  `update passkey set sign_count = $3, last_used_at = $4
    where account_id = $1 and passkey_id = $2
      and (sign_count < $3 or (sign_count = 0 and $3 = 0))`,
);
