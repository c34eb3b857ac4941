import { html } from 'hono/html';
import type { App } from '../apps/app.ts';
import type { Scope } from '../apps/scope.ts';
import { FORM_TOKEN_FIELD } from '../pages/form-guard.ts';
import type { Language } from '../pages/language.ts';
import { type Markup, type Page, renderPage } from '../pages/page.ts';
import type { Account } from '../shops/account.ts';
import type { Member } from '../shops/member.ts';

export interface ConsentPageOptions {
  readonly language: Language;
  readonly app: App;
  readonly shopName: string;
  readonly account: Account;
  /** Undefined when the account may not decide for this shop. */
  readonly member: Member | undefined;
  readonly scopes: readonly Scope[];
  /** Where the browser goes afterwards. */
  readonly redirectUri: string;
  /** Path of this interaction. */
  readonly action: string;
  readonly formToken: string;
}

const scopeWords: Readonly<Record<Language, Readonly<Record<Scope, string>>>> = {
  en: {
    'purchase-boosts:read': 'See the shop’s buy boosts: what it buys above its usual price',
    'inventory:read':
      'See the shop’s whole stock (sites, storage locations, every item with its price and photos), follow its changes, and search the card catalog',
    openid: 'Recognise you when you come back',
    profile: 'Know your name',
    offline_access: 'Keep this access while you are away, until it is ended',
  },
  ja: {
    'purchase-boosts:read': 'ショップの買取強化（通常より高く買い取る商品）の閲覧',
    'inventory:read':
      'ショップの全在庫（拠点、保管場所、各商品の価格と写真）の閲覧、変更の追跡、カードカタログの検索',
    openid: '再訪時にあなたを識別すること',
    profile: 'あなたの名前の取得',
    offline_access: 'あなたが離れている間も、終了されるまでアクセスを続けること',
  },
};

export const words = {
  en: {
    title: (app: string): string => `Allow ${app}?`,
    refusedTitle: 'You cannot approve this app',
    intro: (app: string, shop: string): Markup =>
      html`<p><strong>${app}</strong> asks to act for the shop <strong>${shop}</strong>.</p>`,
    refused: (shop: string): Markup =>
      html`<p role="alert">
        Your account is not an active member of <strong>${shop}</strong>. Only its members can
        approve this app.
      </p>`,
    app: 'App',
    shop: 'Shop',
    you: 'Signed in as',
    returnsTo: 'Returns to',
    asks: 'It will be able to:',
    cost: 'See what the shop paid for each item',
    identity: 'The app also learns your name and e-mail address, as the member who approved it.',
    noPurchases:
      'Your permissions in this shop do not include “purchases.read”. If you approve, the app will not be able to see buy boosts; another member with this permission can approve instead.',
    end: 'The shop can end this access at any time.',
    allow: 'Allow',
    deny: 'Deny',
    switchAccount: 'Use another account',
  },
  ja: {
    title: (app: string): string => `${app} を許可しますか？`,
    refusedTitle: 'このアプリを承認できません',
    intro: (app: string, shop: string): Markup =>
      html`<p>
        <strong>${app}</strong> が、ショップ <strong>${shop}</strong> へのアクセスを求めています。
      </p>`,
    refused: (shop: string): Markup =>
      html`<p role="alert">
        このアカウントは
        <strong>${shop}</strong> の有効なメンバーではありません。承認できるのはメンバーだけです。
      </p>`,
    app: 'アプリ',
    shop: 'ショップ',
    you: 'ログイン中',
    returnsTo: '戻り先',
    asks: '許可される内容：',
    cost: '各商品の仕入れ価格の閲覧',
    identity: 'アプリには、承認者としてあなたの名前とメールアドレスも伝わります。',
    noPurchases:
      'このショップでのあなたの権限には「purchases.read」が含まれていません。あなたが許可しても、アプリは買取強化を閲覧できません。この権限を持つ別のメンバーが承認できます。',
    end: 'このアクセスは、ショップがいつでも終了できます。',
    allow: '許可する',
    deny: '許可しない',
    switchAccount: '別のアカウントを使う',
  },
} as const;

/** The page on which a member allows or denies; or, for who is no active member of the shop, learns why not. */
export async function renderConsentPage(options: ConsentPageOptions): Promise<Page> {
  const { language, app, shopName, account, member, redirectUri } = options;
  const text = words[language];
  const facts = html`<dl>
    <dt>${text.app}</dt>
    <dd>${app.name}</dd>
    <dt>${text.shop}</dt>
    <dd>${shopName}</dd>
    <dt>${text.you}</dt>
    <dd>${account.name} (${account.email})</dd>
    <dt>${text.returnsTo}</dt>
    <dd>${new URL(redirectUri).origin}</dd>
  </dl>`;
  const body =
    member === undefined
      ? html`${text.refused(shopName)}${facts}`
      : html`${text.intro(app.name, shopName)}${facts}${renderScopes(options, member)}`;
  return await renderPage({
    status: member === undefined ? 403 : 200,
    language,
    title: member === undefined ? text.refusedTitle : text.title(app.name),
    content: html`${body}${renderForms(options, member !== undefined)}`,
    formTarget: redirectUri,
  });
}

function renderScopes({ language, app, scopes }: ConsentPageOptions, member: Member): Markup {
  const text = words[language];
  const seesCost =
    app.sharesCost &&
    scopes.includes('inventory:read') &&
    member.permissions.includes('inventory.cost');
  const lacksPurchases =
    scopes.includes('purchase-boosts:read') && !member.permissions.includes('purchases.read');
  return html`<h2 id="asks">${text.asks}</h2>
    <ul aria-labelledby="asks">
      ${scopes.map((scope) => html`<li>${scopeWords[language][scope]} <span class="soft">(<code>${scope}</code>)</span></li>`)}
      ${seesCost ? html`<li>${text.cost}</li>` : ''}
    </ul>
    ${lacksPurchases ? html`<p class="notice" role="note">${text.noPurchases}</p>` : ''}
    <p class="soft">${text.identity} ${text.end}</p>`;
}

function renderForms(options: ConsentPageOptions, isMember: boolean): Markup {
  const text = words[options.language];
  const token = html`<input
    type="hidden"
    name="${FORM_TOKEN_FIELD}"
    value="${options.formToken}"
  />`;
  return html`<form method="post" action="${options.action}">
      ${token}
      <input type="hidden" name="account" value="${options.account.id}" />
      <div class="actions">
        ${isMember ? html`<button class="first" type="submit" name="decision" value="allow">${text.allow}</button>` : ''}
        <button type="submit" name="decision" value="deny">${text.deny}</button>
      </div>
    </form>
    <form method="post" action="${options.action}/switch">
      ${token}
      <p><button class="link" type="submit">${text.switchAccount}</button></p>
    </form>`;
}
