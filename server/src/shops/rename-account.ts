import { findNameProblem } from '../base/plain-text.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, recordAuditOfAccount } from './audit.ts';

const SHOPS_NOTIFIED_MAX = 1_000;

export type RenameAccountResult =
  | { readonly kind: 'renamed' | 'unchanged' }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Apps show the name of the approving member, so the change is announced in each of the account's
 * shops. It is also recorded there, so that a member cannot pose as another member unnoticed.
 */
export async function renameAccount(
  tx: Transaction,
  accountId: string,
  name: string,
  now: Date,
  by: Actor,
): Promise<RenameAccountResult> {
  const reason = findNameProblem(name);
  if (reason !== null) return { kind: 'invalid', reason };
  const before = await tx.one(updateAccountName, [accountId, name]);
  if (before === undefined || before.name === name) return { kind: 'unchanged' };
  const subject = { kind: 'member', id: accountId, name } as const;
  const details = { before: before.name, after: name };
  await recordAuditOfAccount(
    tx,
    accountId,
    by,
    { action: 'account.renamed', subject, details },
    now,
  );
  const shops = await tx.query(selectShopsOfRenamedAccount, [accountId, SHOPS_NOTIFIED_MAX]);
  for (const { shopId } of shops) await announce(tx, 'access', shopId);
  return { kind: 'renamed' };
}

export const updateAccountName = statement<{ readonly name: string }>(
  'update_account_name',
  `with before as (
     select account_id, name from account where account_id = $1 for no key update)
   update account a set name = $2
     from before
    where a.account_id = before.account_id
   returning before.name`,
);

export const selectShopsOfRenamedAccount = statement<{ readonly shopId: string }>(
  'select_shops_to_tell',
  `select shop_id as "shopId" from member where account_id = $1 order by shop_id limit $2`,
);
