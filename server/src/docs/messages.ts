import { defineMessages } from '../html/messages.ts';

export const docsMessages = defineMessages({
  docs: { en: 'Docs', ja: 'ドキュメント' },
  skip: { en: 'Skip to content', ja: '本文へ移動' },
  pages: { en: 'Pages', ja: 'ページ一覧' },
  onThisPage: { en: 'On this page', ja: 'このページの内容' },
  reference: { en: 'API reference', ja: 'API リファレンス' },
  partnerApi: { en: 'Partner API', ja: 'パートナー API' },
  shopApi: { en: 'Shop API', ja: 'ショップ API' },
  previous: { en: 'Previous', ja: '前へ' },
  next: { en: 'Next', ja: '次へ' },
  neighbors: { en: 'Previous and next page', ja: '前後のページ' },
  source: { en: 'View as Markdown', ja: 'Markdown で表示' },
  linkTo: {
    en: (heading: string): string => `Link to “${heading}”`,
    ja: (heading: string): string => `「${heading}」へのリンク`,
  },
  copy: { en: 'Copy', ja: 'コピー' },
  copied: { en: 'Copied', ja: 'コピーしました' },
  unknown: {
    title: { en: 'Page not found', ja: 'ページが見つかりません' },
    text: {
      en: 'There is no docs page at this address.',
      ja: 'このアドレスにドキュメントのページはありません。',
    },
    link: { en: 'All pages', ja: 'ページ一覧' },
  },
});
