import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from './audit.ts';
import { findMember, type Member, type MemberChange, setMember } from './member.ts';
import { type Permission, PERMISSIONS } from './permission.ts';

/** A change that somebody asks for who looks at the member on a page. */
export interface AskedMemberChange extends MemberChange {
  /** The permissions that the page has shown. What is missing is not compared. */
  readonly seen?: readonly Permission[];
}

/** What came of the wish to change a member. */
export type ChangeMemberResult =
  | { readonly kind: 'changed'; readonly member: Member }
  | { readonly kind: 'not_found' }
  /** Somebody else has given him other permissions than `seen`, and than are asked for: nothing was changed. */
  | { readonly kind: 'changed_meanwhile'; readonly member: Member }
  /** It would leave the shop without an active member who may manage members: nobody could give it back but the operator. */
  | { readonly kind: 'last_manager' }
  /** Nobody changes their own permissions (decision 0214). */
  | { readonly kind: 'own_permissions'; readonly member: Member }
  /** It would give or take permissions that the one who changes does not hold (decision 0214). */
  | {
      readonly kind: 'not_held';
      readonly missing: readonly Permission[];
      readonly member: Member;
    }
  /** Whoever changes it was deactivated, or lost `members.manage`, a moment ago. */
  | { readonly kind: 'not_allowed' };

/**
 * Changes a member for another one. The last active member with `members.manage` keeps both, also when several change
 * each other at once: changes of one shop's members take turns. A member gives and takes only permissions that they hold at
 * that turn, and never changes their own. The operator, who can mend everything, uses `setMember`.
 */
export async function changeMember(
  tx: Transaction,
  shopId: string,
  accountId: string,
  { seen, ...change }: AskedMemberChange,
  now: Date,
  by: Actor,
): Promise<ChangeMemberResult> {
  const managers = await tx.query(lockManagers, [shopId]);
  const isManager = (id: string): boolean => managers.some((manager) => manager.accountId === id);
  const changer = by.kind === 'member' ? by.accountId : null;
  if (changer !== null && !isManager(changer)) return { kind: 'not_allowed' };
  // Behind the managers' rows, which whoever changes a member for another one has first. The operator has this one alone.
  await tx.one(lockMember, [shopId, accountId]);
  const before = await findMember(tx, shopId, accountId);
  if (before === undefined) return { kind: 'not_found' };
  const permissions = change.permissions ?? before.permissions;
  const isAsSeen = seen === undefined || differenceOf(seen, before.permissions).length === 0;
  const moved = differenceOf(permissions, before.permissions);
  if (!isAsSeen && moved.length > 0) return { kind: 'changed_meanwhile', member: before };
  if (changer !== null && moved.length > 0) {
    if (changer === accountId) return { kind: 'own_permissions', member: before };
    const held = managers.find((manager) => manager.accountId === changer)?.permissions ?? [];
    const missing = moved.filter((each) => !held.includes(each));
    if (missing.length > 0) return { kind: 'not_held', missing, member: before };
  }
  const staysManager =
    (change.isActive ?? before.isActive) && permissions.includes('members.manage');
  if (isManager(accountId) && !staysManager && managers.length === 1) {
    return { kind: 'last_manager' };
  }
  const member = await setMember(tx, shopId, accountId, change, now, by);
  if (member === undefined) throw new Error('a member that was found is not there');
  return { kind: 'changed', member };
}

/** What only one of both has, in the order of the closed list. */
function differenceOf(
  some: readonly Permission[],
  others: readonly Permission[],
): readonly Permission[] {
  return PERMISSIONS.filter((each) => some.includes(each) !== others.includes(each));
}

export const lockMember = statement<{ readonly accountId: string }>(
  'lock_member',
  `select account_id as "accountId" from member
    where shop_id = $1 and account_id = $2 for no key update`,
);

export const lockManagers = statement<{
  readonly accountId: string;
  readonly permissions: Permission[];
}>(
  'lock_managers',
  // In one order everywhere. After a wait, the rows are those of now: the managers that are left and what they hold.
  `select account_id as "accountId", permissions from member
    where shop_id = $1 and is_active and 'members.manage' = any(permissions)
    order by account_id
      for no key update`,
);
