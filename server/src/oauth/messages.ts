import { html } from 'hono/html';
import type { Scope } from '../apps/scope.ts';
import { defineMessages, type Message } from '../pages/messages.ts';
import type { Markup } from '../pages/page.ts';

export const consentMessages = defineMessages({
  title: {
    en: (app: string): string => `Allow ${app}?`,
    ja: (app: string): string => `${app} を許可しますか？`,
  },
  refusedTitle: { en: 'You cannot approve this app', ja: 'このアプリを承認できません' },
  intro: {
    en: (app: string, shop: string): Markup =>
      html`<p><strong>${app}</strong> asks to act for the shop <strong>${shop}</strong>.</p>`,
    ja: (app: string, shop: string): Markup =>
      html`<p>
        <strong>${app}</strong> が、ショップ <strong>${shop}</strong> へのアクセスを求めています。
      </p>`,
  },
  refused: {
    en: (shop: string): Markup =>
      html`<p role="alert">
        Your account is not an active member of <strong>${shop}</strong>. Only its members can
        approve this app.
      </p>`,
    ja: (shop: string): Markup =>
      html`<p role="alert">
        このアカウントは
        <strong>${shop}</strong> の有効なメンバーではありません。承認できるのはメンバーだけです。
      </p>`,
  },
  app: { en: 'App', ja: 'アプリ' },
  shop: { en: 'Shop', ja: 'ショップ' },
  you: { en: 'Signed in as', ja: 'ログイン中' },
  returnsTo: { en: 'Returns to', ja: '戻り先' },
  asks: { en: 'It will be able to:', ja: '許可される内容：' },
  cost: { en: 'See what the shop paid for each item', ja: '各商品の仕入れ価格の閲覧' },
  identity: {
    en: 'The app also learns your name and e-mail address, as the member who approved it.',
    ja: 'アプリには、承認者としてあなたの名前とメールアドレスも伝わります。',
  },
  noPurchases: {
    en: 'Your permissions in this shop do not include “purchases.read”. If you approve, the app will not be able to see buy boosts; another member with this permission can approve instead.',
    ja: 'このショップでのあなたの権限には「purchases.read」が含まれていません。あなたが許可しても、アプリは買取強化を閲覧できません。この権限を持つ別のメンバーが承認できます。',
  },
  end: {
    en: 'The shop can end this access at any time.',
    ja: 'このアクセスは、ショップがいつでも終了できます。',
  },
  allow: { en: 'Allow', ja: '許可する' },
  deny: { en: 'Deny', ja: '許可しない' },
  switchAccount: { en: 'Use another account', ja: '別のアカウントを使う' },
});

export const consentScopeMessages = defineMessages({
  'purchase-boosts:read': {
    en: 'See the shop’s buy boosts: what it buys above its usual price',
    ja: 'ショップの買取強化（通常より高く買い取る商品）の閲覧',
  },
  'inventory:read': {
    en: 'See the shop’s whole stock (sites, storage locations, every item with its price and photos), follow its changes, and search the card catalog',
    ja: 'ショップの全在庫（拠点、保管場所、各商品の価格と写真）の閲覧、変更の追跡、カードカタログの検索',
  },
  openid: { en: 'Recognise you when you come back', ja: '再訪時にあなたを識別すること' },
  profile: { en: 'Know your name', ja: 'あなたの名前の取得' },
  offline_access: {
    en: 'Keep this access while you are away, until it is ended',
    ja: 'あなたが離れている間も、終了されるまでアクセスを続けること',
  },
} satisfies Readonly<Record<Scope, Message>>);

export const oauthErrorMessages = defineMessages({
  title: { en: 'This request cannot go on', ja: 'このリクエストは処理できません' },
  details: { en: 'For the app’s developer', ja: 'アプリ開発者向けの情報' },
  reference: { en: 'Reference', ja: '参照番号' },
  reasons: {
    expired: {
      en: 'This request is out of date. Go back to the app and start again.',
      ja: 'このリクエストの有効期限が切れました。アプリに戻り、最初からやり直してください。',
    },
    disabled: {
      en: 'The shop has switched this app off.',
      ja: 'このアプリはショップによって停止されています。',
    },
    client: { en: 'This app is not known here.', ja: 'このアプリは登録されていません。' },
    redirect: {
      en: 'The app asked to return to an address that the shop has not registered for it.',
      ja: 'アプリが指定した戻り先アドレスは、ショップに登録されていません。',
    },
    busy: {
      en: 'The service is busy. Try again in a moment.',
      ja: 'ただいま混み合っています。しばらくしてからもう一度お試しください。',
    },
    throttled: {
      en: 'Too many requests came from here. Try again in a moment.',
      ja: 'リクエストが多すぎます。しばらくしてからもう一度お試しください。',
    },
    failed: {
      en: 'Something went wrong on our side. Try again in a moment.',
      ja: 'サービス側で問題が発生しました。しばらくしてからもう一度お試しください。',
    },
    other: {
      en: 'The app sent a request that cannot be understood. Tell its maker.',
      ja: 'アプリから送られたリクエストを処理できません。アプリの開発元にお知らせください。',
    },
  },
});
