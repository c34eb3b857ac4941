import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Language } from '../html/language.ts';
import { type Markup, pageHeaders } from '../html/page.ts';
import { assetPath } from './assets.ts';
import { CONSOLE_CSP } from './layout.ts';

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
