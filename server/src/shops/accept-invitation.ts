import { findNameProblem } from '../base/plain-text.ts';
import { announce } from '../database/channel.ts';
import { StaleRead, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import {
  type Account,
  createAccount,
  findAccount,
  findAccountByEmail,
  lockProvedAccount,
} from './account.ts';
import { recordAudit } from './audit.ts';
import { type OpenInvitation, recordInvitationEnd } from './invitation.ts';
import { insertMember, type Member } from './member.ts';

/** The signed-in account, or a new person whose password has passed `findPasswordProblem`. */
export type Invitee =
  | { readonly kind: 'account'; readonly accountId: string }
  | { readonly kind: 'new'; readonly name: string; readonly passwordHash: string };

export type AcceptInvitationResult =
  | { readonly kind: 'accepted'; readonly member: Member; readonly shopSlug: string }
  /** The invitation is unknown, expired, withdrawn, void, or already accepted. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'sign_in_needed' }
  | { readonly kind: 'other_account' }
  /** The account may belong to someone else than the owner of the address (decision 0214). */
  | { readonly kind: 'address_unproved' }
  /** The account became a member in another way. The invitation is deleted. */
  | { readonly kind: 'already_member'; readonly shopSlug: string }
  | { readonly kind: 'invalid_name'; readonly reason: string };

/**
 * Accepts an invitation. `invitation` was found by its secret before the transaction: its row never
 * changes, but may have been deleted since. The row is locked, so only one of several concurrent
 * acceptances succeeds, on any node. A refused acceptance leaves the invitation unchanged.
 */
export async function acceptInvitation(
  tx: Transaction,
  invitation: OpenInvitation,
  invitee: Invitee,
  now: Date,
): Promise<AcceptInvitationResult> {
  const { shopId, shopSlug, id, permissions } = invitation;
  const locked = await tx.one(lockInvitation, [shopId, id, now]);
  if (locked === undefined) return { kind: 'gone' };
  const found = await findInvitee(tx, invitation, invitee, now);
  if (found.kind !== 'account') return found;
  const { account } = found;
  await tx.count(deleteAcceptedInvitation, [shopId, id]);
  const by = { kind: 'member', accountId: account.id } as const;
  const values = [shopId, account.id, permissions, now];
  if ((await tx.count(insertMember, values)) === 0) {
    await recordInvitationEnd(tx, shopId, invitation, 'spent', now, by);
    return { kind: 'already_member', shopSlug };
  }
  const subject = { kind: 'member', id: account.id, name: account.name } as const;
  const event = { action: 'member.joined', subject, details: { permissions } } as const;
  await recordAudit(tx, shopId, by, event, now);
  await announce(tx, 'access', shopId);
  return { kind: 'accepted', member: { shopId, account, permissions, isActive: true }, shopSlug };
}

type FoundInvitee =
  | { readonly kind: 'account'; readonly account: Account }
  | Exclude<AcceptInvitationResult, { readonly kind: 'accepted' | 'gone' | 'already_member' }>;

async function findInvitee(
  tx: Transaction,
  { email, provesAddress: isEmailProved }: OpenInvitation,
  invitee: Invitee,
  now: Date,
): Promise<FoundInvitee> {
  if (invitee.kind === 'account') return await findSignedIn(tx, email, invitee.accountId);
  if ((await findAccountByEmail(tx, email)) !== undefined) return { kind: 'sign_in_needed' };
  const reason = findNameProblem(invitee.name);
  if (reason !== null) return { kind: 'invalid_name', reason };
  const { name, passwordHash } = invitee;
  const account = await createAccount(tx, { email, name, passwordHash, isEmailProved }, now);
  // Another transaction created the account concurrently. The retry asks the person to sign in.
  if (account === undefined) throw new StaleRead('the account was created concurrently');
  return { kind: 'account', account };
}

async function findSignedIn(
  tx: Transaction,
  email: string,
  accountId: string,
): Promise<FoundInvitee> {
  const account = await findAccount(tx, accountId);
  if (account?.email !== email) return { kind: 'other_account' };
  if ((await tx.one(lockProvedAccount, [accountId])) === undefined) {
    return { kind: 'address_unproved' };
  }
  return { kind: 'account', account };
}

export const lockInvitation = statement<{ readonly id: string }>(
  'lock_invitation',
  `select invitation_id as id from invitation
    where shop_id = $1 and invitation_id = $2 and expires_at > $3 for update`,
);

export const deleteAcceptedInvitation = statement(
  'delete_accepted_invitation',
  `delete from invitation where shop_id = $1 and invitation_id = $2`,
);
