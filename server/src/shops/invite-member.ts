import { findEmailProblem } from '../base/plain-text.ts';
import { hashSecret, newId, newSecret } from '../base/secrets.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type AccountLanguage, normalizeEmail, findAccountByEmail } from './account.ts';
import { type Actor, recordAudit } from './audit.ts';
import {
  INVITATION_DAYS,
  INVITATIONS_PER_SHOP_MAX,
  type Invitation,
  recordInvitationEnd,
} from './invitation.ts';
import { findManagerRefusal, type ManagerRefusal } from './manager-refusal.ts';
import { findMember } from './member.ts';
import type { Permission } from './permission.ts';

/** Enough for a new shop to invite all its staff, and too few for spam from a stolen session. */
const MAILS_PER_HOUR_MAX = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface NewInvitation {
  readonly email: string;
  /** Members can grant only permissions that they hold (decision 0214). */
  readonly permissions: readonly Permission[];
  /** The language of the email and of the page that it links to. */
  readonly language: AccountLanguage;
  /** True if only the mail will contain the link, so that the link proves the address. */
  readonly provesAddress: boolean;
}

export type InviteMemberResult =
  | {
      readonly kind: 'invited';
      readonly id: string;
      /**
       * `cpi_…`. It is sent only by mail, so its holder must have access to the mailbox. Without a
       * mail server, the inviter passes the link on (decision 0236).
       */
      readonly secret: string;
      /** The invited address, in the form that `normalizeEmail` returns. */
      readonly email: string;
      readonly expiresAt: Date;
    }
  | { readonly kind: 'invalid_email' }
  /** The person is already a member, active or not, and needs no invitation. */
  | { readonly kind: 'already_member'; readonly accountId: string; readonly isActive: boolean }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'too_many_mails'; readonly retryAfterSeconds: number }
  /** The inviter lacks permissions of this invitation, or of the one that it would replace. */
  | ManagerRefusal;

/**
 * Creates an invitation. A repeated invitation gets a new secret, and the old secret becomes
 * invalid. The caller sends the email after the commit.
 */
export async function inviteMember(
  tx: Transaction,
  shopId: string,
  invitation: NewInvitation,
  now: Date,
  by: Actor,
): Promise<InviteMemberResult> {
  const email = normalizeEmail(invitation.email);
  if (email === undefined || findEmailProblem('email', email) !== null) {
    return { kind: 'invalid_email' };
  }
  const refusal = await findManagerRefusal(tx, shopId, invitation.permissions, by);
  if (refusal !== undefined) return refusal;
  // The shop's invitations by members wait for each other, because the managers are locked.
  const pending = await tx.one(selectInvitationToAddress, [shopId, email, now]);
  const replacing = await findManagerRefusal(tx, shopId, pending?.permissions ?? [], by);
  if (replacing !== undefined) return replacing;
  const account = await findAccountByEmail(tx, email);
  const member = account === undefined ? undefined : await findMember(tx, shopId, account.id);
  if (member !== undefined) {
    return { kind: 'already_member', accountId: member.account.id, isActive: member.isActive };
  }
  const hourAgo = new Date(now.getTime() - HOUR_MS);
  const values = [shopId, now, hourAgo, email, INVITATIONS_PER_SHOP_MAX];
  const mailWindow = await tx.one(countInvitationMail, values);
  if (mailWindow === undefined) return { kind: 'too_many' };
  if (mailWindow.mailCount > MAILS_PER_HOUR_MAX) {
    const endsAtMs = mailWindow.hourStartedAt.getTime() + HOUR_MS;
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - now.getTime()) / 1_000));
    return { kind: 'too_many_mails', retryAfterSeconds };
  }
  const permissions = [...new Set(invitation.permissions)];
  const secret = newSecret('cpi');
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
  await tx.query(deleteInvitationToAddress, [shopId, email]);
  if (pending !== undefined) await recordInvitationEnd(tx, shopId, pending, 'replaced', now, by);
  const id = newId();
  await tx.query(insertInvitation, [
    shopId,
    id,
    email,
    permissions,
    invitation.language,
    hashSecret(secret),
    by.kind === 'member' ? by.accountId : null,
    now,
    expiresAt,
    invitation.provesAddress,
  ]);
  const subject = { kind: 'invitation', id, name: email } as const;
  const details = { permissions };
  await recordAudit(tx, shopId, by, { action: 'member.invited', subject, details }, now);
  return { kind: 'invited', id, secret, email, expiresAt };
}

export const countInvitationMail = statement<{
  readonly mailCount: number;
  readonly hourStartedAt: Date;
}>(
  'count_invitation_mail',
  // No row if too many invitations to other addresses are pending: then no mail is counted.
  `insert into invitation_pace as p (shop_id, hour_started_at, mail_count)
   select $1::uuid, $2::timestamptz, 1
    where (select count(*) from invitation
            where shop_id = $1 and expires_at > $2 and email <> $4) < $5
   on conflict (shop_id) do update
     set mail_count = case when p.hour_started_at <= $3 then 1 else p.mail_count + 1 end,
         hour_started_at =
           case when p.hour_started_at <= $3 then excluded.hour_started_at
                else p.hour_started_at end
   returning mail_count as "mailCount", hour_started_at as "hourStartedAt"`,
);

export const selectInvitationToAddress = statement<
  Pick<Invitation, 'id' | 'email' | 'permissions'>
>(
  'select_invitation_to',
  `select invitation_id as id, email, permissions from invitation
    where shop_id = $1 and email = $2 and expires_at > $3 for update`,
);

export const deleteInvitationToAddress = statement(
  'delete_invitation_to',
  `delete from invitation where shop_id = $1 and email = $2`,
);

export const insertInvitation = statement(
  'insert_invitation',
  `insert into invitation
     (shop_id, invitation_id, email, permissions, language, secret_hash, invited_by, created_at,
      expires_at, proves_address)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);
