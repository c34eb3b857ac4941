import { html } from 'hono/html';
import { FORM_TOKEN_FIELD } from '../pages/form-guard.ts';
import type { Language } from '../pages/language.ts';
import { type Markup, type Page, renderPage } from '../pages/page.ts';

/** Why the form is shown again. */
export type SignInFault =
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy' }
  | { readonly kind: 'stale' };

export interface SignInPageOptions {
  readonly language: Language;
  /** Where the form is sent. */
  readonly action: string;
  readonly formToken: string;
  /** What was typed before, or null. */
  readonly email: string | null;
  readonly fault: SignInFault | null;
  /** The app that waits for the sign-in, or null. */
  readonly appName: string | null;
  /** Where the answer may redirect to besides this service, or null. */
  readonly formTarget: string | null;
  /** Carried along by the form. */
  readonly hidden: Readonly<Record<string, string>>;
}

const words = {
  en: {
    title: 'Sign in',
    intro: (app: string): Markup => html`<p>Sign in to decide about <strong>${app}</strong>.</p>`,
    email: 'E-mail',
    password: 'Password',
    signIn: 'Sign in',
    refused: 'This e-mail and password do not match an account.',
    throttled: (seconds: number): string => `Too many attempts. Try again in ${seconds} seconds.`,
    busy: 'Too many people are signing in. Try again in a moment.',
    stale: 'This form was out of date. Please try again.',
  },
  ja: {
    title: 'ログイン',
    intro: (app: string): Markup =>
      html`<p><strong>${app}</strong> からの申請を確認するには、ログインしてください。</p>`,
    email: 'メールアドレス',
    password: 'パスワード',
    signIn: 'ログイン',
    refused: 'メールアドレスまたはパスワードが正しくありません。',
    throttled: (seconds: number): string =>
      `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
    busy: 'ただいま混み合っています。しばらくしてからもう一度お試しください。',
    stale: 'フォームの有効期限が切れました。もう一度お試しください。',
  },
} as const;

/** The page on which a person signs in. */
export async function renderSignInPage(options: SignInPageOptions): Promise<Page> {
  const text = words[options.language];
  const { fault } = options;
  const content = html`${options.appName === null ? '' : text.intro(options.appName)}
    ${fault === null ? '' : html`<p class="fault" role="alert" id="fault">${describe(fault, text)}</p>`}
    <form method="post" action="${options.action}">
      <input type="hidden" name="${FORM_TOKEN_FIELD}" value="${options.formToken}" />
      ${Object.entries(options.hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <label for="email">${text.email}</label>
      <input
        type="email"
        id="email"
        name="email"
        value="${options.email ?? ''}"
        autocomplete="username"
        maxlength="254"
        required${fault === null ? '' : html` aria-describedby="fault"`}
        autofocus
      />
      <label for="password">${text.password}</label>
      <input
        type="password"
        id="password"
        name="password"
        autocomplete="current-password"
        maxlength="1024"
        required
      />
      <div class="actions"><button class="first" type="submit">${text.signIn}</button></div>
    </form>`;
  return await renderPage({
    status: statusOf(fault),
    language: options.language,
    title: text.title,
    content,
    ...(options.formTarget === null ? {} : { formTarget: options.formTarget }),
    headers: retryHeaders(fault),
  });
}

function statusOf(fault: SignInFault | null): number {
  switch (fault?.kind) {
    case undefined:
      return 200;
    case 'refused':
      return 400;
    case 'throttled':
      return 429;
    case 'busy':
      return 503;
    case 'stale':
      return 403;
  }
}

function retryHeaders(fault: SignInFault | null): Readonly<Record<string, string>> {
  if (fault?.kind === 'throttled') return { 'retry-after': String(fault.retryAfterSeconds) };
  return fault?.kind === 'busy' ? { 'retry-after': '2' } : {};
}

function describe(fault: SignInFault, text: (typeof words)[Language]): string {
  switch (fault.kind) {
    case 'refused':
      return text.refused;
    case 'throttled':
      return text.throttled(fault.retryAfterSeconds);
    case 'busy':
      return text.busy;
    case 'stale':
      return text.stale;
  }
}
