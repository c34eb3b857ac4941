import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { OpenInvitation } from '../../shops/invitation.ts';
import { newPasswordFields } from '../account/new-password.ts';
import type { LonePage } from '../lone-page.ts';
import { formatOf } from '../format.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { facts, faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import { permissionMeaning, permissionName } from '../permission-words.ts';

/** Who looks at an invitation. */
export type Beholder =
  /** Nobody is signed in, and the address has no account: a new person. */
  | { readonly kind: 'new' }
  /** Nobody is signed in, and the address has an account. */
  | { readonly kind: 'sign_in_needed' }
  | { readonly kind: 'invited' }
  | { readonly kind: 'other'; readonly email: string };

export interface InvitationView {
  readonly invitation: OpenInvitation;
  readonly beholder: Beholder;
  readonly formToken: Markup;
  readonly faults: readonly FormFault[];
  /** What was typed. */
  readonly name: string;
  readonly now: Date;
  /** The shop's, as in the mail. */
  readonly zone: string;
}

/** Where forms and links of an invitation lead. */
export const INVITATION_PATHS = {
  page: '/console/invitations',
  accept: '/console/invitations/accept',
  signOut: '/console/invitations/sign-out',
} as const;

interface Words {
  readonly title: (shop: string) => string;
  readonly by: string;
  readonly operator: string;
  readonly to: string;
  readonly until: string;
  readonly may: string;
  readonly mayNothing: string;
  readonly name: string;
  readonly nameHint: string;
  readonly accept: string;
  readonly notAccepted: string;
  readonly known: string;
  readonly signIn: string;
  readonly invited: string;
  readonly other: (email: string) => string;
  readonly signOut: string;
  readonly gone: string;
  readonly goneText: string;
  readonly goneMember: string;
  readonly throttled: string;
  readonly throttledText: (seconds: number) => string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (shop) => `Invitation to ${shop}`,
    by: 'Invited by',
    operator: 'The operator of this service',
    to: 'For the address',
    until: 'Can be accepted until',
    may: 'What you may do in this shop',
    mayNothing: 'See its Home page. The shop can give you more at any time.',
    name: 'Your name',
    nameHint: 'As the other members of the shop will see it.',
    accept: 'Accept the invitation',
    notAccepted: 'The invitation was not accepted',
    known: 'There is an account for this address already. Sign in with it, and you return here.',
    signIn: 'Sign in',
    invited: 'You are signed in with this address.',
    other: (email) =>
      `You are signed in as ${email}, and this invitation is for another address. Sign out first.`,
    signOut: 'Sign out',
    gone: 'This invitation is not valid',
    goneText:
      'It was accepted already, withdrawn, replaced by a newer one, or it is too old. Open the link of your newest mail again, or ask the shop for another invitation.',
    goneMember: 'If you have accepted it, sign in:',
    throttled: 'Too many attempts',
    throttledText: (seconds) => `Try again in ${seconds} seconds.`,
  },
  ja: {
    title: (shop) => `「${shop}」への招待`,
    by: '招待した人',
    operator: 'このサービスの運営者',
    to: '招待先のアドレス',
    until: '承諾の期限',
    may: 'このショップでできること',
    mayNothing: 'ホームの閲覧のみです。権限はショップがいつでも追加できます。',
    name: 'お名前',
    nameHint: 'ショップのほかのメンバーに表示されます。',
    accept: '招待を承諾する',
    notAccepted: '招待はまだ承諾されていません',
    known: 'このアドレスのアカウントはすでにあります。ログインすると、この画面に戻ります。',
    signIn: 'ログイン',
    invited: 'このアドレスでログインしています。',
    other: (email) =>
      `${email} でログインしていますが、この招待は別のアドレス宛てです。先にログアウトしてください。`,
    signOut: 'ログアウト',
    gone: 'この招待は使えません',
    goneText:
      'すでに承諾されたか、取り消されたか、新しい招待に置き換わったか、期限が切れています。最新のメールのリンクを開き直すか、ショップに再度の招待を依頼してください。',
    goneMember: 'すでに承諾された方は、ログインしてください。',
    throttled: '試行回数が多すぎます',
    throttledText: (seconds) => `${seconds} 秒後にもう一度お試しください。`,
  },
};

/** The page of an invitation that waits: who invites to what, and how to accept it. */
export function invitationPage(language: Language, view: InvitationView): LonePage {
  const text = WORDS[language];
  const { invitation, faults, now, zone } = view;
  const { shopName, inviterName, email, expiresAt, permissions } = invitation;
  const format = formatOf(language, zone, now);
  return {
    status: faults.length === 0 ? 200 : 422,
    title: text.title(shopName),
    content: html`${faultSummary(text.notAccepted, faults)}
      ${facts([
        [text.by, inviterName ?? text.operator],
        [text.to, email],
        [text.until, html`${format.dateTime(expiresAt)} (${format.zone})`],
      ])}
      <h2 class="above">${text.may}</h2>
      ${
        permissions.length === 0
          ? html`<p>${text.mayNothing}</p>`
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
  const text = WORDS[language];
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
          label: text.name,
          hint: text.nameHint,
          value: name,
          autocomplete: 'name',
          maxLength: 200,
          isRequired: true,
          fault: faultOf(faults, 'name'),
        })}
        ${newPasswordFields(language, faults)}
        <div class="actions">${submitButton(text.accept)}</div>
      </form>`;
    case 'sign_in_needed': {
      const href = `/signin?next=${encodeURIComponent(INVITATION_PATHS.page)}`;
      return html`<p>${text.known}</p>
        <div class="actions">${linkButton({ href, label: text.signIn, kind: 'first' })}</div>`;
    }
    case 'invited':
      return html`<p>${text.invited}</p>
        <form method="post" action="${INVITATION_PATHS.accept}">
          ${formToken}
          <div class="actions">${submitButton(text.accept)}</div>
        </form>`;
    case 'other':
      return html`<p>${text.other(beholder.email)}</p>
        <form method="post" action="${INVITATION_PATHS.signOut}">
          ${formToken}
          <div class="actions">${submitButton(text.signOut, 'second')}</div>
        </form>`;
  }
}

/** One page for every invitation that is not, or no more. */
export function goneInvitationPage(language: Language): LonePage {
  const text = WORDS[language];
  return {
    status: 404,
    title: text.gone,
    content: html`<p>${text.goneText}</p>
      <p>${text.goneMember} <a href="/signin">${text.signIn}</a></p>`,
  };
}

/** What who tries too many invitations is told. */
export function throttledInvitationPage(language: Language, seconds: number): LonePage {
  const text = WORDS[language];
  return {
    status: 429,
    title: text.throttled,
    content: html`<p>${text.throttledText(seconds)}</p>`,
  };
}
