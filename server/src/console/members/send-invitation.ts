import type { Language } from '../../pages/language.ts';
import type { Permission } from '../../shops/permission.ts';
import { type ConsoleAnswer, goTo } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Visit } from '../visit.ts';
import { renderInvitationMail } from './invitation-mail.ts';

/** An invitation that was written just now, with the secret that only its mail may hold. */
export interface FreshInvitation {
  readonly email: string;
  readonly language: Language;
  readonly permissions: readonly Permission[];
  readonly secret: string;
  readonly expiresAt: Date;
}

/** Sends the mail of an invitation that is committed. When it cannot go out the invitation waits all the same, and the page says so. */
export async function sendInvitation(
  visit: Visit,
  { mail, publicUrl, log }: ConsoleDeps,
  { email, language, permissions, secret, expiresAt }: FreshInvitation,
): Promise<ConsoleAnswer> {
  const letter = renderInvitationMail({
    to: email,
    language,
    shopName: visit.shop.name,
    inviterName: visit.account.name,
    permissions,
    expiresAt,
    zone: visit.format.zone,
    publicUrl,
    secret,
  });
  const sent = await mail.send(letter);
  if (sent.kind === 'sent') return goTo(visit.path('/members'), 'invited');
  const { reason, cause } = sent;
  const fields = { requestId: visit.request.id, shopId: visit.shop.id, reason, error: cause };
  log.warn(fields, 'the mail of an invitation was not sent');
  return goTo(visit.path('/members'), 'invited_unsent');
}
