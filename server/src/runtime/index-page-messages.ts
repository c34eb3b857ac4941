import { defineMessages } from '../pages/messages.ts';

export const indexPageMessages = defineMessages({
  title: { en: 'Welcome', ja: 'ようこそ' },
  purpose: {
    en: 'Lets an external app act for one trading-card shop, after a member of that shop has approved it.',
    ja: 'ショップのメンバーが許可した外部アプリが、そのショップのために働けるようにします。',
  },
  docs: { en: 'Docs', ja: 'ドキュメント' },
  quickStart: { en: 'quick start', ja: 'クイックスタート' },
  allPages: { en: 'all pages', ja: 'ページ一覧' },
  partnerApi: { en: 'Partner API', ja: 'パートナーAPI' },
  shopApi: { en: 'Shop API', ja: 'ショップAPI' },
  reference: { en: 'reference', ja: 'リファレンス' },
  authorizationServer: { en: 'Authorization server', ja: '認可サーバー' },
  protectedResource: { en: 'Protected resource', ja: '保護リソース' },
  metadata: { en: 'metadata', ja: 'メタデータ' },
  console: { en: 'Your shop', ja: 'ショップの管理画面' },
  signIn: { en: 'Sign in', ja: 'ログイン' },
});
