import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from './audit.ts';
import { findMember, type Member, type MemberChange, setMember } from './member.ts';
import type { Permission } from './permission.ts';

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
  { seen, ...change }: AskedMemberChange,
  now: Date,
  by: Actor,
): Promise<ChangeMemberResult> {
  const managers = await tx.query(lockManagers, [shopId]);
  const isManager = (id: string): boolean => managers.some((manager) => manager.accountId === id);
  if (by.kind === 'member' && !isManager(by.accountId)) return { kind: 'not_allowed' };
  // Behind the managers' rows, which whoever changes a member for another one has first. The operator has this one alone.
  await tx.one(lockMember, [shopId, accountId]);
  const before = await findMember(tx, shopId, accountId);
  if (before === undefined) return { kind: 'not_found' };
  const permissions = change.permissions ?? before.permissions;
  const isAsSeen = seen === undefined || isSameSet(seen, before.permissions);
  if (!isAsSeen && !isSameSet(permissions, before.permissions)) {
    return { kind: 'changed_meanwhile', member: before };
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

function isSameSet(some: readonly Permission[], others: readonly Permission[]): boolean {
  const [a, b] = [new Set(some), new Set(others)];
  return a.size === b.size && [...a].every((each) => b.has(each));
}

export const lockMember = statement<{ readonly accountId: string }>(
  'lock_member',
  `select account_id as "accountId" from member
    where shop_id = $1 and account_id = $2 for no key update`,
);

export const lockManagers = statement<{ readonly accountId: string }>(
  'lock_managers',
  // In one order everywhere. Who waits here is told of the managers that are left, not of those that were.
  `select account_id as "accountId" from member
    where shop_id = $1 and is_active and 'members.manage' = any(permissions)
    order by account_id
      for no key update`,
);
