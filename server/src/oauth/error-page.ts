import { html } from 'hono/html';
import type { Language } from '../html/language.ts';
import type { MessagesOf } from '../html/messages.ts';
import { type Page, renderPage } from '../html/page.ts';
import type { OAuthRefusal } from './error-body.ts';
import { renderHelpLink } from './help-link.ts';
import { oauthErrorMessages } from './messages.ts';

/** Renders the page for an error that cannot be redirected safely to an app. */
export async function renderErrorPage(
  language: Language,
  refusal: OAuthRefusal,
  requestId: string,
): Promise<Page> {
  const messages = oauthErrorMessages[language];
  return await renderPage({
    status: refusal.status,
    language,
    title: messages.title,
    content: html`<p role="alert">${messages.reasons[kindOf(refusal)]}</p>
      ${renderHelpLink(language)}
      <h2>${messages.details}</h2>
      <p class="soft"><code>${refusal.error}</code>: ${refusal.description}</p>
      <p class="soft">${messages.reference}: <code>${requestId}</code></p>`,
    headers: refusal.headers,
  });
}

function kindOf(refusal: OAuthRefusal): keyof MessagesOf<typeof oauthErrorMessages>['reasons'] {
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
