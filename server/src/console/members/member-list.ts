import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type Invitation, listInvitations } from '../../shops/invitation.ts';
import { type ListedMember, listMembers } from '../../shops/member-list.ts';
import { type MemberPresence, readMemberPresence } from '../../shops/member-presence.ts';
import { showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { permissionsInWords } from './permission-boxes.ts';

interface Words {
  readonly title: string;
  readonly invite: string;
  readonly members: string;
  readonly name: string;
  readonly permissions: string;
  readonly state: string;
  readonly active: string;
  readonly inactive: string;
  readonly you: string;
  readonly lastSeen: string;
  readonly notKnown: string;
  readonly passkey: string;
  readonly passkeys: (count: string) => string;
  readonly noPasskey: string;
  readonly waiting: string;
  readonly email: string;
  readonly invitedBy: string;
  readonly operator: string;
  readonly until: string;
  readonly actions: string;
  readonly again: string;
  readonly withdraw: string;
  readonly noneWaiting: string;
  readonly noneWaitingText: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Members',
    invite: 'Invite somebody',
    members: 'Members of this shop',
    name: 'Name',
    permissions: 'Permissions',
    state: 'State',
    active: 'Active',
    inactive: 'Deactivated',
    you: 'You',
    lastSeen: 'Last seen',
    notKnown: 'Not known',
    passkey: 'Passkeys',
    passkeys: (count) => count,
    noPasskey: 'None',
    waiting: 'Pending invitations',
    email: 'E-mail',
    invitedBy: 'Invited by',
    operator: 'The operator',
    until: 'Expires',
    actions: 'Actions',
    again: 'Send again',
    withdraw: 'Withdraw',
    noneWaiting: 'No pending invitations',
    noneWaitingText: 'People you invite get a mail and are listed here until they accept.',
  },
  ja: {
    title: 'メンバー',
    invite: 'メンバーを招待',
    members: 'このショップのメンバー',
    name: '名前',
    permissions: '権限',
    state: '状態',
    active: '有効',
    inactive: '停止中',
    you: 'あなた',
    lastSeen: '最終アクセス',
    notKnown: '不明',
    passkey: 'パスキー',
    passkeys: (count) => `${count} 件`,
    noPasskey: 'なし',
    waiting: '承諾待ちの招待',
    email: 'メールアドレス',
    invitedBy: '招待した人',
    operator: '運営者',
    until: '有効期限',
    actions: '操作',
    again: '再送信',
    withdraw: '取り消す',
    noneWaiting: '承諾待ちの招待はありません',
    noneWaitingText: '招待した方にはメールが届き、承諾されるまでここに表示されます。',
  },
};

/** Mounts the list of members and of invitations that wait. */
export function mountMemberList(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/members', 'members.manage', async (visit) => {
    const { shop, now, language } = visit;
    const [members, presence, invitations] = await Promise.all([
      listMembers(db, shop.id),
      readMemberPresence(db, shop.id),
      listInvitations(db, shop.id, now),
    ]);
    const text = WORDS[language];
    return showPage({
      title: text.title,
      section: 'members',
      tools: linkButton({
        href: visit.path('/members/invite'),
        label: text.invite,
        kind: 'first',
        icon: 'plus',
      }),
      content: html`<section class="sheet">${renderMembers(visit, members, presence)}</section>
        <section class="sheet">
          <h2>${text.waiting}</h2>
          ${
            invitations.length === 0
              ? emptyState(text.noneWaiting, text.noneWaitingText)
              : renderInvitations(visit, invitations)
          }
        </section>`,
    });
  });
}

function renderMembers(
  visit: Visit,
  members: readonly ListedMember[],
  presence: ReadonlyMap<string, MemberPresence>,
): Markup {
  const { language, format, account } = visit;
  const text = WORDS[language];
  return table({
    caption: text.members,
    columns: [
      { label: text.name },
      { label: text.permissions },
      { label: text.state },
      { label: text.lastSeen },
      { label: text.passkey },
    ],
    rows: members.map((member) => {
      const seen = presence.get(member.id);
      const lastSeenAt = seen?.lastSeenAt ?? null;
      const passkeys = seen?.passkeys ?? 0;
      return [
        html`<a href="${visit.path(`/members/${member.id}`)}">${member.name}</a>
          ${member.id === account.id ? badge(text.you) : ''}
          <span class="soft small below">${member.email}</span>`,
        permissionsInWords(member.permissions, language),
        member.isActive ? badge(text.active, 'good') : badge(text.inactive, 'warn'),
        lastSeenAt === null
          ? html`<span class="soft">${text.notKnown}</span>`
          : format.ago(lastSeenAt),
        passkeys === 0
          ? html`<span class="soft">${text.noPasskey}</span>`
          : text.passkeys(format.number(passkeys)),
      ];
    }),
  });
}

function renderInvitations(visit: Visit, invitations: readonly Invitation[]): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  return table({
    caption: text.waiting,
    isCaptionUnseen: true,
    columns: [
      { label: text.email },
      { label: text.permissions },
      { label: text.invitedBy },
      { label: text.until },
      { label: text.actions, isLabelUnseen: true },
    ],
    rows: invitations.map(({ id, email, permissions, inviterName, createdAt, expiresAt }) => [
      email,
      permissionsInWords(permissions, language),
      html`<span
        >${inviterName ?? text.operator}
        <span class="soft small below">${format.ago(createdAt)}</span></span
      >`,
      format.dateTime(expiresAt),
      html`<div class="tools">
        ${
          permissions.every((each) => visit.may(each))
            ? actionButton(visit, {
                action: visit.path(`/members/invitations/${id}/again`),
                label: text.again,
                about: email,
              })
            : ''
        }
        ${actionButton(visit, {
          action: visit.path(`/members/invitations/${id}/withdraw`),
          label: text.withdraw,
          kind: 'danger',
          about: email,
        })}
      </div>`,
    ]),
  });
}
