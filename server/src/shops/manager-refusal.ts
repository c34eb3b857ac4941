import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from './audit.ts';
import type { Permission } from './permission.ts';

export type ManagerRefusal =
  | { readonly kind: 'not_allowed' }
  | { readonly kind: 'not_held'; readonly missing: readonly Permission[] };

/**
 * A member gives and takes only permissions that they hold, by whatever way (decision 0214). Returns
 * why `by` may not. Until the commit, the permissions of the shop's managers do not change.
 */
export async function findManagerRefusal(
  tx: Transaction,
  shopId: string,
  permissions: readonly Permission[],
  by: Actor,
): Promise<ManagerRefusal | undefined> {
  if (by.kind !== 'member') return undefined;
  const managers = await tx.query(lockManagers, [shopId]);
  const held = managers.find(({ accountId }) => accountId === by.accountId)?.permissions;
  if (held === undefined) return { kind: 'not_allowed' };
  const missing = permissions.filter((each) => !held.includes(each));
  return missing.length > 0 ? { kind: 'not_held', missing } : undefined;
}

export const lockManagers = statement<{
  readonly accountId: string;
  readonly permissions: Permission[];
}>(
  'lock_managers',
  // The rows are always locked in the same order, and are read again after a wait.
  `select account_id as "accountId", permissions from member
    where shop_id = $1 and is_active and 'members.manage' = any(permissions)
    order by account_id
      for no key update`,
);
