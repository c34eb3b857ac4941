import type { Mail } from '../../mail/mailer.ts';
import type { Language } from '../../html/language.ts';
import type { Permission } from '../../shops/permission.ts';
import { type ConsoleResponse, redirectTo } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { createFormatter } from '../format.ts';
import { permissionName } from '../permission-text.ts';
import type { RequestContext } from '../request-context.ts';
import { invitationMailMessages } from './messages.ts';

/** A newly created invitation, with the secret that only the mail may contain. */
export interface NewInvitation {
  readonly email: string;
  readonly language: Language;
  readonly permissions: readonly Permission[];
  readonly secret: string;
  readonly expiresAt: Date;
}

/**
 * Sends the mail of a committed invitation. If sending fails, the invitation stays open and the
 * page says so.
 */
export async function sendInvitation(
  context: RequestContext,
  { mail, publicUrl, log }: ConsoleDeps,
  invitation: NewInvitation,
): Promise<ConsoleResponse> {
  const sent = await mail.send(mailOf(context, publicUrl, invitation));
  if (sent.kind === 'sent') return redirectTo(context.shopPath('/members'), 'invited');
  const { reason, cause } = sent;
  const fields = { requestId: context.request.id, shopId: context.shop.id, reason, error: cause };
  log.warn(fields, 'the mail of an invitation was not sent');
  return redirectTo(context.shopPath('/members'), 'invited_unsent');
}

/**
 * Returns the mail of an invitation as plain text. Only the mail contains the link. The expiry is
 * in the shop's time zone.
 */
function mailOf(
  { shop, account, format: { zone } }: RequestContext,
  publicUrl: string,
  { email, language, permissions, secret, expiresAt }: NewInvitation,
): Mail {
  const messages = invitationMailMessages[language];
  const end = `${createFormatter(language, zone, expiresAt).dateTimeText(expiresAt)} (${zone})`;
  const rights = permissions.map((permission) => `- ${permissionName(permission, language)}`);
  const lines = [
    messages.intro(account.name, shop.name),
    '',
    ...(rights.length === 0 ? [] : [messages.may, ...rights, '']),
    messages.open,
    '',
    `${publicUrl}/console/invitations/${secret}`,
    '',
    messages.until(end),
    messages.unknown,
    '',
  ];
  return { to: email, subject: messages.invitation(shop.name), text: lines.join('\n') };
}
