import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import { type Invitation, listInvitations } from '../../shops/invitation.ts';
import { type ListedMember, listMembers } from '../../shops/member-list.ts';
import { type MemberPresence, readMemberPresence } from '../../shops/member-presence.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import { permissionsInWords } from '../permission-words.ts';
import type { Visit } from '../visit.ts';
import { memberListMessages } from './messages.ts';

export async function showMembers({ db }: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
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
        ${renderInvitations(visit, invitations)}
      </section>`,
  });
}

function renderMembers(
  visit: Visit,
  members: readonly ListedMember[],
  presence: ReadonlyMap<string, MemberPresence>,
): Markup | '' {
  const { language, format, account } = visit;
  const messages = memberListMessages[language];
  return table({
    caption: messages.members,
    isCaptionShown: true,
    rows: members,
    columns: [
      [
        messages.name,
        ({ id, name, email }) =>
          html`<a href="${visit.path(`/members/${id}`)}">${name}</a>
            ${id === account.id ? badge(messages.you) : ''}
            <span class="soft small below">${email}</span>`,
      ],
      [messages.permissions, ({ permissions }) => permissionsInWords(permissions, language)],
      [
        messages.state,
        ({ isActive }) =>
          isActive ? badge(messages.active, 'good') : badge(messages.inactive, 'warn'),
      ],
      [
        messages.lastSeen,
        ({ id }) => {
          const lastSeenAt = presence.get(id)?.lastSeenAt ?? null;
          return lastSeenAt === null
            ? html`<span class="soft">${messages.notKnown}</span>`
            : format.ago(lastSeenAt);
        },
      ],
      [
        messages.passkey,
        ({ id }) => {
          const passkeys = presence.get(id)?.passkeys ?? 0;
          return passkeys === 0
            ? html`<span class="soft">${messages.none}</span>`
            : messages.passkeys(format.number(passkeys));
        },
      ],
    ],
  });
}

function renderInvitations(visit: Visit, invitations: readonly Invitation[]): Markup | '' {
  const { language, format } = visit;
  const messages = memberListMessages[language];
  return table({
    caption: messages.waiting,
    rows: invitations,
    columns: [
      [messages.email, ({ email }) => email],
      [messages.permissions, ({ permissions }) => permissionsInWords(permissions, language)],
      [
        messages.invitedBy,
        ({ inviterName, createdAt }) =>
          html`<span
            >${inviterName ?? messages.operator}
            <span class="soft small below">${format.ago(createdAt)}</span></span
          >`,
      ],
      [messages.until, ({ expiresAt }) => format.dateTime(expiresAt)],
      [messages.actions, (invitation) => renderActions(visit, invitation), 'buttons'],
    ],
    empty: emptyState(messages.noneWaiting, messages.noneWaitingText),
  });
}

function renderActions(visit: Visit, { id, email, permissions }: Invitation): Markup {
  const messages = memberListMessages[visit.language];
  const path = visit.path(`/members/invitations/${id}`);
  const again = actionButton(visit, {
    action: `${path}/again`,
    label: messages.again,
    about: email,
  });
  return html`<div class="tools">
    ${permissions.every((each) => visit.may(each)) ? again : ''}
    ${actionButton(visit, {
      action: `${path}/withdraw`,
      label: messages.withdraw,
      kind: 'danger',
      about: email,
    })}
  </div>`;
}
