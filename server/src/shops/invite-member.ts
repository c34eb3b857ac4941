import { findEmailProblem } from '../base/plain-text.ts';
import { hashSecret, newId, newSecret } from '../base/secrets.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type AccountLanguage, normalizeEmail, findAccountByEmail } from './account.ts';
import { type Actor, recordAudit } from './audit.ts';
import { INVITATION_DAYS, INVITATIONS_PER_SHOP_MAX, recordInvitationEnd } from './invitation.ts';
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
      readonly isRepeated: boolean;
    }
  | { readonly kind: 'invalid_email' }
  /** The person is already a member, active or not, and needs no invitation. */
  | { readonly kind: 'already_member'; readonly accountId: string; readonly isActive: boolean }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'too_many_mails'; readonly retryAfterSeconds: number }
  /** The invitation grants permissions that the inviter does not hold. */
  | { readonly kind: 'not_held'; readonly missing: readonly Permission[] }
  | { readonly kind: 'not_allowed' };

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
  // Lock the inviter until the commit. A concurrent change of the inviter's permissions waits, and
  // then finds and voids this invitation.
  const inviterId = by.kind === 'member' ? by.accountId : null;
  if (inviterId !== null) {
    const inviter = await tx.one(lockInviter, [shopId, inviterId]);
    if (inviter === undefined) return { kind: 'not_allowed' };
    const missing = invitation.permissions.filter((each) => !inviter.permissions.includes(each));
    if (missing.length > 0) return { kind: 'not_held', missing };
  }
  const account = await findAccountByEmail(tx, email);
  const member = account === undefined ? undefined : await findMember(tx, shopId, account.id);
  if (member !== undefined) {
    return { kind: 'already_member', accountId: member.account.id, isActive: member.isActive };
  }
  // This row's lock serializes the shop's invitations, which are counted below.
  const mailWindow = await tx.one(countInvitationMail, [
    shopId,
    now,
    new Date(now.getTime() - HOUR_MS),
  ]);
  if (mailWindow === undefined) throw new Error('an upsert returned no row');
  if (mailWindow.mailCount > MAILS_PER_HOUR_MAX) {
    const endsAtMs = mailWindow.hourStartedAt.getTime() + HOUR_MS;
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - now.getTime()) / 1_000));
    return { kind: 'too_many_mails', retryAfterSeconds };
  }
  const permissions = [...new Set(invitation.permissions)];
  const secret = newSecret('cpi');
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
  const replaced = await tx.one(deleteInvitationToAddress, [shopId, email, now]);
  const isRepeated = replaced?.wasLive === true;
  if (isRepeated) await recordInvitationEnd(tx, shopId, replaced, 'replaced', now, by);
  const id = newId();
  const inserted = await tx.count(insertInvitation, [
    shopId,
    id,
    email,
    permissions,
    invitation.language,
    hashSecret(secret),
    inviterId,
    now,
    expiresAt,
    INVITATIONS_PER_SHOP_MAX,
  ]);
  if (inserted === 0) return { kind: 'too_many' };
  const subject = { kind: 'invitation', id, name: email } as const;
  const details = { permissions };
  await recordAudit(tx, shopId, by, { action: 'member.invited', subject, details }, now);
  return { kind: 'invited', id, secret, email, expiresAt, isRepeated };
}

export const lockInviter = statement<{ readonly permissions: Permission[] }>(
  'lock_inviter',
  `select permissions from member
    where shop_id = $1 and account_id = $2 and is_active and 'members.manage' = any(permissions)
      for share`,
);

export const countInvitationMail = statement<{
  readonly mailCount: number;
  readonly hourStartedAt: Date;
}>(
  'count_invitation_mail',
  `insert into invitation_pace as p (shop_id, hour_started_at, mail_count)
   values ($1, $2, 1)
   on conflict (shop_id) do update
     set mail_count = case when p.hour_started_at <= $3 then 1 else p.mail_count + 1 end,
         hour_started_at =
           case when p.hour_started_at <= $3 then excluded.hour_started_at
                else p.hour_started_at end
   returning mail_count as "mailCount", hour_started_at as "hourStartedAt"`,
);

export const deleteInvitationToAddress = statement<{
  readonly id: string;
  readonly email: string;
  readonly wasLive: boolean;
}>(
  'delete_invitation_to',
  `delete from invitation where shop_id = $1 and email = $2
   returning invitation_id as id, email, expires_at > $3 as "wasLive"`,
);

export const insertInvitation = statement(
  'insert_invitation',
  `insert into invitation
     (shop_id, invitation_id, email, permissions, language, secret_hash, invited_by, created_at,
      expires_at)
   select $1::uuid, $2::uuid, $3::text, $4::text[], $5::text, $6::text, $7::uuid, $8::timestamptz,
          $9::timestamptz
    where (select count(*) from invitation where shop_id = $1 and expires_at > $8) < $10`,
);
