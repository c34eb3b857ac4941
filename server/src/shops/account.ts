import { newId } from '../base/secrets.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** A person, known to the whole service. The wire shows an approving member's account as `user`. */
export interface Account {
  readonly id: string;
  /** Unique whatever its case; kept as it was typed first. */
  readonly email: string;
  readonly name: string;
}

/** An account with what its password is checked against. */
export interface AccountWithPassword extends Account {
  readonly passwordHash: string;
}

/** The account of an e-mail address, whatever its case, or undefined. */
export async function findAccountByEmail(
  db: Queryable,
  email: string,
): Promise<AccountWithPassword | undefined> {
  return await db.one(selectAccountByEmail, [email]);
}

/** The account of an id, or undefined. */
export async function findAccount(db: Queryable, id: string): Promise<Account | undefined> {
  return await db.one(selectAccount, [id]);
}

/** Creates the account of an e-mail address; undefined when another transaction was first. */
export async function createAccount(
  tx: Transaction,
  account: Omit<AccountWithPassword, 'id'>,
  now: Date,
): Promise<Account | undefined> {
  const values = [newId(), account.email, account.name, account.passwordHash, now];
  return await tx.one(insertAccount, values);
}

export const selectAccountByEmail = statement<AccountWithPassword>(
  'select_account_by_email',
  `select account_id as id, email, name, password_hash as "passwordHash"
     from account where lower(email) = lower($1)`,
);

export const selectAccount = statement<Account>(
  'select_account',
  `select account_id as id, email, name from account where account_id = $1`,
);

export const insertAccount = statement<Account>(
  'insert_account',
  `insert into account (account_id, email, name, password_hash, created_at) values ($1, $2, $3, $4, $5)
   on conflict (lower(email)) do nothing
   returning account_id as id, email, name`,
);
