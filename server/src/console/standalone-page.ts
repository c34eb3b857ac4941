import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { parseForm } from '../html/form.ts';
import { FORM_TOKEN_FIELD, type FormGuard } from '../html/form-guard.ts';
import type { Language } from '../html/language.ts';
import { type Markup, pageHeaders } from '../html/page.ts';
import { formRequestOf } from '../sign-in/browser.ts';
import { assetPath } from './assets.ts';
import { CONSOLE_CSP } from './layout.ts';
import { ConsoleRefusal } from './refusal.ts';

/** A page without header and navigation, for people who are not signed in. */
export interface StandalonePage {
  readonly status: number;
  readonly title: string;
  readonly content: Markup;
  /** True if the service's name links to the console. On an invitation page it does not. */
  readonly hasConsoleLink?: boolean;
}

/** The browser neither stores the page (`no-store`) nor sends its address to other sites. */
export async function sendStandalonePage(
  request: FastifyRequest,
  reply: FastifyReply,
  language: Language,
  { status, title, content, hasConsoleLink = false }: StandalonePage,
): Promise<FastifyReply> {
  const document = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Cardport</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${assetPath('console.css')}" />
        <script type="module" src="${assetPath('console.js')}"></script>
      </head>
      <body class="alone">
        <main>
          ${
            hasConsoleLink
              ? html`<p><a class="brand" href="/console">Cardport</a></p>`
              : html`<p class="brand">Cardport</p>`
          }
          <div class="sheet">
            <h1>${title}</h1>
            ${content}
          </div>
        </main>
      </body>
    </html> `;
  reply.headers(pageHeaders(language, CONSOLE_CSP));
  return reply.code(status).send(request.method === 'HEAD' ? '' : String(document));
}

/** Renders the hidden input with which `readStandaloneForm` recognizes the form of a page. */
export function formTokenInput(
  guard: FormGuard,
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: string,
): Markup {
  const { token, setCookie } = guard.issue(request.headers.cookie, purpose);
  if (setCookie !== null) reply.header('set-cookie', [setCookie]);
  return html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}" />`;
}

/** `isFresh` is false if the form was not issued for this purpose to this browser. */
export function readStandaloneForm(
  guard: FormGuard,
  request: FastifyRequest,
  purpose: string,
): { readonly isFresh: boolean; readonly fields: ReadonlyMap<string, string> } {
  const { body } = request;
  const parsed = parseForm(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  if (parsed.kind === 'invalid') throw new ConsoleRefusal({ kind: 'broken_form' });
  const { fields } = parsed;
  const token = fields.get(FORM_TOKEN_FIELD);
  return { isFresh: guard.isValid(formRequestOf(request), token, purpose), fields };
}
