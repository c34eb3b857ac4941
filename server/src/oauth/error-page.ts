import { html } from 'hono/html';
import type { Language } from '../pages/language.ts';
import { type Page, renderPage } from '../pages/page.ts';
import type { OAuthRefusal } from './error-body.ts';

export const words = {
  en: {
    title: 'This request cannot go on',
    expired: 'This request is out of date. Go back to the app and start again.',
    disabled: 'The shop has switched this app off.',
    client: 'This app is not known here.',
    redirect: 'The app asked to return to an address that the shop has not registered for it.',
    busy: 'The service is busy. Try again in a moment.',
    throttled: 'Too many requests came from here. Try again in a moment.',
    failed: 'Something went wrong on our side. Try again in a moment.',
    other: 'The app sent a request that cannot be understood. Tell its maker.',
    details: 'For the app’s developer',
    reference: 'Reference',
  },
  ja: {
    title: 'このリクエストは処理できません',
    expired: 'このリクエストの有効期限が切れました。アプリに戻り、最初からやり直してください。',
    disabled: 'このアプリはショップによって停止されています。',
    client: 'このアプリは登録されていません。',
    redirect: 'アプリが指定した戻り先アドレスは、ショップに登録されていません。',
    busy: 'ただいま混み合っています。しばらくしてからもう一度お試しください。',
    throttled: 'リクエストが多すぎます。しばらくしてからもう一度お試しください。',
    failed: 'サービス側で問題が発生しました。しばらくしてからもう一度お試しください。',
    other: 'アプリから送られたリクエストを処理できません。アプリの開発元にお知らせください。',
    details: 'アプリ開発者向けの情報',
    reference: '参照番号',
  },
} as const;

/** The page for a refusal that cannot be told to an app, because there is none to return to safely. */
export async function renderErrorPage(
  language: Language,
  refusal: OAuthRefusal,
  requestId: string,
): Promise<Page> {
  const text = words[language];
  return await renderPage({
    status: refusal.status,
    language,
    title: text.title,
    content: html`<p role="alert">${text[kindOf(refusal)]}</p>
      <h2>${text.details}</h2>
      <p class="soft"><code>${refusal.error}</code>: ${refusal.description}</p>
      <p class="soft">${text.reference}: <code>${requestId}</code></p>`,
    headers: refusal.headers,
  });
}

function kindOf(refusal: OAuthRefusal): Exclude<keyof (typeof words)['en'], 'title'> {
  switch (refusal.error) {
    case 'expired_request':
      return 'expired';
    case 'unauthorized_client':
      return 'disabled';
    case 'invalid_client':
      return 'client';
    case 'invalid_redirect_uri':
      return 'redirect';
    case 'temporarily_unavailable':
      return 'busy';
    case 'rate_limited':
      return 'throttled';
    case 'server_error':
      return 'failed';
    default:
      return 'other';
  }
}
