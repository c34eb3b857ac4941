import { html } from 'hono/html';
import type { Scope } from '../apps/scope.ts';
import { defineMessages, type Message } from '../html/messages.ts';
import type { Markup } from '../html/page.ts';

export const consentMessages = defineMessages({
  title: {
    en: (app: string): string => `Allow ${app}?`,
    ja: (app: string): string => `${app} を許可しますか？`,
  },
  refusedTitle: { en: 'You cannot approve this app', ja: 'このアプリを承認できません' },
  intro: {
    en: (app: string, shop: string): Markup =>
      html`<p><strong>${app}</strong> wants to access the shop <strong>${shop}</strong>.</p>`,
    ja: (app: string, shop: string): Markup =>
      html`<p>
        <strong>${app}</strong> が「<strong>${shop}</strong>」へのアクセスを求めています。
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
        「<strong>${shop}</strong>」の有効なメンバーではありません。承認できるのはメンバーだけです。
      </p>`,
  },
  noPermission: {
    en: (shop: string): Markup =>
      html`<p role="alert">
        You do not have the permission “Approve apps” in the shop <strong>${shop}</strong>. Nothing
        was approved.
      </p>`,
    ja: (shop: string): Markup =>
      html`<p role="alert">
        あなたには「<strong>${shop}</strong>」の「アプリの承認」権限がありません。アプリは承認されていません。
      </p>`,
  },
  whomToAsk: {
    en: (names: string): string =>
      `Ask a member who may approve apps, or ask for the permission. These members can give it to you: ${names}.`,
    ja: (names: string): string =>
      `承認できるメンバーに依頼するか、次のメンバーに権限の付与を依頼してください：${names}`,
  },
  and: { en: ', ', ja: '、' },
  app: { en: 'App', ja: 'アプリ' },
  shop: { en: 'Shop', ja: 'ショップ' },
  you: { en: 'Signed in as', ja: 'ログイン中のアカウント' },
  returnsTo: { en: 'Returns to', ja: '戻り先' },
  asks: { en: 'This app will be able to:', ja: '許可する内容：' },
  cost: { en: 'View the cost of each unit', ja: '各在庫品の原価の閲覧' },
  identity: {
    en: 'The app also gets your name and email address as the approving member.',
    ja: '承認者として、あなたの名前とメールアドレスもアプリに提供されます。',
  },
  noPurchases: {
    en: 'You do not have the permission “View buy boosts” in this shop. If you approve, the app cannot view buy boosts. A member with this permission can approve the app instead.',
    ja: 'あなたにはこのショップの「買取強化の閲覧」権限がありません。許可しても、アプリは買取強化を閲覧できません。この権限を持つほかのメンバーに承認を依頼してください。',
  },
  end: {
    en: 'The shop can end this access at any time.',
    ja: 'このアクセスは、ショップがいつでも解除できます。',
  },
  allow: { en: 'Allow', ja: '許可する' },
  deny: { en: 'Deny', ja: '許可しない' },
  switchAccount: { en: 'Use another account', ja: '別のアカウントを使う' },
});

export const consentScopeMessages = defineMessages({
  'purchase-boosts:read': {
    en: 'View the shop’s buy boosts (cards and products that it buys above its usual price)',
    ja: 'ショップの買取強化（通常より高く買い取るカード・商品）の閲覧',
  },
  'inventory:read': {
    en: 'View all the shop’s stock (sites, locations, and units with their prices and photos), receive its changes, and search the card catalog',
    ja: 'ショップのすべての在庫（拠点、保管場所、在庫品の価格と写真）の閲覧、変更の取得、カードカタログの検索',
  },
  openid: { en: 'Recognize you when you come back', ja: '次回以降のあなたの識別' },
  profile: { en: 'Know your name', ja: 'あなたの名前の取得' },
  offline_access: {
    en: 'Keep this access while you are signed out, until the connection is ended',
    ja: 'ログアウト中も、接続を解除するまで情報を取得すること',
  },
} satisfies Readonly<Record<Scope, Message>>);

export const helpMessages = defineMessages({
  text: { en: 'What you can do', ja: '対処方法を見る' },
  /** The heading's anchor in `docs/console.md` and `docs/console.ja.md`. */
  section: { en: 'when-an-app-asks-for-approval', ja: 'アプリから承認を求められたら' },
});

export const oauthErrorMessages = defineMessages({
  title: { en: 'This request cannot be completed', ja: 'このリクエストは処理できません' },
  details: { en: 'For the app’s developer', ja: 'アプリ開発者向けの情報' },
  reference: { en: 'Reference', ja: 'お問い合わせ番号' },
  reasons: {
    expired: {
      en: 'This request has expired. Go back to the app and start again.',
      ja: 'このリクエストの有効期限が切れました。アプリに戻り、最初からやり直してください。',
    },
    disabled: {
      en: 'The shop has disabled this app.',
      ja: 'このアプリはショップによって無効にされています。',
    },
    client: { en: 'This app is not registered.', ja: 'このアプリは登録されていません。' },
    redirect: {
      en: 'The shop has not registered the return address that the app uses.',
      ja: 'アプリが指定した戻り先のアドレスは登録されていません。',
    },
    busy: {
      en: 'The service is busy. Try again in a moment.',
      ja: 'ただいま混み合っています。しばらくしてから、もう一度お試しください。',
    },
    throttled: {
      en: 'Too many requests. Try again in a moment.',
      ja: 'リクエストが多すぎます。しばらくしてから、もう一度お試しください。',
    },
    failed: {
      en: 'Something went wrong on our side. Try again in a moment.',
      ja: 'サービス側で問題が発生しました。しばらくしてから、もう一度お試しください。',
    },
    other: {
      en: 'The app sent an invalid request. Contact the app’s developer.',
      ja: 'アプリから不正なリクエストが送信されました。アプリの開発者にご連絡ください。',
    },
  },
});
