import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import { type Invitation, listInvitations } from '../../shops/invitation.ts';
import { type ListedMember, listMembers } from '../../shops/member-list.ts';
import { type SignInSummary, readSignInSummaries } from '../../shops/sign-in-summary.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { clearOneTimeSecret, readOneTimeSecret } from '../one-time-secret.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { copyableValue } from '../parts/copyable.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import { summarizePermissions } from '../permission-text.ts';
import type { RequestContext } from '../request-context.ts';
import { memberListMessages } from './messages.ts';
import { invitationLink } from './send-invitation.ts';

export async function showMembers(
  { db, publicUrl }: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { shop, now, language } = context;
  const [members, presence, invitations] = await Promise.all([
    listMembers(db, shop.id),
    readSignInSummaries(db, shop.id),
    listInvitations(db, shop.id, now),
  ]);
  const messages = memberListMessages[language];
  const path = context.shopPath('/members');
  const secret = await readOneTimeSecret(db, context, path);
  const cookies = secret === null ? [] : [clearOneTimeSecret(path, publicUrl.startsWith('https:'))];
  return showPage({
    title: messages.title,
    cookies,
    section: 'members',
    headerActions: linkButton({
      href: context.shopPath('/members/invite'),
      label: messages.invite,
      kind: 'first',
      icon: 'plus',
    }),
    content: html`${secret === null ? '' : renderLink(context, invitationLink(publicUrl, secret))}
      <section class="sheet">${renderMembers(context, members, presence)}</section>
      <section class="sheet">
        <h2>${messages.waiting}</h2>
        ${renderInvitations(context, invitations)}
      </section>`,
  });
}

/** Renders the link of the invitation that was just created. The link is shown only once. */
function renderLink({ language }: RequestContext, link: string): Markup {
  const messages = memberListMessages[language];
  return html`<section class="sheet once">
    <h2>${messages.link}</h2>
    <p>${messages.linkText}</p>
    <p>${copyableValue(link, language, messages.link)}</p>
  </section>`;
}

function renderMembers(
  context: RequestContext,
  members: readonly ListedMember[],
  presence: ReadonlyMap<string, SignInSummary>,
): Markup | '' {
  const { language, format, account } = context;
  const messages = memberListMessages[language];
  return table({
    caption: messages.members,
    isCaptionShown: true,
    rows: members,
    columns: [
      [
        messages.name,
        ({ id, name, email }) =>
          html`<a href="${context.shopPath(`/members/${id}`)}">${name}</a>
            ${id === account.id ? badge(messages.you) : ''}
            <span class="soft small below">${email}</span>`,
      ],
      [messages.permissions, ({ permissions }) => summarizePermissions(permissions, language)],
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

function renderInvitations(
  context: RequestContext,
  invitations: readonly Invitation[],
): Markup | '' {
  const { language, format } = context;
  const messages = memberListMessages[language];
  return table({
    caption: messages.waiting,
    rows: invitations,
    columns: [
      [messages.email, ({ email }) => email],
      [messages.permissions, ({ permissions }) => summarizePermissions(permissions, language)],
      [
        messages.invitedBy,
        ({ inviterName, createdAt }) =>
          html`<span
            >${inviterName ?? messages.operator}
            <span class="soft small below">${format.ago(createdAt)}</span></span
          >`,
      ],
      [messages.until, ({ expiresAt }) => format.dateTime(expiresAt)],
      [messages.actions, (invitation) => renderActions(context, invitation), 'buttons'],
    ],
    empty: emptyState(messages.noneWaiting, messages.noneWaitingText),
  });
}

function renderActions(
  context: RequestContext,
  { id, email, permissions }: Invitation,
): Markup | '' {
  if (!permissions.every((each) => context.can(each))) return '';
  const messages = memberListMessages[context.language];
  const path = context.shopPath(`/members/invitations/${id}`);
  const again = actionButton(context, {
    action: `${path}/again`,
    label: messages.again,
    about: email,
  });
  return html`<div class="tools">
    ${again}
    ${actionButton(context, {
      action: `${path}/withdraw`,
      label: messages.withdraw,
      kind: 'danger',
      about: email,
    })}
  </div>`;
}
