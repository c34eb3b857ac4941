import { consoleMessages } from '../../shared-messages.ts';

export const attemptListMessages = consoleMessages({
  title: {
    en: (app: string) => `Attempts to tell ${app}`,
    ja: (app: string) => `${app} への送信の記録`,
  },
  caption: { en: 'Attempts, the newest first', ja: '送信（新しい順）' },
  result: { en: 'Result', ja: '結果' },
  status: { en: 'Answer', ja: '応答' },
  latency: { en: 'Took', ja: '所要時間' },
  what: { en: 'What went wrong, and what to do', ja: '問題と対処方法' },
  kept: {
    en: 'The newest 1,000 are kept, for 30 days. What a notice or its answer said is never kept.',
    ja: '最新 1,000 件を 30 日間保存します。通知と応答の内容は保存しません。',
  },
  none: { en: 'Nothing was sent yet', ja: 'まだ送信していません' },
  noneText: {
    en: 'As soon as the app has a webhook and stock changes, attempts are listed here.',
    ja: 'アプリが Webhook を登録し、在庫に変更があると、ここに表示されます。',
  },
});

export const attemptStripMessages = consoleMessages({
  strip: { en: 'The last attempts, the newest at the end', ja: '最近の送信（右端が最新）' },
  legend: { en: 'What the marks mean', ja: '記号の意味' },
  number: { en: (number: string) => `Attempt ${number}`, ja: (number: string) => `送信 ${number}` },
  result: { en: 'Result', ja: '結果' },
  status: { en: 'Answer', ja: '応答' },
  latency: { en: 'Took', ja: '所要時間' },
  milliseconds: {
    en: (number: string) => `${number} ms`,
    ja: (number: string) => `${number} ミリ秒`,
  },
  tries: { en: 'Attempt of this notice', ja: '同じ通知の何回目か' },
  todo: { en: 'What to do', ja: '対処方法' },
});
