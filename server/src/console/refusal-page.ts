import { html } from 'hono/html';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../html/language.ts';
import type { Markup } from '../html/page.ts';
import { sendStandalonePage } from './standalone-page.ts';
import type { ShopLink } from './gate.ts';
import { permissionName } from './permission-text.ts';
import type { Refusal } from './refusal.ts';
import { refusalMessages } from './messages.ts';

export interface RefusalPage {
  readonly status: number;
  readonly title: string;
  readonly content: Markup;
}

/** Returns the page of a refusal. `sign_in` has no page, because it redirects. */
export function refusalPage(
  language: Language,
  refusal: Exclude<Refusal, { kind: 'sign_in' }>,
): RefusalPage {
  const messages = refusalMessages[language];
  const plain = (status: number, title: string, sentence: string): RefusalPage => ({
    status,
    title,
    content: html`<p>${sentence}</p>`,
  });
  switch (refusal.kind) {
    case 'not_found':
      return plain(404, messages.notFound, messages.notFoundText);
    case 'shop_closed':
      return plain(403, messages.shopClosed, messages.shopClosedText(refusal.name));
    case 'stale_form':
      return plain(403, messages.staleForm, messages.staleFormText);
    case 'broken_form':
      return plain(400, messages.brokenForm, messages.brokenFormText);
    case 'too_many':
      return plain(429, messages.tooMany, messages.tooManyText);
    case 'too_many_exports':
      return plain(429, messages.tooManyExports, messages.tooManyExportsText);
    case 'no_permission':
      return {
        status: 403,
        title: messages.noPermission,
        content: html`<p>${messages.noPermissionText}</p>
          <ul>
            ${refusal.needed.map(
              (permission) =>
                html`<li>${permissionName(permission, language)} <code>${permission}</code></li>`,
            )}
          </ul>
          <p>${messages.askFor}</p>`,
      };
  }
}

/**
 * Returns the page of an error that is not a refusal: 503 if the service is unavailable, 4xx if the
 * form cannot be read, and otherwise 500 with the request id.
 */
export function errorPage(language: Language, status: number, requestId: string): RefusalPage {
  const messages = refusalMessages[language];
  if (status === 503) {
    return { status, title: messages.busy, content: html`<p>${messages.busyText}</p>` };
  }
  if (status < 500) {
    return { status, title: messages.brokenForm, content: html`<p>${messages.brokenFormText}</p>` };
  }
  return {
    status,
    title: messages.fault,
    content: html`<p>${messages.faultText}</p>
      <p>${messages.requestId}: <code>${requestId}</code></p>`,
  };
}

/**
 * Sends the page of a refusal. The page has no navigation, because the person may not be signed in.
 * It links to the shop if the person is a member.
 */
export async function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  language: Language,
  { status, title, content }: RefusalPage,
  shopLink?: ShopLink,
): Promise<FastifyReply> {
  const { href, name } = shopLink ?? { href: '/console', name: refusalMessages[language].home };
  const back = html`<p><a href="${href}">${name}</a></p>`;
  const page = { status, title, content: html`${content} ${back}`, hasConsoleLink: true };
  return await sendStandalonePage(request, reply, language, page);
}
