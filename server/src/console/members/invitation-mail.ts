import type { Language } from '../../pages/language.ts';
import type { Permission } from '../../shops/permission.ts';
import { formatOf } from '../format.ts';
import { permissionName } from '../permission-words.ts';

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

interface Words {
  readonly subject: (shop: string) => string;
  readonly intro: (inviter: string, shop: string) => string;
  readonly may: string;
  readonly open: string;
  readonly until: (end: string) => string;
  readonly unknown: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    subject: (shop) => `Invitation to ${shop}`,
    intro: (inviter, shop) =>
      `${inviter} invites you to become a member of the shop “${shop}” in Cardport.`,
    may: 'In this shop you can:',
    open: 'Open this address to accept:',
    until: (end) =>
      `It works once, until ${end}. Do not forward it: whoever opens it joins in your name.`,
    unknown: 'If you did not expect this mail, do nothing; the invitation ends by itself.',
  },
  ja: {
    subject: (shop) => `「${shop}」への招待`,
    intro: (inviter, shop) =>
      `${inviter} さんから、Cardport のショップ「${shop}」のメンバーに招待されました。`,
    may: 'このショップでできること:',
    open: '承諾するには、次のアドレスを開いてください。',
    until: (end) =>
      `このアドレスは ${end} まで、1 回だけ使えます。ほかの方には転送しないでください。`,
    unknown:
      'お心当たりのない場合は、何もなさらずこのメールを破棄してください。招待は自動的に無効になります。',
  },
};

/** The mail of an invitation, as plain text: the only place that holds its link. */
export function renderInvitationMail(mail: InvitationMail): {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
} {
  const { to, language, shopName, inviterName, permissions, expiresAt, zone } = mail;
  const text = WORDS[language];
  const end = `${formatOf(language, zone, expiresAt).dateTimeText(expiresAt)} (${zone})`;
  const rights = permissions.map((permission) => `- ${permissionName(permission, language)}`);
  const lines = [
    text.intro(inviterName, shopName),
    '',
    ...(rights.length === 0 ? [] : [text.may, ...rights, '']),
    text.open,
    '',
    `${mail.publicUrl}/console/invitations/${mail.secret}`,
    '',
    text.until(end),
    text.unknown,
    '',
  ];
  return { to, subject: text.subject(shopName), text: lines.join('\n') };
}
