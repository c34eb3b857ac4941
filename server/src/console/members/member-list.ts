import { html } from 'hono/html';
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
import { memberListMessages } from './messages.ts';

/** Mounts the list of members and of invitations that wait. */
export function mountMemberList(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/members', 'members.manage', async (visit) => {
    const { shop, now, language } = visit;
    const [members, presence, invitations] = await Promise.all([
      listMembers(db, shop.id),
      readMemberPresence(db, shop.id),
      listInvitations(db, shop.id, now),
    ]);
    const messages = memberListMessages[language];
    return showPage({
      title: messages.title,
      section: 'members',
      tools: linkButton({
        href: visit.path('/members/invite'),
        label: messages.invite,
        kind: 'first',
        icon: 'plus',
      }),
      content: html`<section class="sheet">${renderMembers(visit, members, presence)}</section>
        <section class="sheet">
          <h2>${messages.waiting}</h2>
          ${
            invitations.length === 0
              ? emptyState(messages.noneWaiting, messages.noneWaitingText)
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
  const messages = memberListMessages[language];
  return table({
    caption: messages.members,
    columns: [
      { label: messages.name },
      { label: messages.permissions },
      { label: messages.state },
      { label: messages.lastSeen },
      { label: messages.passkey },
    ],
    rows: members.map((member) => {
      const seen = presence.get(member.id);
      const lastSeenAt = seen?.lastSeenAt ?? null;
      const passkeys = seen?.passkeys ?? 0;
      return [
        html`<a href="${visit.path(`/members/${member.id}`)}">${member.name}</a>
          ${member.id === account.id ? badge(messages.you) : ''}
          <span class="soft small below">${member.email}</span>`,
        permissionsInWords(member.permissions, language),
        member.isActive ? badge(messages.active, 'good') : badge(messages.inactive, 'warn'),
        lastSeenAt === null
          ? html`<span class="soft">${messages.notKnown}</span>`
          : format.ago(lastSeenAt),
        passkeys === 0
          ? html`<span class="soft">${messages.noPasskey}</span>`
          : messages.passkeys(format.number(passkeys)),
      ];
    }),
  });
}

function renderInvitations(visit: Visit, invitations: readonly Invitation[]): Markup {
  const { language, format } = visit;
  const messages = memberListMessages[language];
  return table({
    caption: messages.waiting,
    isCaptionUnseen: true,
    columns: [
      { label: messages.email },
      { label: messages.permissions },
      { label: messages.invitedBy },
      { label: messages.until },
      { label: messages.actions, isLabelUnseen: true },
    ],
    rows: invitations.map(({ id, email, permissions, inviterName, createdAt, expiresAt }) => [
      email,
      permissionsInWords(permissions, language),
      html`<span
        >${inviterName ?? messages.operator}
        <span class="soft small below">${format.ago(createdAt)}</span></span
      >`,
      format.dateTime(expiresAt),
      html`<div class="tools">
        ${
          permissions.every((each) => visit.may(each))
            ? actionButton(visit, {
                action: visit.path(`/members/invitations/${id}/again`),
                label: messages.again,
                about: email,
              })
            : ''
        }
        ${actionButton(visit, {
          action: visit.path(`/members/invitations/${id}/withdraw`),
          label: messages.withdraw,
          kind: 'danger',
          about: email,
        })}
      </div>`,
    ]),
  });
}
