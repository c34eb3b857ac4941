import { hashSecret, newSecret } from '../base/secrets.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

const LIFETIME_MS = 24 * 3_600_000;

export type IssueSetupCodeResult =
  /** There is a shop or an account, so the set-up page is closed. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'issued'; readonly code: string; readonly expiresAt: Date }
  /** An earlier start issued a code that is still valid. Only its hash is stored. */
  | { readonly kind: 'valid'; readonly expiresAt: Date };

export async function isSetupOpen(db: Queryable): Promise<boolean> {
  return (await db.one(selectHasShopOrAccount, []))?.isFound === false;
}

/** Issues no code while an earlier one is valid. All processes share one code. */
export async function issueSetupCode(db: Queryable, now: Date): Promise<IssueSetupCodeResult> {
  if (!(await isSetupOpen(db))) return { kind: 'closed' };
  const code = newSecret('cpo');
  const expiresAt = new Date(now.getTime() + LIFETIME_MS);
  const count = await db.count(upsertSetupCode, [hashSecret(code), expiresAt, now]);
  if (count === 1) return { kind: 'issued', code, expiresAt };
  const current = await db.one(selectSetupCode, []);
  return current === undefined ? { kind: 'closed' } : { kind: 'valid', ...current };
}

export async function isSetupCode(db: Queryable, code: string, now: Date): Promise<boolean> {
  return (await db.one(selectValidSetupCode, [hashSecret(code), now])) !== undefined;
}

/**
 * Consumes the set-up code. Returns false if it is invalid. Concurrent transactions that consume it
 * or create a shop run one after the other, because each deletes the code's row.
 */
export async function consumeSetupCode(tx: Transaction, code: string, now: Date): Promise<boolean> {
  return (await tx.count(deleteValidSetupCode, [hashSecret(code), now])) === 1;
}

/** Invalidates the set-up code. Call this before a shop is created in the same transaction. */
export async function endSetupCode(tx: Transaction): Promise<void> {
  await tx.query(deleteSetupCode, []);
}

export const selectHasShopOrAccount = statement<{ readonly isFound: boolean }>(
  'select_has_shop_or_account',
  `select exists (select from shop) or exists (select from account) as "isFound"`,
);

export const upsertSetupCode = statement(
  'upsert_setup_code',
  `insert into setup_code as c (slot, secret_hash, expires_at) values ('current', $1, $2)
   on conflict (slot) do update
     set secret_hash = excluded.secret_hash, expires_at = excluded.expires_at
   where c.expires_at <= $3`,
);

export const selectSetupCode = statement<{ readonly expiresAt: Date }>(
  'select_setup_code',
  `select expires_at as "expiresAt" from setup_code`,
);

export const selectValidSetupCode = statement<{ readonly expiresAt: Date }>(
  'select_valid_setup_code',
  `select expires_at as "expiresAt" from setup_code where secret_hash = $1 and expires_at > $2`,
);

export const deleteValidSetupCode = statement(
  'delete_valid_setup_code',
  `delete from setup_code where secret_hash = $1 and expires_at > $2`,
);

export const deleteSetupCode = statement('delete_setup_code', `delete from setup_code`);
