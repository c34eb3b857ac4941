import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from './audit.ts';
import { findMember, type Member, type MemberChange, setMember } from './member.ts';
import { endSessionsOf } from './session.ts';

export type ChangeMemberResult =
  | { readonly kind: 'changed'; readonly member: Member }
  | { readonly kind: 'not_found' }
  /** It would leave the shop without an active member who may manage members: nobody could give it back but the operator. */
  | { readonly kind: 'last_manager' }
  /** Whoever changes it was deactivated, or lost `members.manage`, a moment ago. */
  | { readonly kind: 'not_allowed' };

/**
 * Changes a member for another one. The last active member with `members.manage` keeps both, also when several change
 * each other at once: changes of one shop's members take turns. The operator, who can mend everything, uses `setMember`.
 */
export async function changeMember(
  tx: Transaction,
  shopId: string,
  accountId: string,
  change: MemberChange,
  now: Date,
  by: Actor,
): Promise<ChangeMemberResult> {
  const managers = await tx.query(lockManagers, [shopId]);
  const isManager = (id: string): boolean => managers.some((manager) => manager.accountId === id);
  if (by.kind === 'member' && !isManager(by.accountId)) return { kind: 'not_allowed' };
  const before = await findMember(tx, shopId, accountId);
  if (before === undefined) return { kind: 'not_found' };
  const permissions = change.permissions ?? before.permissions;
  const staysManager =
    (change.isActive ?? before.isActive) && permissions.includes('members.manage');
  if (isManager(accountId) && !staysManager && managers.length === 1) {
    return { kind: 'last_manager' };
  }
  const member = await setMember(tx, shopId, accountId, change, now, by);
  if (member === undefined) throw new Error('a member that was found is not there');
  const isOut = before.isActive && !member.isActive;
  // Sessions are the account's: they stay where it is a member of another shop.
  if (isOut && !(await isMemberElsewhere(tx, shopId, accountId))) {
    await endSessionsOf(tx, accountId, now, by);
  }
  return { kind: 'changed', member };
}

/** True when the account is an active member of another shop too. */
export async function isMemberElsewhere(
  db: Queryable,
  shopId: string,
  accountId: string,
): Promise<boolean> {
  return (await db.one(selectOtherMembership, [shopId, accountId])) !== undefined;
}

export const selectOtherMembership = statement<{ readonly shopId: string }>(
  'select_other_membership',
  `select shop_id as "shopId" from member
    where account_id = $2 and shop_id <> $1 and is_active limit 1`,
);

export const lockManagers = statement<{ readonly accountId: string }>(
  'lock_managers',
  // In one order everywhere. Who waits here is told of the managers that are left, not of those that were.
  `select account_id as "accountId" from member
    where shop_id = $1 and is_active and 'members.manage' = any(permissions)
    order by account_id
      for no key update`,
);
