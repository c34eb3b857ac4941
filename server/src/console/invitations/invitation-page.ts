import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import type { OpenInvitation } from '../../shops/invitation.ts';
import { FORGOT_PASSWORD_PATH } from '../../sign-in/password-resets.ts';
import { createFormatter } from '../format.ts';
import type { StandalonePage } from '../standalone-page.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { newPasswordFields } from '../parts/new-password.ts';
import { descriptionList, errorOf, errorSummary, type FormError } from '../parts/notes.ts';
import { permissionDescription, permissionName } from '../permission-text.ts';
import { invitationMessages } from './messages.ts';

/** Describes how the signed-in account, if any, relates to an invitation. */
export type InvitationViewer =
  /** Not signed in, and the invited address has no account: the person is new. */
  | { readonly kind: 'new' }
  /** Not signed in, and the invited address has an account. */
  | { readonly kind: 'sign_in_needed' }
  | { readonly kind: 'invited' }
  /** Invited and signed in, but the account may belong to someone else (decision 0214). */
  | { readonly kind: 'address_unproved' }
  | { readonly kind: 'other'; readonly email: string };

export interface InvitationView {
  readonly invitation: OpenInvitation;
  readonly viewer: InvitationViewer;
  readonly formToken: Markup;
  readonly errors: readonly FormError[];
  /** The person's name as it was typed. */
  readonly name: string;
  readonly now: Date;
  /** The shop's time zone, which the mail uses too. */
  readonly zone: string;
}

/** The addresses of an invitation's forms and links. */
export const INVITATION_PATHS = {
  page: '/console/invitations',
  accept: '/console/invitations/accept',
  signOut: '/console/invitations/sign-out',
} as const;

/** Renders the page of an open invitation: who invites to which shop, and how to accept. */
export function invitationPage(language: Language, view: InvitationView): StandalonePage {
  const messages = invitationMessages[language];
  const { invitation, errors, now, zone } = view;
  const { shopName, inviterName, email, expiresAt, permissions } = invitation;
  const format = createFormatter(language, zone, now);
  return {
    status: errors.length === 0 ? 200 : 422,
    title: messages.invitation(shopName),
    content: html`${errorSummary(messages.notAccepted, errors)}
      ${descriptionList([
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
                    <span class="soft small below"
                      >${permissionDescription(permission, language)}</span
                    >
                  </li>`,
              )}
            </ul>`
      }
      ${renderAcceptance(language, view)}`,
  };
}

function renderAcceptance(
  language: Language,
  { viewer, formToken, errors, name, invitation }: InvitationView,
): Markup {
  const messages = invitationMessages[language];
  switch (viewer.kind) {
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
          error: errorOf(errors, 'name'),
        })}
        ${newPasswordFields(language, errors)}
        <div class="actions">${submitButton(messages.accept)}</div>
      </form>`;
    case 'sign_in_needed': {
      const href = `/signin?next=${encodeURIComponent(INVITATION_PATHS.page)}`;
      return html`<p>${messages.known}</p>
        <div class="actions">${linkButton({ href, label: messages.signIn, kind: 'first' })}</div>`;
    }
    case 'address_unproved':
      return html`<p>${messages.unproved}</p>
        <div class="actions">
          ${linkButton({ href: FORGOT_PASSWORD_PATH, label: messages.reset, kind: 'first' })}
        </div>`;
    case 'invited':
      return html`<p>${messages.invited}</p>
        <form method="post" action="${INVITATION_PATHS.accept}">
          ${formToken}
          <div class="actions">${submitButton(messages.accept)}</div>
        </form>`;
    case 'other':
      return html`<p>${messages.other(viewer.email)}</p>
        <form method="post" action="${INVITATION_PATHS.signOut}">
          ${formToken}
          <div class="actions">${submitButton(messages.signOut, 'second')}</div>
        </form>`;
  }
}

/**
 * Renders the page for an unknown, used, withdrawn or expired invitation. The page is the same in
 * all cases, so that it does not reveal which case applies.
 */
export function invalidInvitationPage(language: Language): StandalonePage {
  const messages = invitationMessages[language];
  return {
    status: 404,
    title: messages.gone,
    content: html`<p>${messages.goneText}</p>
      <p>${messages.goneMember} <a href="/signin">${messages.signIn}</a></p>`,
  };
}
