import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import type { Language } from './pages/language.ts';
import { type Markup, renderPage } from './pages/page.ts';
import { languageOf, sendPage } from './signin/browser.ts';

interface Words {
  readonly title: string;
  readonly purpose: string;
  readonly docs: string;
  readonly quickStart: string;
  readonly allPages: string;
  readonly partnerApi: string;
  readonly shopApi: string;
  readonly reference: string;
  readonly authorizationServer: string;
  readonly protectedResource: string;
  readonly metadata: string;
  readonly console: string;
  readonly signIn: string;
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Welcome',
    purpose:
      'Lets an external app act for one trading-card shop, after a member of that shop has approved it.',
    docs: 'Docs',
    quickStart: 'quick start',
    allPages: 'all pages',
    partnerApi: 'Partner API',
    shopApi: 'Shop API',
    reference: 'reference',
    authorizationServer: 'Authorization server',
    protectedResource: 'Protected resource',
    metadata: 'metadata',
    console: 'Your shop',
    signIn: 'Sign in',
  },
  ja: {
    title: 'ようこそ',
    purpose: 'ショップのメンバーが許可した外部アプリが、そのショップのために働けるようにします。',
    docs: 'ドキュメント',
    quickStart: 'クイックスタート',
    allPages: 'ページ一覧',
    partnerApi: 'パートナーAPI',
    shopApi: 'ショップAPI',
    reference: 'リファレンス',
    authorizationServer: '認可サーバー',
    protectedResource: '保護リソース',
    metadata: 'メタデータ',
    console: 'ショップの管理画面',
    signIn: 'ログイン',
  },
};

/** Mounts `/`, where a person who typed the bare address finds what is here. */
export function registerWelcome(app: FastifyInstance, publicUrl: string): void {
  app.get('/', async (request, reply) => {
    const language = languageOf(request);
    const { title } = words[language];
    const content = renderContent(words[language], publicUrl);
    return sendPage(reply, await renderPage({ status: 200, language, title, content }));
  });
}

function renderContent(text: Words, publicUrl: string): Markup {
  return html`<p>${text.purpose}</p>
    <dl>
      <dt>${text.docs}</dt>
      <dd>
        <a href="/docs/quick-start">${text.quickStart}</a> ·
        <a href="/docs">${text.allPages}</a>
      </dd>
      <dt>${text.partnerApi}</dt>
      <dd>
        <code>${publicUrl}/partner/v1</code><br />
        <a href="/docs/reference">${text.reference}</a> ·
        <a href="/openapi/partner-v1.json">OpenAPI</a> ·
        <a href="/asyncapi/partner-v1.json">AsyncAPI</a>
      </dd>
      <dt>${text.shopApi}</dt>
      <dd>
        <code>${publicUrl}/shop/v1</code><br />
        <a href="/docs/reference?api=shop">${text.reference}</a> ·
        <a href="/openapi/shop-v1.json">OpenAPI</a>
      </dd>
      <dt>${text.authorizationServer}</dt>
      <dd><a href="/auth/.well-known/oauth-authorization-server">${text.metadata}</a></dd>
      <dt>${text.protectedResource}</dt>
      <dd><a href="/.well-known/oauth-protected-resource/partner/v1">${text.metadata}</a></dd>
    </dl>
    <p><a href="/console">${text.console}</a> · <a href="/signin">${text.signIn}</a></p>`;
}
