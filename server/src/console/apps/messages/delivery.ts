import { defineMessages } from '../../../pages/messages.ts';
import { consoleMessages } from '../../shared-messages.ts';

export const connectionWebhookMessages = consoleMessages({
  url: { en: 'Goes to', ja: '送信先' },
  registered: { en: 'Registered', ja: '登録日時' },
  failingSince: { en: 'Failing since', ja: '失敗の始まり' },
  failures: { en: 'Failed attempts in a row', ja: '連続失敗回数' },
  next: { en: 'Next attempt', ja: '次の送信' },
  atOnce: { en: 'At once', ja: 'まもなく' },
  before: { en: 'The webhook before', ja: '以前の Webhook' },
  removed: { en: 'Removed', ja: '削除日時' },
  attempts: { en: 'Attempts', ja: '送信の記録' },
  noAttempts: { en: 'Nothing was sent yet.', ja: 'まだ送信していません。' },
  all: { en: 'All attempts', ja: 'すべての送信' },
  send: { en: 'Send a notice now', ja: '通知を今すぐ送る' },
  sendText: {
    en: 'A real notice, although nothing may have changed: shows whether the receiver works. A failed one changes nothing else.',
    ja: '変更がなくても本物の通知を送り、受信側の動作を確かめます。失敗しても、ほかに影響はありません。',
  },
});

export const noticeMessages = defineMessages({
  refused: {
    connection_ended: {
      en: 'No notice was sent: the connection has ended.',
      ja: '接続が終了しているため、通知を送信しませんでした。',
    },
    no_webhook: {
      en: 'No notice was sent: the app has no webhook.',
      ja: 'アプリに Webhook がないため、通知を送信しませんでした。',
    },
    app_disabled: {
      en: 'No notice was sent: the app is disabled.',
      ja: 'アプリが無効のため、通知を送信しませんでした。',
    },
  },
});

export const noticeProgressMessages = defineMessages({
  waits: { en: 'The notice is about to be sent.', ja: 'まもなく通知を送信します。' },
  sent: {
    en: 'The notice was sent. We wait for the answer.',
    ja: '通知を送信しました。応答を待っています。',
  },
  delivered: {
    en: (status: string, latency: string) =>
      `The notice was delivered: answer ${status} after ${latency}.`,
    ja: (status: string, latency: string) => `通知が届きました（応答 ${status}、${latency}）。`,
  },
  failed: { en: 'The notice was not delivered.', ja: '通知は届きませんでした。' },
  again: { en: 'Look again', ja: 'もう一度確認' },
  slow: {
    en: 'It takes longer than usual. The attempts above show it when it has been sent.',
    ja: '通常より時間がかかっています。送信されると、上の記録に表示されます。',
  },
});
