import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { type Markup, renderPage } from '../html/page.ts';
import { languageOf, sendPage } from '../sign-in/browser.ts';
import { type MessagesOf, defineMessages } from '../html/messages.ts';

const indexPageMessages = defineMessages({
  title: { en: 'Welcome', ja: 'ようこそ' },
  purpose: {
    en: 'Cardport connects apps to a trading-card shop once a member of the shop approves them.',
    ja: 'Cardport は、メンバーが承認した外部アプリをトレーディングカードショップに接続します。',
  },
  docs: { en: 'Docs', ja: 'ドキュメント' },
  quickStart: { en: 'Quick start', ja: 'クイックスタート' },
  allPages: { en: 'All pages', ja: 'ページ一覧' },
  partnerApi: { en: 'Partner API', ja: 'パートナー API' },
  shopApi: { en: 'Shop API', ja: 'ショップ API' },
  reference: { en: 'Reference', ja: 'リファレンス' },
  authorizationServer: { en: 'Authorization server', ja: '認可サーバー' },
  protectedResource: { en: 'Protected resource', ja: '保護リソース' },
  metadata: { en: 'Metadata', ja: 'メタデータ' },
  console: { en: 'Your shop', ja: 'ショップの管理画面' },
  signIn: { en: 'Sign in', ja: 'ログイン' },
});

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
