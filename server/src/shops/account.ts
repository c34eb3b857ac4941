import { newId } from '../base/secrets.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, recordAuditOfAccount } from './audit.ts';

/** The languages that a person may choose for pages and mails. */
export type AccountLanguage = 'en' | 'ja';

/** A person, known to the whole service. The wire shows an approving member's account as `user`. */
export interface Account {
  readonly id: string;
  /** Unique; kept in the form of `emailForm`. */
  readonly email: string;
  readonly name: string;
  /** Of pages and mails; null: what the browser asks for. */
  readonly language: AccountLanguage | null;
}

/** An account with what its password is checked against. */
export interface AccountWithPassword extends Account {
  readonly passwordHash: string;
}

/** Bound of the schema (0001_shops.sql), in code points. */
const EMAIL_CODE_POINTS_MAX = 254;

/**
 * The one form of an e-mail address, by which accounts are kept, looked up and throttled: without spaces around it, in
 * small letters and composed. Undefined when no account can have it. Made here and nowhere else, because every database
 * folds letters in its own way (`İ` is `i` to one and not to the other).
 */
export function emailForm(email: string): string | undefined {
  if (!email.isWellFormed() || email.includes('\0')) return undefined;
  const form = email.trim().toLowerCase().normalize('NFC');
  return Array.from(form).length > EMAIL_CODE_POINTS_MAX ? undefined : form;
}

/** The account of an e-mail address, whatever its case and the spaces around it, or undefined. */
export async function findAccountByEmail(
  db: Queryable,
  email: string,
): Promise<AccountWithPassword | undefined> {
  const form = emailForm(email);
  if (form === undefined) return undefined;
  const found = await db.one(selectAccountByEmail, [form]);
  // The index folds as the database does; what counts is that both are one address to us.
  return found !== undefined && emailForm(found.email) === form ? found : undefined;
}

/** The account of an id, or undefined. */
export async function findAccount(db: Queryable, id: string): Promise<Account | undefined> {
  return await db.one(selectAccount, [id]);
}

/** The account of an id with what its password is checked against, or undefined. */
export async function findAccountWithPassword(
  db: Queryable,
  id: string,
): Promise<AccountWithPassword | undefined> {
  return await db.one(selectAccountWithPassword, [id]);
}

/**
 * Creates the account of an e-mail address; undefined when another transaction was first.
 *
 * @throws Error when the address has no `emailForm`.
 */
export async function createAccount(
  tx: Transaction,
  account: Pick<AccountWithPassword, 'email' | 'name' | 'passwordHash'>,
  now: Date,
): Promise<Account | undefined> {
  const email = emailForm(account.email);
  if (email === undefined) throw new Error('no account can have this e-mail address');
  const values = [newId(), email, account.name, account.passwordHash, now];
  return await tx.one(insertAccount, values);
}

/**
 * Holds an account's row until the commit when its password is still the one of this hash; false when it was changed since
 * that was read. Whoever signs in or changes the password takes this row first, before counters and sessions.
 */
export async function holdPassword(
  tx: Transaction,
  accountId: string,
  passwordHash: string,
): Promise<boolean> {
  return (await tx.one(lockAccountOfPassword, [accountId, passwordHash])) !== undefined;
}

/** Replaces an account's password. Sessions are ended by whoever calls it: `endSessionsOf`. */
export async function setPasswordHash(
  tx: Transaction,
  accountId: string,
  passwordHash: string,
  now: Date,
  by: Actor,
): Promise<void> {
  await tx.query(updatePasswordHash, [accountId, passwordHash]);
  const subject = { kind: 'member', id: accountId, name: null } as const;
  const event = { action: 'account.password_changed', subject } as const;
  await recordAuditOfAccount(tx, accountId, by, event, now);
}

/** Sets the language of a person's pages and mails; null: what the browser asks for. */
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

export const updatePasswordHash = statement(
  'update_password_hash',
  `update account set password_hash = $2 where account_id = $1`,
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
  `insert into account (account_id, email, name, password_hash, created_at) values ($1, $2, $3, $4, $5)
   on conflict (lower(email)) do nothing
   returning account_id as id, email, name, language`,
);
