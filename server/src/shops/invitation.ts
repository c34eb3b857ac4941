import { hashSecret } from '../base/secrets.ts';
import { createPerShopCleaner } from '../database/cleaner.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AccountLanguage } from './account.ts';
import { type Actor, recordAudit } from './audit.ts';
import { findManagerRefusal, type ManagerRefusal } from './manager-refusal.ts';
import type { Permission } from './permission.ts';

/** Longer than most holidays, but not so long that old emails stay usable. */
export const INVITATION_DAYS = 7;
export const INVITATIONS_PER_SHOP_MAX = 100;

export interface Invitation {
  readonly id: string;
  /** The invited address, in the form that `normalizeEmail` returns. */
  readonly email: string;
  readonly permissions: readonly Permission[];
  /** The language of the email and of the page that it links to. */
  readonly language: AccountLanguage;
  /** The name of the inviting member, or null if the operator sent the invitation. */
  readonly inviterName: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface OpenInvitation extends Invitation {
  readonly shopId: string;
  readonly shopName: string;
  readonly shopSlug: string;
  /**
   * The account that already has the address. Only this account may accept the invitation. If null,
   * a new person sets a name and password.
   */
  readonly accountId: string | null;
  /** False if that account may belong to someone else than the owner of the address. */
  readonly isAccountProved: boolean;
  /** True if only a mail to the address contains the link (decision 0236). */
  readonly provesAddress: boolean;
}

export async function listInvitations(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<readonly Invitation[]> {
  return await db.query(selectInvitations, [shopId, now, INVITATIONS_PER_SHOP_MAX]);
}

/** Undefined if the invitation is unknown, expired, accepted, withdrawn, void or replaced. */
export async function findInvitation(
  db: Queryable,
  secret: string,
  now: Date,
): Promise<OpenInvitation | undefined> {
  return await db.one(selectInvitationBySecret, [hashSecret(secret), now]);
}

export async function withdrawInvitation(
  tx: Transaction,
  shopId: string,
  { id, permissions }: Pick<Invitation, 'id' | 'permissions'>,
  now: Date,
  by: Actor,
): Promise<ManagerRefusal | { readonly kind: 'withdrawn' | 'not_found' }> {
  const refusal = await findManagerRefusal(tx, shopId, permissions, by);
  if (refusal !== undefined) return refusal;
  const withdrawn = await tx.one(deleteInvitation, [shopId, id, now]);
  if (withdrawn === undefined) return { kind: 'not_found' };
  await recordInvitationEnd(tx, shopId, withdrawn, null, now, by);
  return { kind: 'withdrawn' };
}

export type InvitationEnd = 'inviter_lost' | 'replaced' | 'spent';

/** Records in the audit log why an invitation ended. `reason` is null if it was withdrawn. */
export async function recordInvitationEnd(
  tx: Transaction,
  shopId: string,
  { id, email }: Pick<Invitation, 'id' | 'email'>,
  reason: InvitationEnd | null,
  now: Date,
  by: Actor,
): Promise<void> {
  const subject = { kind: 'invitation', id, name: email } as const;
  const details = reason === null ? {} : { reason };
  const event = { action: 'member.invitation_withdrawn', subject, details } as const;
  await recordAudit(tx, shopId, by, event, now);
}

/**
 * Deletes the pending invitations that a member could no longer send, and records each deletion.
 * `held` are the permissions that the member may grant; null means that the member may not invite
 * at all. Call this in the transaction that changes the member.
 */
export async function voidInvitationsOfInviter(
  tx: Transaction,
  shopId: string,
  accountId: string,
  held: readonly Permission[] | null,
  now: Date,
  by: Actor,
): Promise<void> {
  for (const voided of await tx.query(deleteInvitationsOfInviter, [shopId, accountId, now, held])) {
    await recordInvitationEnd(tx, shopId, voided, 'inviter_lost', now, by);
  }
}

export const selectInvitations = statement<Invitation>(
  'select_invitations',
  `select i.invitation_id as id, i.email, i.permissions, i.language, a.name as "inviterName",
          i.created_at as "createdAt", i.expires_at as "expiresAt"
     from invitation i left join account a on a.account_id = i.invited_by
    where i.shop_id = $1 and i.expires_at > $2
    order by i.created_at desc, i.invitation_id
    limit $3`,
);

export const selectInvitationBySecret = statement<OpenInvitation>(
  'select_invitation_by_secret',
  // The index folds case as the database does, so the join compares the exact address too.
  `select i.invitation_id as id, i.email, i.permissions, i.language, a.name as "inviterName",
          i.created_at as "createdAt", i.expires_at as "expiresAt",
          s.shop_id as "shopId", s.name as "shopName", s.slug as "shopSlug",
          known.account_id as "accountId", i.proves_address as "provesAddress",
          coalesce(known.is_email_proved, true) as "isAccountProved"
     from invitation i
     join shop s on s.shop_id = i.shop_id
     left join account a on a.account_id = i.invited_by
     left join account known on lower(known.email) = lower(i.email) and known.email = i.email
    where i.secret_hash = $1 and i.expires_at > $2 and s.closed_at is null`,
);

export const deleteInvitation = statement<Pick<Invitation, 'id' | 'email'>>(
  'delete_invitation',
  `delete from invitation where shop_id = $1 and invitation_id = $2 and expires_at > $3
   returning invitation_id as id, email`,
);

// Expired invitations are excluded and left to the cleanup.
export const deleteInvitationsOfInviter = statement<Pick<Invitation, 'id' | 'email'>>(
  'delete_invitations_of',
  `delete from invitation
    where shop_id = $1 and invited_by = $2 and expires_at > $3
      and ($4::text[] is null or not permissions <@ $4::text[])
   returning invitation_id as id, email`,
);

export const selectShopsOfExpiredInvitations = statement<{ readonly shopId: string }>(
  'select_shops_of_expired_invitations',
  `select distinct shop_id as "shopId" from (
     select shop_id from invitation where expires_at <= $1 order by expires_at limit $2) expired`,
);

export const deleteExpiredInvitations = statement(
  'delete_expired_invitations',
  `delete from invitation where shop_id = $1 and invitation_id in (
     select invitation_id from invitation
      where shop_id = $1 and expires_at <= $2
      limit $3 for update skip locked)`,
);

export const cleanInvitations = createPerShopCleaner(
  selectShopsOfExpiredInvitations,
  deleteExpiredInvitations,
);
