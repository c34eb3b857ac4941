import { defineMessages } from '../html/messages.ts';

export const indexPageMessages = defineMessages({
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
