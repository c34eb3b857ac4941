import { defineMessages } from '../pages/messages.ts';

export const docsMessages = defineMessages({
  docs: { en: 'Docs', ja: 'ドキュメント' },
  skip: { en: 'Skip to the text', ja: '本文へ移動' },
  pages: { en: 'Pages', ja: 'ページ一覧' },
  onThisPage: { en: 'On this page', ja: 'このページの内容' },
  reference: { en: 'API reference', ja: 'APIリファレンス' },
  partnerApi: { en: 'Partner API', ja: 'パートナーAPI' },
  shopApi: { en: 'Shop API', ja: 'ショップAPI' },
  previous: { en: 'Previous', ja: '前へ' },
  next: { en: 'Next', ja: '次へ' },
  neighbours: { en: 'Previous and next page', ja: '前後のページ' },
  source: { en: 'This page as Markdown', ja: 'このページのMarkdown' },
  copy: { en: 'Copy', ja: 'コピー' },
  copied: { en: 'Copied', ja: 'コピーしました' },
  unknown: {
    title: { en: 'Page not found', ja: 'ページが見つかりません' },
    text: {
      en: 'There is no such page in the docs.',
      ja: 'ドキュメントにこのページはありません。',
    },
    link: { en: 'All pages', ja: 'ページ一覧' },
  },
});
