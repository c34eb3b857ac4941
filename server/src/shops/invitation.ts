import { hashSecret } from '../base/secrets.ts';
import { cleaner } from '../database/cleaner.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AccountLanguage } from './account.ts';
import { type Actor, recordAudit } from './audit.ts';
import type { Permission } from './permission.ts';

/** An invitation lives this long: over a holiday, and not as long as a mailbox keeps mails. */
export const INVITATION_DAYS = 7;
/** Invitations of one shop that wait at once; a shop has tens of persons. */
export const INVITATIONS_PER_SHOP_MAX = 100;

/** An invitation that waits, as the shop lists it: never its secret. */
export interface Invitation {
  readonly id: string;
  /** In the form of `emailForm`. */
  readonly email: string;
  readonly permissions: readonly Permission[];
  /** Of the mail, and of the page that it leads to. */
  readonly language: AccountLanguage;
  /** Null: the operator's. */
  readonly inviterName: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invitation as whoever holds its secret sees it. */
export interface OpenInvitation extends Invitation {
  readonly shopId: string;
  readonly shopName: string;
  readonly shopSlug: string;
  /** The account that the address has already: only it may accept. Null: a new person sets name and password. */
  readonly accountId: string | null;
}

/** The invitations of a shop that wait, newest first; at most 100. */
export async function listInvitations(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<readonly Invitation[]> {
  return await db.query(selectInvitations, [shopId, now, INVITATIONS_PER_SHOP_MAX]);
}

/** The invitation of a mail's secret, or undefined: unknown, expired, accepted, withdrawn, or replaced by a newer one. */
export async function findInvitation(
  db: Queryable,
  secret: string,
  now: Date,
): Promise<OpenInvitation | undefined> {
  return await db.one(selectInvitationBySecret, [hashSecret(secret), now]);
}

/** Takes an invitation back: its link is void from now on. False when the shop has no such invitation that waits. */
export async function withdrawInvitation(
  tx: Transaction,
  shopId: string,
  invitationId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const withdrawn = await tx.one(deleteInvitation, [shopId, invitationId, now]);
  if (withdrawn === undefined) return false;
  await recordInvitationEnd(tx, shopId, withdrawn, null, now, by);
  return true;
}

/** Why an invitation is void that nobody has withdrawn. */
export type InvitationEnd = 'inviter_lost' | 'replaced' | 'spent';

/** Records that an invitation which waited can no longer be accepted; `reason` null: somebody withdrew it. */
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
 * Voids what a member has sent and could not send any more, and records each that could still be accepted. `held`: what
 * the member may give; null: the member may not invite at all. Part of the transaction that changes the member.
 */
export async function voidInvitationsOf(
  tx: Transaction,
  shopId: string,
  accountId: string,
  held: readonly Permission[] | null,
  now: Date,
  by: Actor,
): Promise<void> {
  // At most 100 wait for a shop.
  for (const voided of await tx.query(deleteInvitationsOf, [shopId, accountId, now, held])) {
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
  // The index folds as the database does: `isAddressOf` of the acceptance compares again.
  `select i.invitation_id as id, i.email, i.permissions, i.language, a.name as "inviterName",
          i.created_at as "createdAt", i.expires_at as "expiresAt",
          s.shop_id as "shopId", s.name as "shopName", s.slug as "shopSlug",
          known.account_id as "accountId"
     from invitation i
     join shop s on s.shop_id = i.shop_id
     left join account a on a.account_id = i.invited_by
     left join account known on lower(known.email) = lower(i.email) and known.email = i.email
    where i.secret_hash = $1 and i.expires_at > $2`,
);

export const deleteInvitation = statement<Pick<Invitation, 'id' | 'email'>>(
  'delete_invitation',
  `delete from invitation where shop_id = $1 and invitation_id = $2 and expires_at > $3
   returning invitation_id as id, email`,
);

// What has expired is the clean-up's.
export const deleteInvitationsOf = statement<Pick<Invitation, 'id' | 'email'>>(
  'delete_invitations_of',
  `delete from invitation
    where shop_id = $1 and invited_by = $2 and expires_at > $3
      and ($4::text[] is null or not permissions <@ $4::text[])
   returning invitation_id as id, email`,
);

export const deleteExpiredInvitations = statement(
  'delete_expired_invitations',
  `delete from invitation where (shop_id, invitation_id) in (
     select shop_id, invitation_id from invitation
      where expires_at <= $1
      limit $2 for update skip locked)`,
);

/** Deletes invitations that have expired. */
export const cleanInvitations = cleaner(deleteExpiredInvitations);
