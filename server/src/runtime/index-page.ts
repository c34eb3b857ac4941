import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { type Markup, renderPage } from '../html/page.ts';
import { languageOf, sendPage } from '../sign-in/browser.ts';
import type { MessagesOf } from '../html/messages.ts';
import { indexPageMessages } from './index-page-messages.ts';

export function registerIndexPage(app: FastifyInstance, publicUrl: string): void {
  app.get('/', async (request, reply) => {
    const language = languageOf(request);
    const { title } = indexPageMessages[language];
    const content = renderContent(indexPageMessages[language], publicUrl);
    return sendPage(reply, await renderPage({ status: 200, language, title, content }));
  });
}

function renderContent(messages: MessagesOf<typeof indexPageMessages>, publicUrl: string): Markup {
  return html`<p>${messages.purpose}</p>
    <dl>
      <dt>${messages.docs}</dt>
      <dd>
        <a href="/docs/quick-start">${messages.quickStart}</a> ·
        <a href="/docs">${messages.allPages}</a>
      </dd>
      <dt>${messages.partnerApi}</dt>
      <dd>
        <code>${publicUrl}/partner/v1</code><br />
        <a href="/docs/reference">${messages.reference}</a> ·
        <a href="/openapi/partner-v1.json">OpenAPI</a> ·
        <a href="/asyncapi/partner-v1.json">AsyncAPI</a>
      </dd>
      <dt>${messages.shopApi}</dt>
      <dd>
        <code>${publicUrl}/shop/v1</code><br />
        <a href="/docs/reference?api=shop">${messages.reference}</a> ·
        <a href="/openapi/shop-v1.json">OpenAPI</a>
      </dd>
      <dt>${messages.authorizationServer}</dt>
      <dd><a href="/auth/.well-known/oauth-authorization-server">${messages.metadata}</a></dd>
      <dt>${messages.protectedResource}</dt>
      <dd><a href="/.well-known/oauth-protected-resource/partner/v1">${messages.metadata}</a></dd>
    </dl>
    <p><a href="/console">${messages.console}</a> · <a href="/signin">${messages.signIn}</a></p>`;
}
