import type { Language } from '../../pages/language.ts';
import type { Permission } from '../../shops/permission.ts';
import { formatOf } from '../format.ts';
import { permissionName } from '../permission-words.ts';
import { invitationMailMessages } from './messages.ts';

/** What the mail of an invitation tells. */
export interface InvitationMail {
  readonly to: string;
  readonly language: Language;
  readonly shopName: string;
  readonly inviterName: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date;
  /** The shop's, for the instant at which it ends. */
  readonly zone: string;
  /** `PUBLIC_URL` without a slash at its end. */
  readonly publicUrl: string;
  /** `cpi_…`; it is in this mail and nowhere else. */
  readonly secret: string;
}

/** The mail of an invitation, as plain text: the only place that holds its link. */
export function renderInvitationMail(mail: InvitationMail): {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
} {
  const { to, language, shopName, inviterName, permissions, expiresAt, zone } = mail;
  const messages = invitationMailMessages[language];
  const end = `${formatOf(language, zone, expiresAt).dateTimeText(expiresAt)} (${zone})`;
  const rights = permissions.map((permission) => `- ${permissionName(permission, language)}`);
  const lines = [
    messages.intro(inviterName, shopName),
    '',
    ...(rights.length === 0 ? [] : [messages.may, ...rights, '']),
    messages.open,
    '',
    `${mail.publicUrl}/console/invitations/${mail.secret}`,
    '',
    messages.until(end),
    messages.unknown,
    '',
  ];
  return { to, subject: messages.invitation(shopName), text: lines.join('\n') };
}
