import { unlinked } from '../../base/plain-text.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { InviteMemberResult, NewInvitation } from '../../shops/invite-member.ts';
import { type ConsoleResponse, redirectTo } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { createFormatter } from '../format.ts';
import { setOneTimeSecret } from '../one-time-secret.ts';
import { permissionName } from '../permission-text.ts';
import type { RequestContext } from '../request-context.ts';
import { invitationMailMessages } from './messages.ts';

/** A newly created invitation, with the secret that only its link contains. */
export type SentInvitation = NewInvitation & Extract<InviteMemberResult, { kind: 'invited' }>;

export function invitationLink(publicUrl: string, secret: string): string {
  return `${publicUrl}/console/invitations/${secret}`;
}

/**
 * Sends the mail of a committed invitation. If sending fails, the invitation stays open and the
 * page says so.
 */
export async function sendInvitation(
  context: RequestContext,
  { mail, publicUrl, log }: ConsoleDeps,
  invitation: SentInvitation,
): Promise<ConsoleResponse> {
  const sent = await mail.send(mailOf(context, publicUrl, invitation));
  const path = context.shopPath('/members');
  if (sent.kind === 'sent') {
    if (mail.kind === 'server') return redirectTo(path, 'invited');
    // Without a mail server the member must pass on the link (decision 0236).
    const isSecure = publicUrl.startsWith('https:');
    const cookie = setOneTimeSecret(context, path, invitation.secret, isSecure);
    return redirectTo(path, 'invited_by_link', [cookie]);
  }
  const { reason, cause } = sent;
  const fields = { requestId: context.request.id, shopId: context.shop.id, reason, error: cause };
  log.warn(fields, 'the mail of an invitation was not sent');
  return redirectTo(path, 'invited_unsent');
}

/** The expiry is in the shop's time zone. */
function mailOf(
  { shop, account, format: { zone } }: RequestContext,
  publicUrl: string,
  { email, language, permissions, secret, expiresAt }: SentInvitation,
): Mail {
  const messages = invitationMailMessages[language];
  const end = `${createFormatter(language, zone, expiresAt).dateTimeText(expiresAt)} (${zone})`;
  const rights = permissions.map((permission) => `- ${permissionName(permission, language)}`);
  const lines = [
    messages.intro(unlinked(account.name), unlinked(shop.name)),
    '',
    ...(rights.length === 0 ? [] : [messages.may, ...rights, '']),
    messages.open,
    '',
    invitationLink(publicUrl, secret),
    '',
    messages.until(end),
    messages.unknown,
    '',
  ];
  return { to: email, subject: messages.subject(unlinked(shop.name)), text: lines.join('\n') };
}
