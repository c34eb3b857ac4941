import { consoleMessages } from '../../shared-messages.ts';

export const attemptListMessages = consoleMessages({
  title: {
    en: (app: string) => `Delivery attempts to ${app}`,
    ja: (app: string) => `${app} への配信履歴`,
  },
  caption: { en: 'Attempts, newest first', ja: '配信（新しい順）' },
  result: { en: 'Result', ja: '結果' },
  status: { en: 'Response', ja: '応答' },
  latency: { en: 'Duration', ja: '所要時間' },
  what: { en: 'What went wrong and what to do', ja: '問題と対処方法' },
  kept: {
    en: 'The latest 1,000 attempts are kept for 30 days. The content of events and responses is not stored.',
    ja: '最新 1,000 件を 30 日間保存します。イベントと応答の内容は保存しません。',
  },
  none: { en: 'No attempts yet', ja: '配信履歴はまだありません' },
  noneText: {
    en: 'Attempts appear here when the app has a webhook and the stock changes.',
    ja: 'アプリが Webhook を登録し、在庫が変更されると、ここに表示されます。',
  },
});

export const attemptStripMessages = consoleMessages({
  strip: { en: 'Recent attempts, newest last', ja: '最近の配信（右端が最新）' },
  legend: { en: 'Legend', ja: '記号の意味' },
  number: { en: (number: string) => `Attempt ${number}`, ja: (number: string) => `配信 ${number}` },
  result: { en: 'Result', ja: '結果' },
  status: { en: 'Response', ja: '応答' },
  latency: { en: 'Duration', ja: '所要時間' },
  milliseconds: {
    en: (number: string) => `${number} ms`,
    ja: (number: string) => `${number} ミリ秒`,
  },
  tries: { en: 'Attempts for this event', ja: '同じイベントの試行回数' },
  todo: { en: 'What to do', ja: '対処方法' },
});
