import { hashSecret, newSecret } from '../base/secrets.ts';
import { createCleaner } from '../database/cleaner.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import {
  type Account,
  type AccountWithPassword,
  findAccountWithPassword,
  setPasswordHash,
} from './account.ts';
import type { Actor, AuditAction } from './audit.ts';
import { findManagerRefusal, lockManagers, type ManagerRefusal } from './manager-refusal.ts';
import { findMember, recordMemberAudit, selectOtherMembership } from './member.ts';
import { lockAccount, removePasskeys } from './passkey.ts';
import { endSessionsOfAccount } from './session.ts';
import type { ThrottleResult } from './sign-in-throttle.ts';

/** Long enough for a slow mail server, short enough that a forgotten mail is harmless. */
export const RESET_MINUTES = 60;
const MINUTE_MS = 60_000;

/** A valid link, and the account whose password it sets. */
export interface PasswordReset extends Account {
  /**
   * The shop in which the link was shown to a manager, and the manager's account; both are null if
   * the link was mailed to the account's own address.
   */
  readonly shownIn: string | null;
  readonly shownTo: string | null;
}

export interface CreatedReset {
  /** `cpp_…`, with which anyone can set the password. Only its hash is stored. */
  readonly secret: string;
  readonly account: Account;
}

/** Creates a link for a mail to the account's own address. Earlier links stay valid. */
export async function createPasswordReset(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<string> {
  return await storeReset(db, accountId, null, now);
}

export type MemberResetResult =
  | ({ readonly kind: 'created' } & CreatedReset)
  | { readonly kind: 'not_found' }
  /** The member may hold permissions that the manager does not hold (decision 0236). */
  | ManagerRefusal
  /** The account also belongs to another shop, so its link can only be mailed (decision 0236). */
  | { readonly kind: 'elsewhere' }
  | Extract<ThrottleResult, { readonly kind: 'throttled' }>;

/**
 * If `isShown`, the manager sees the link; otherwise the caller mails it after the commit. `count`
 * limits the links; refusals are not counted.
 */
export async function createResetForMember(
  tx: Transaction,
  shopId: string,
  accountId: string,
  { isShown, count }: { readonly isShown: boolean; readonly count: () => Promise<ThrottleResult> },
  now: Date,
  by: Extract<Actor, { readonly kind: 'member' }>,
): Promise<MemberResetResult> {
  const refusal = await findResetRefusal(tx, shopId, accountId, by.accountId);
  if (refusal !== undefined) return refusal;
  if (isShown && (await isMemberElsewhere(tx, shopId, accountId))) return { kind: 'elsewhere' };
  const member = await findMember(tx, shopId, accountId);
  if (member === undefined) return { kind: 'not_found' };
  const counted = await count();
  if (counted.kind === 'throttled') return counted;
  const shown = isShown ? { shopId, accountId: by.accountId } : null;
  const secret = await storeReset(tx, accountId, shown, now);
  const action: AuditAction = isShown ? 'account.reset_link_shown' : 'account.reset_link_sent';
  await recordMemberAudit(tx, member, by, { action }, now);
  return { kind: 'created', secret, account: member.account };
}

/** Returns whether the account is a member of another shop, active or not. */
export async function isMemberElsewhere(
  db: Queryable,
  shopId: string,
  accountId: string,
): Promise<boolean> {
  return (await db.one(selectOtherMembership, [shopId, accountId, false])) !== undefined;
}

async function findResetRefusal(
  tx: Transaction,
  shopId: string,
  accountId: string,
  managerId: string,
): Promise<Exclude<MemberResetResult, { readonly kind: 'created' }> | undefined> {
  // Lock before the member is read, because only managers change permissions.
  await tx.query(lockManagers, [shopId]);
  const member = await findMember(tx, shopId, accountId);
  if (member?.isActive !== true) return { kind: 'not_found' };
  const by = { kind: 'member', accountId: managerId } as const;
  return await findManagerRefusal(tx, shopId, member.permissions, by);
}

async function storeReset(
  db: Queryable,
  accountId: string,
  shown: { readonly shopId: string; readonly accountId: string } | null,
  now: Date,
): Promise<string> {
  const secret = newSecret('cpp');
  const expiresAt = new Date(now.getTime() + RESET_MINUTES * MINUTE_MS);
  const shownTo = [shown?.shopId ?? null, shown?.accountId ?? null];
  await db.query(insertPasswordReset, [hashSecret(secret), accountId, ...shownTo, expiresAt]);
  return secret;
}

/** Undefined if the secret is unknown, expired or used, or the password has changed since. */
export async function findPasswordReset(
  db: Queryable,
  secret: string,
  now: Date,
): Promise<PasswordReset | undefined> {
  return await db.one(selectPasswordReset, [hashSecret(secret), now]);
}

export type UseResetResult =
  | {
      readonly kind: 'used';
      readonly account: AccountWithPassword;
      readonly removedPasskeys: number;
    }
  | { readonly kind: 'gone' };

/**
 * All links of the account stop working, its sessions end, and its passkeys are removed. A link
 * that was shown to a manager works only while that manager may still create such a link.
 */
export async function usePasswordReset(
  tx: Transaction,
  secret: string,
  passwordHash: string,
  now: Date,
): Promise<UseResetResult> {
  const reset = await findPasswordReset(tx, secret, now);
  if (reset === undefined) return { kind: 'gone' };
  const { id, shownIn, shownTo } = reset;
  if (shownIn !== null && shownTo !== null) {
    const refusal = await findResetRefusal(tx, shownIn, id, shownTo);
    if (refusal !== undefined) return { kind: 'gone' };
  }
  // The account's row is locked first, as in every sign-in and change of a password, and before the
  // other shops are read: a shop that adds the account locks it too.
  await tx.one(lockAccount, [id]);
  if (shownIn !== null && (await isMemberElsewhere(tx, shownIn, id))) return { kind: 'gone' };
  if ((await tx.count(deletePasswordReset, [hashSecret(secret)])) === 0) return { kind: 'gone' };
  const by = { kind: 'member', accountId: id } as const;
  const removedPasskeys = await replacePassword(tx, id, passwordHash, shownIn === null, now, by);
  const account = await findAccountWithPassword(tx, id);
  if (account === undefined) throw new Error('an account that was locked is not there');
  return { kind: 'used', account, removedPasskeys };
}

/**
 * Also ends the sessions and removes the passkeys, because someone who took over the account may
 * have added one. `isEmailProved` says whether the password is known to be set by the owner of the
 * address: a mail or the operator decides that, not a manager. Returns the number of removed
 * passkeys.
 */
export async function replacePassword(
  tx: Transaction,
  accountId: string,
  passwordHash: string,
  isEmailProved: boolean,
  now: Date,
  by: Actor,
): Promise<number> {
  const action = by.kind === 'member' ? 'account.password_reset' : 'account.password_changed';
  await setPasswordHash(tx, accountId, passwordHash, now, by, action);
  await tx.query(updateEmailProof, [accountId, isEmailProved]);
  const removed = await removePasskeys(tx, accountId, now, by);
  await endSessionsOfAccount(tx, accountId, now, by);
  return removed;
}

export const updateEmailProof = statement(
  'update_email_proof',
  `update account set is_email_proved = $2 where account_id = $1`,
);

export const insertPasswordReset = statement(
  'insert_password_reset',
  `insert into password_reset (secret_hash, account_id, shown_in, shown_to, expires_at)
   values ($1, $2, $3, $4, $5)`,
);

export const selectPasswordReset = statement<PasswordReset>(
  'select_password_reset',
  `select a.account_id as id, a.email, a.name, a.language,
          r.shown_in as "shownIn", r.shown_to as "shownTo"
     from password_reset r join account a on a.account_id = r.account_id
    where r.secret_hash = $1 and r.expires_at > $2`,
);

export const deletePasswordReset = statement(
  'delete_password_reset',
  `delete from password_reset where secret_hash = $1`,
);

export const deleteExpiredPasswordResets = statement(
  'delete_expired_password_resets',
  `delete from password_reset where secret_hash in (
     select secret_hash from password_reset
      where expires_at <= $1
      limit $2 for update skip locked)`,
);

export const cleanPasswordResets = createCleaner(deleteExpiredPasswordResets);
