import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from './audit.ts';
import { findManagerRefusal, lockManagers, type ManagerRefusal } from './manager-refusal.ts';
import { findMember, type Member, type MemberChange, setMember } from './member.ts';
import { type Permission, PERMISSIONS } from './permission.ts';

export interface RequestedMemberChange extends MemberChange {
  /**
   * The permissions that the page showed. If missing, they are not compared with the current ones.
   */
  readonly seen?: readonly Permission[];
}

export type ChangeMemberResult =
  | { readonly kind: 'changed'; readonly member: Member }
  | { readonly kind: 'not_found' }
  /** The current permissions are neither those that the page showed nor the requested ones. */
  | { readonly kind: 'changed_meanwhile'; readonly member: Member }
  /**
   * The change would leave the shop without an active member who may manage members, and only the
   * operator could fix that.
   */
  | { readonly kind: 'last_manager' }
  /** Members cannot change their own permissions (decision 0214). */
  | { readonly kind: 'own_permissions'; readonly member: Member }
  | { readonly kind: 'not_allowed' }
  /** The change gives or takes permissions that the changing member does not hold. */
  | (ManagerRefusal & { readonly member: Member });

/**
 * The last active member with `members.manage` can be neither deactivated nor stripped of that
 * permission, even by concurrent changes, because changes to one shop's members are serialized. The
 * operator, who can repair anything, uses `setMember`.
 */
export async function changeMember(
  tx: Transaction,
  shopId: string,
  accountId: string,
  { seen, ...change }: RequestedMemberChange,
  now: Date,
  by: Actor,
): Promise<ChangeMemberResult> {
  const managers = await tx.query(lockManagers, [shopId]);
  const isManager = (id: string): boolean => managers.some((manager) => manager.accountId === id);
  const changerId = by.kind === 'member' ? by.accountId : null;
  if (changerId !== null && !isManager(changerId)) return { kind: 'not_allowed' };
  // Lock this row after the managers' rows, as every change by a member does. The operator locks
  // only this row.
  await tx.one(lockMember, [shopId, accountId]);
  const before = await findMember(tx, shopId, accountId);
  if (before === undefined) return { kind: 'not_found' };
  const permissions = change.permissions ?? before.permissions;
  const isCurrent = seen === undefined || differenceOf(seen, before.permissions).length === 0;
  const changedPermissions = differenceOf(permissions, before.permissions);
  if (!isCurrent && changedPermissions.length > 0) {
    return { kind: 'changed_meanwhile', member: before };
  }
  if (changerId === accountId && changedPermissions.length > 0) {
    return { kind: 'own_permissions', member: before };
  }
  if (changerId !== accountId) {
    // An activation gives all permissions of the member, and a deactivation takes them.
    const isSwitched = (change.isActive ?? before.isActive) !== before.isActive;
    const affected = new Set([...changedPermissions, ...(isSwitched ? before.permissions : [])]);
    const refusal = await findManagerRefusal(tx, shopId, [...affected], by);
    if (refusal !== undefined) return { ...refusal, member: before };
  }
  const remainsManager =
    (change.isActive ?? before.isActive) && permissions.includes('members.manage');
  if (isManager(accountId) && !remainsManager && managers.length === 1) {
    return { kind: 'last_manager' };
  }
  const member = await setMember(tx, shopId, accountId, change, now, by);
  if (member === undefined) throw new Error('the member was found before, but no longer exists');
  return { kind: 'changed', member };
}

/** Returns the permissions that only one of the two sets has, in the order of `PERMISSIONS`. */
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
