import { defineMessages } from '../../../html/messages.ts';
import { consoleMessages } from '../../shared-messages.ts';

export const connectionWebhookMessages = consoleMessages({
  url: { en: 'URL', ja: '送信先 URL' },
  registered: { en: 'Registered', ja: '登録日時' },
  failingSince: { en: 'Failing since', ja: '最初の失敗' },
  failures: { en: 'Consecutive failures', ja: '連続失敗回数' },
  next: { en: 'Next attempt', ja: '次回の配信' },
  atOnce: { en: 'Now', ja: 'まもなく' },
  before: { en: 'Previous webhook', ja: '以前の Webhook' },
  removed: { en: 'Removed', ja: '削除日時' },
  attempts: { en: 'Delivery attempts', ja: '配信履歴' },
  noAttempts: { en: 'No attempts yet.', ja: '配信履歴はまだありません。' },
  all: { en: 'View all attempts', ja: 'すべての配信履歴を見る' },
  send: { en: 'Send test delivery', ja: 'テスト配信を実行' },
  sendText: {
    en: 'Sends an event even if nothing has changed, to check that the receiver works. A failed test delivery has no other effect.',
    ja: '変更がなくてもイベントを配信し、受信側の動作を確認します。失敗しても、ほかに影響はありません。',
  },
});

export const testDeliveryMessages = defineMessages({
  refused: {
    connection_ended: {
      en: 'No test delivery was sent, because the connection has ended.',
      ja: '接続が終了しているため、テスト配信を実行できませんでした。',
    },
    no_webhook: {
      en: 'No test delivery was sent, because the app has no webhook.',
      ja: 'アプリに Webhook がないため、テスト配信を実行できませんでした。',
    },
    app_disabled: {
      en: 'No test delivery was sent, because the app is disabled.',
      ja: 'アプリが無効のため、テスト配信を実行できませんでした。',
    },
  },
});

export const deliveryProgressMessages = defineMessages({
  waits: { en: 'Sending the test delivery…', ja: 'テスト配信を実行しています…' },
  sent: {
    en: 'Test delivery sent. Waiting for the response…',
    ja: 'テスト配信を実行しました。応答を待っています…',
  },
  delivered: {
    en: (status: string, latency: string) =>
      `Test delivery succeeded: response ${status} in ${latency}.`,
    ja: (status: string, latency: string) =>
      `テスト配信に成功しました（応答 ${status}、${latency}）。`,
  },
  failed: { en: 'Test delivery failed.', ja: 'テスト配信に失敗しました。' },
  again: { en: 'Refresh', ja: '再読み込み' },
  slow: {
    en: 'This is taking longer than usual. The attempt appears above once it has been sent.',
    ja: '通常より時間がかかっています。送信が完了すると、上の配信履歴に表示されます。',
  },
});
