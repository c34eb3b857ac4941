import { findEmailProblem, findNameProblem } from '../base/plain-text.ts';
import { announce } from '../database/channel.ts';
import { type Queryable, StaleRead, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import {
  type Account,
  createAccount,
  findAccountByEmail,
  lockProvedAccount,
  normalizeEmail,
} from './account.ts';
import { type Actor, type AuditAction, type AuditDetails, recordAudit } from './audit.ts';
import { voidInvitationsOfInviter } from './invitation.ts';
import type { Permission } from './permission.ts';
import { endSessionsOfAccount } from './session.ts';

export interface Member {
  readonly shopId: string;
  readonly account: Account;
  readonly permissions: readonly Permission[];
  /**
   * If false, the member may not sign in to this shop, and calls with tokens from the member's
   * approvals are forbidden.
   */
  readonly isActive: boolean;
}

/** A member to add. The password hash is used only if no account has the email address yet. */
export interface NewMember {
  readonly email: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly passwordHash: string | null;
}

export type AddMemberResult =
  | { readonly kind: 'added'; readonly member: Member }
  | { readonly kind: 'already_member' }
  | { readonly kind: 'password_needed' }
  /** The account may belong to someone else than the owner of the address (decision 0214). */
  | { readonly kind: 'address_unproved'; readonly account: Account }
  | { readonly kind: 'invalid'; readonly reason: string };

/** The fields to change; missing fields stay unchanged. `permissions` replaces the complete set. */
export interface MemberChange {
  readonly permissions?: readonly Permission[];
  readonly isActive?: boolean;
}

/** An account with this email keeps its name and password; a new account needs a password. */
export async function addMember(
  tx: Transaction,
  shopId: string,
  person: NewMember,
  now: Date,
  by: Actor,
): Promise<AddMemberResult> {
  const reason = findEmailProblem('email', person.email) ?? findNameProblem(person.name);
  if (reason !== null) return { kind: 'invalid', reason };
  // The length is checked after normalization, because lower case can be longer than upper case.
  if (normalizeEmail(person.email) === undefined) {
    return { kind: 'invalid', reason: 'email must have at most 254 characters' };
  }
  const account = await findOrCreateAccount(tx, person, now);
  if (account === undefined) return { kind: 'password_needed' };
  if ((await tx.one(lockProvedAccount, [account.id])) === undefined) {
    return { kind: 'address_unproved', account };
  }
  const permissions = [...new Set(person.permissions)];
  const added = await tx.count(insertMember, [shopId, account.id, permissions, now]);
  if (added === 0) return { kind: 'already_member' };
  await announce(tx, 'access', shopId);
  const member = { shopId, account, permissions, isActive: true };
  await recordMemberAudit(
    tx,
    member,
    by,
    { action: 'member.added', details: { permissions } },
    now,
  );
  return { kind: 'added', member };
}

export async function recordMemberAudit(
  tx: Transaction,
  { shopId, account }: Pick<Member, 'shopId' | 'account'>,
  by: Actor,
  { action, details = {} }: { readonly action: AuditAction; readonly details?: AuditDetails },
  now: Date,
): Promise<void> {
  const subject = { kind: 'member', id: account.id, name: account.name } as const;
  await recordAudit(tx, shopId, by, { action, subject, details }, now);
}

async function findOrCreateAccount(
  tx: Transaction,
  { email, name, passwordHash }: NewMember,
  now: Date,
): Promise<Account | undefined> {
  const existing = await findAccountByEmail(tx, email);
  if (existing !== undefined) {
    const { passwordHash: _, ...account } = existing;
    return account;
  }
  if (passwordHash === null) return undefined;
  const person = { email, name, passwordHash, isEmailProved: true };
  const created = await createAccount(tx, person, now);
  // The retried transaction finds the account that was created concurrently.
  if (created === undefined) throw new StaleRead('the account was created concurrently');
  return created;
}

/**
 * `changeMember` decides whether a change is allowed. Voids invitations that the member could no
 * longer send. A deactivation also ends the account's sessions, unless it is active in another shop
 * (decision 0214).
 */
export async function setMember(
  tx: Transaction,
  shopId: string,
  accountId: string,
  change: MemberChange,
  now: Date,
  by: Actor,
): Promise<Member | undefined> {
  const permissions = change.permissions === undefined ? null : [...new Set(change.permissions)];
  const isActive = change.isActive ?? null;
  const before = await tx.one(updateMember, [shopId, accountId, permissions, isActive, now]);
  if (before === undefined) return undefined;
  await announce(tx, 'access', shopId);
  const member = await findMember(tx, shopId, accountId);
  if (member === undefined) throw new Error('the member was changed, but cannot be read');
  const mayInvite = member.isActive && member.permissions.includes('members.manage');
  await recordChange(tx, before, member, by, now);
  const held = mayInvite ? member.permissions : null;
  await voidInvitationsOfInviter(tx, shopId, accountId, held, now, by);
  const isDeactivated = before.isActive && !member.isActive;
  if (isDeactivated && !(await isActiveElsewhere(tx, shopId, accountId))) {
    await endSessionsOfAccount(tx, accountId, now, by, shopId);
  }
  return member;
}

export async function isActiveElsewhere(
  db: Queryable,
  shopId: string,
  accountId: string,
): Promise<boolean> {
  return (await db.one(selectOtherMembership, [shopId, accountId, true])) !== undefined;
}

async function recordChange(
  tx: Transaction,
  before: Pick<Member, 'permissions' | 'isActive'>,
  member: Member,
  by: Actor,
  now: Date,
): Promise<void> {
  const added = member.permissions.filter((each) => !before.permissions.includes(each));
  const removed = before.permissions.filter((each) => !member.permissions.includes(each));
  if (added.length > 0 || removed.length > 0) {
    const event = { action: 'member.permissions_changed', details: { added, removed } } as const;
    await recordMemberAudit(tx, member, by, event, now);
  }
  if (before.isActive !== member.isActive) {
    const action = member.isActive ? 'member.activated' : 'member.deactivated';
    await recordMemberAudit(tx, member, by, { action }, now);
  }
}

export async function findMember(
  db: Queryable,
  shopId: string,
  accountId: string,
): Promise<Member | undefined> {
  const row = await db.one(selectMember, [shopId, accountId]);
  if (row === undefined) return undefined;
  const { permissions, isActive, ...account } = row;
  return { shopId, account, permissions, isActive };
}

export const insertMember = statement(
  'insert_member',
  `insert into member (shop_id, account_id, permissions, is_active, created_at, updated_at)
   values ($1, $2, $3, true, $4, $4)
   on conflict (shop_id, account_id) do nothing`,
);

export const updateMember = statement<{
  readonly permissions: Permission[];
  readonly isActive: boolean;
}>(
  'update_member',
  `with before as (
     select permissions, is_active from member
      where shop_id = $1 and account_id = $2 for no key update)
   update member m set permissions = coalesce($3::text[], m.permissions),
          is_active = coalesce($4::boolean, m.is_active), updated_at = $5
     from before
    where m.shop_id = $1 and m.account_id = $2
   returning before.permissions, before.is_active as "isActive"`,
);

export const selectOtherMembership = statement<{ readonly shopId: string }>(
  'select_other_membership',
  `select shop_id as "shopId" from member
    where account_id = $2 and shop_id <> $1 and (is_active or not $3::boolean) limit 1`,
);

export const selectMember = statement<
  Account & { readonly permissions: Permission[]; readonly isActive: boolean }
>(
  'select_member',
  `select a.account_id as id, a.email, a.name, a.language, m.permissions, m.is_active as "isActive"
     from member m join account a on a.account_id = m.account_id
    where m.shop_id = $1 and m.account_id = $2`,
);
