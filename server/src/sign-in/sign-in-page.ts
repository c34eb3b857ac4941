import { html } from 'hono/html';
import { FORM_TOKEN_FIELD } from '../html/form-guard.ts';
import type { Language } from '../html/language.ts';
import type { MessagesOf } from '../html/messages.ts';
import { type Markup, type Page, renderPage } from '../html/page.ts';
import { signInMessages } from './messages.ts';
import { FORGOT_PASSWORD_PATH } from './password-resets.ts';

/** The reason why the form is shown again. */
export type SignInProblem =
  | { readonly kind: 'refused' }
  | { readonly kind: 'passkey_refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'session_ended' };

export interface SignInPageOptions {
  readonly language: Language;
  readonly action: string;
  readonly formToken: string;
  /** The email address as it was typed, if the form is shown again. */
  readonly email: string | null;
  readonly problem: SignInProblem | null;
  /** The name of the app that requested the sign-in, if any. */
  readonly appName: string | null;
  readonly hidden: Readonly<Record<string, string>>;
  /** Null if passkeys are not possible, because the service is at an IP address. */
  readonly passkey: PasskeyForm | null;
}

export interface PasskeyForm {
  /** The URL that receives the authenticator's response in the field `credential`. */
  readonly action: string;
  /** The URL that returns the challenge as JSON. */
  readonly options: string;
  readonly script: string;
}

export async function renderSignInPage(options: SignInPageOptions): Promise<Page> {
  const messages = signInMessages[options.language];
  const { problem } = options;
  const isEmailKnown = (options.email ?? '') !== '';
  const content = html`${options.appName === null ? '' : messages.intro(options.appName)}
    ${problem === null ? '' : html`<p class="fault" role="alert" id="fault">${describe(problem, messages)}</p>`}
    <form method="post" action="${options.action}">
      <input type="hidden" name="${FORM_TOKEN_FIELD}" value="${options.formToken}" />
      ${Object.entries(options.hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <label for="email">${messages.email}</label>
      <input
        type="email"
        id="email"
        name="email"
        value="${options.email ?? ''}"
        autocomplete="username"
        maxlength="254"
        required${problem === null ? '' : html` aria-describedby="fault"`}
        ${isEmailKnown ? '' : 'autofocus'}
      />
      <label for="password">${messages.password}</label>
      <input
        type="password"
        id="password"
        name="password"
        autocomplete="current-password"
        maxlength="1024"
        required
        ${isEmailKnown ? 'autofocus' : ''}
      />
      <div class="actions"><button class="first" type="submit">${messages.signIn}</button></div>
    </form>
    <p><a href="${FORGOT_PASSWORD_PATH}">${messages.forgot}</a></p>
    ${options.passkey === null ? '' : renderPasskeyForm(options, options.passkey)}`;
  return await renderPage({
    status: statusOf(problem),
    language: options.language,
    title: messages.title,
    content,
    ...(options.passkey === null ? {} : { script: options.passkey.script }),
    headers: retryHeaders(problem),
  });
}

/** The form is hidden until the script finds that the browser supports passkeys. */
function renderPasskeyForm(
  { language, formToken, hidden }: SignInPageOptions,
  { action, options }: PasskeyForm,
): Markup {
  const messages = signInMessages[language];
  return html`<form
    method="post"
    action="${action}"
    data-passkey="get"
    data-options="${options}"
    hidden
  >
    <input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken}" />
    <input type="hidden" name="credential" value="" />
    ${Object.entries(hidden).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <p class="fault" role="alert" data-passkey-fault hidden>${messages.passkeyFailed}</p>
    <div class="actions"><button type="submit">${messages.passkey}</button></div>
  </form>`;
}

function statusOf(problem: SignInProblem | null): number {
  switch (problem?.kind) {
    case undefined:
    case 'session_ended':
      return 200;
    case 'refused':
    case 'passkey_refused':
      return 400;
    case 'throttled':
      return 429;
    case 'busy':
      return 503;
    case 'stale':
      return 403;
  }
}

function retryHeaders(problem: SignInProblem | null): Readonly<Record<string, string>> {
  if (problem?.kind === 'throttled') return { 'retry-after': String(problem.retryAfterSeconds) };
  return problem?.kind === 'busy' ? { 'retry-after': '2' } : {};
}

function describe(problem: SignInProblem, messages: MessagesOf<typeof signInMessages>): string {
  switch (problem.kind) {
    case 'refused':
      return messages.refused;
    case 'passkey_refused':
      return messages.passkeyRefused;
    case 'throttled':
      return messages.throttled(problem.retryAfterSeconds);
    case 'busy':
      return messages.busy;
    case 'stale':
      return messages.stale;
    case 'session_ended':
      return messages.sessionEnded;
  }
}
