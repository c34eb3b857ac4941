import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { OpenInvitation } from '../../shops/invitation.ts';
import { formatOf } from '../format.ts';
import type { LonePage } from '../lone-page.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { newPasswordFields } from '../parts/new-password.ts';
import { facts, faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import { permissionMeaning, permissionName } from '../permission-words.ts';
import { invitationMessages } from './messages.ts';

/** The relation of the current visitor to an invitation. */
export type Beholder =
  /** Not signed in, and the address has no account: a new person. */
  | { readonly kind: 'new' }
  /** Not signed in, and the address has an account. */
  | { readonly kind: 'sign_in_needed' }
  | { readonly kind: 'invited' }
  | { readonly kind: 'other'; readonly email: string };

export interface InvitationView {
  readonly invitation: OpenInvitation;
  readonly beholder: Beholder;
  readonly formToken: Markup;
  readonly faults: readonly FormFault[];
  /** The name that was typed. */
  readonly name: string;
  readonly now: Date;
  /** The shop's time zone, as in the mail. */
  readonly zone: string;
}

/** Targets of an invitation's forms and links. */
export const INVITATION_PATHS = {
  page: '/console/invitations',
  accept: '/console/invitations/accept',
  signOut: '/console/invitations/sign-out',
} as const;

/** The page of an open invitation: who invites to what, and how to accept. */
export function invitationPage(language: Language, view: InvitationView): LonePage {
  const messages = invitationMessages[language];
  const { invitation, faults, now, zone } = view;
  const { shopName, inviterName, email, expiresAt, permissions } = invitation;
  const format = formatOf(language, zone, now);
  return {
    status: faults.length === 0 ? 200 : 422,
    title: messages.invitation(shopName),
    content: html`${faultSummary(messages.notAccepted, faults)}
      ${facts([
        [messages.by, inviterName ?? messages.operator],
        [messages.to, email],
        [messages.until, html`${format.dateTime(expiresAt)} (${format.zone})`],
      ])}
      <h2 class="above">${messages.may}</h2>
      ${
        permissions.length === 0
          ? html`<p>${messages.mayNothing}</p>`
          : html`<ul>
              ${permissions.map(
                (permission) =>
                  html`<li>
                    <strong>${permissionName(permission, language)}</strong>
                    <span class="soft small below">${permissionMeaning(permission, language)}</span>
                  </li>`,
              )}
            </ul>`
      }
      ${renderAcceptance(language, view)}`,
  };
}

function renderAcceptance(
  language: Language,
  { beholder, formToken, faults, name, invitation }: InvitationView,
): Markup {
  const messages = invitationMessages[language];
  switch (beholder.kind) {
    case 'new':
      return html`<form class="stack above" method="post" action="${INVITATION_PATHS.accept}">
        ${formToken}
        <input
          type="text"
          name="username"
          value="${invitation.email}"
          autocomplete="username"
          hidden
        />
        ${textField({
          name: 'name',
          label: messages.name,
          hint: messages.nameHint,
          value: name,
          autocomplete: 'name',
          maxLength: 200,
          isRequired: true,
          fault: faultOf(faults, 'name'),
        })}
        ${newPasswordFields(language, faults)}
        <div class="actions">${submitButton(messages.accept)}</div>
      </form>`;
    case 'sign_in_needed': {
      const href = `/signin?next=${encodeURIComponent(INVITATION_PATHS.page)}`;
      return html`<p>${messages.known}</p>
        <div class="actions">${linkButton({ href, label: messages.signIn, kind: 'first' })}</div>`;
    }
    case 'invited':
      return html`<p>${messages.invited}</p>
        <form method="post" action="${INVITATION_PATHS.accept}">
          ${formToken}
          <div class="actions">${submitButton(messages.accept)}</div>
        </form>`;
    case 'other':
      return html`<p>${messages.other(beholder.email)}</p>
        <form method="post" action="${INVITATION_PATHS.signOut}">
          ${formToken}
          <div class="actions">${submitButton(messages.signOut, 'second')}</div>
        </form>`;
  }
}

/** The same page for an unknown, used, revoked or expired invitation. */
export function goneInvitationPage(language: Language): LonePage {
  const messages = invitationMessages[language];
  return {
    status: 404,
    title: messages.gone,
    content: html`<p>${messages.goneText}</p>
      <p>${messages.goneMember} <a href="/signin">${messages.signIn}</a></p>`,
  };
}

/** The page after too many attempts. */
export function throttledInvitationPage(language: Language, seconds: number): LonePage {
  const messages = invitationMessages[language];
  return {
    status: 429,
    title: messages.throttled,
    content: html`<p>${messages.throttledText(seconds)}</p>`,
  };
}
