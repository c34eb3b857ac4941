import { newId } from '../base/secrets.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, type AuditAction, recordAuditOfAccount } from './audit.ts';

export type AccountLanguage = 'en' | 'ja';

/** A person, perhaps a member of several shops. The API shows an approving member as `user`. */
export interface Account {
  readonly id: string;
  /** Unique among accounts, in the form that `normalizeEmail` returns. */
  readonly email: string;
  readonly name: string;
  /** Null means that the browser's language is used. */
  readonly language: AccountLanguage | null;
}

export interface AccountWithPassword extends Account {
  readonly passwordHash: string;
}

/** The maximum length of an email address. The schema has the same limit (0001_shops.sql). */
const EMAIL_CODE_POINTS_MAX = 254;

/**
 * Returns the form of an email address that is used to store, look up and throttle accounts:
 * trimmed, lower case, NFC. Returns undefined if no account can have the address. The database does
 * not do this, because databases fold letters differently (some fold `İ` to `i`, others do not).
 */
export function normalizeEmail(email: string): string | undefined {
  if (!email.isWellFormed() || email.includes('\0')) return undefined;
  const normalized = email.trim().toLowerCase().normalize('NFC');
  return Array.from(normalized).length > EMAIL_CODE_POINTS_MAX ? undefined : normalized;
}

export async function findAccountByEmail(
  db: Queryable,
  email: string,
): Promise<AccountWithPassword | undefined> {
  const normalized = normalizeEmail(email);
  if (normalized === undefined) return undefined;
  const found = await db.one(selectAccountByEmail, [normalized]);
  // The index folds case as the database does, so compare the addresses again by our own rules.
  return found !== undefined && normalizeEmail(found.email) === normalized ? found : undefined;
}

export async function findAccount(db: Queryable, id: string): Promise<Account | undefined> {
  return await db.one(selectAccount, [id]);
}

export async function findAccountWithPassword(
  db: Queryable,
  id: string,
): Promise<AccountWithPassword | undefined> {
  return await db.one(selectAccountWithPassword, [id]);
}

/**
 * Returns undefined if the address is taken. Throws if `normalizeEmail` does not accept it.
 * `isEmailProved` is false if the person may not be the owner of the address (decision 0214).
 */
export async function createAccount(
  tx: Transaction,
  account: Omit<AccountWithPassword, 'id' | 'language'> & { readonly isEmailProved: boolean },
  now: Date,
): Promise<Account | undefined> {
  const email = normalizeEmail(account.email);
  if (email === undefined) throw new Error('this email address is not valid for an account');
  const { name, passwordHash, isEmailProved } = account;
  const values = [newId(), email, name, passwordHash, now, isEmailProved];
  return await tx.one(insertAccount, values);
}

/**
 * Locks an account's row until the commit. Returns false if the password has changed since its hash
 * was read. Sign-ins and password changes lock this row first, before counters and sessions.
 */
export async function lockUnchangedPassword(
  tx: Transaction,
  accountId: string,
  passwordHash: string,
): Promise<boolean> {
  return (await tx.one(lockAccountOfPassword, [accountId, passwordHash])) !== undefined;
}

/** Also voids the account's reset links. The caller must end the account's sessions. */
export async function setPasswordHash(
  tx: Transaction,
  accountId: string,
  passwordHash: string,
  now: Date,
  by: Actor,
  action: AuditAction = 'account.password_changed',
): Promise<void> {
  await tx.query(updatePasswordHash, [accountId, passwordHash]);
  await tx.query(deletePasswordResetsOfAccount, [accountId]);
  const subject = { kind: 'member', id: accountId, name: null } as const;
  const event = { action, subject } as const;
  await recordAuditOfAccount(tx, accountId, by, event, now);
}

export async function setAccountLanguage(
  db: Queryable,
  accountId: string,
  language: AccountLanguage | null,
): Promise<void> {
  await db.query(updateAccountLanguage, [accountId, language]);
}

export const updateAccountLanguage = statement(
  'update_account_language',
  `update account set language = $2 where account_id = $1`,
);

export const lockAccountOfPassword = statement<{ readonly id: string }>(
  'lock_account_of_password',
  `select account_id as id from account
    where account_id = $1 and password_hash = $2 for no key update`,
);

// Until the commit, no link that a manager saw can set the account's password (decision 0236).
export const lockProvedAccount = statement<{ readonly id: string }>(
  'lock_proved_account',
  `select account_id as id from account where account_id = $1 and is_email_proved for share`,
);

export const updatePasswordHash = statement(
  'update_password_hash',
  `update account set password_hash = $2 where account_id = $1`,
);

export const deletePasswordResetsOfAccount = statement(
  'delete_password_resets_of',
  `delete from password_reset where account_id = $1`,
);

export const selectAccountByEmail = statement<AccountWithPassword>(
  'select_account_by_email',
  `select account_id as id, email, name, language, password_hash as "passwordHash"
     from account where lower(email) = lower($1)`,
);

export const selectAccount = statement<Account>(
  'select_account',
  `select account_id as id, email, name, language from account where account_id = $1`,
);

export const selectAccountWithPassword = statement<AccountWithPassword>(
  'select_account_with_password',
  `select account_id as id, email, name, language, password_hash as "passwordHash"
     from account where account_id = $1`,
);

export const insertAccount = statement<Account>(
  'insert_account',
  `insert into account (account_id, email, name, password_hash, created_at, is_email_proved)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (lower(email)) do nothing
   returning account_id as id, email, name, language`,
);
