import { defineMessages, type Message } from '../../../pages/messages.ts';
import type { RemovalReason } from '../../../webhooks/registration.ts';
import { consoleMessages, shared } from '../../shared-messages.ts';

export const webhookStateMessages = defineMessages({
  none: {
    name: shared.none,
    meaning: {
      en: 'The app asks for changes by itself. It may register a webhook to be told at once.',
      ja: 'アプリは自分で変更を確認しています。Webhook を登録すると、すぐに通知を受け取れます。',
    },
  },
  removed: {
    app: { en: 'The app removed it.', ja: 'アプリが削除しました。' },
    gone: {
      en: 'The app’s receiver said that it is gone for good (410).',
      ja: 'アプリの受信側が、廃止済み（410）と応答しました。',
    },
    failing: { en: 'It had failed for 14 days.', ja: '14 日間失敗が続きました。' },
    redirect_uri: {
      en: 'The redirect URIs of the app no longer name its host.',
      ja: 'アプリのリダイレクト URI から、そのホストがなくなりました。',
    },
    connection_ended: { en: 'It ended with the connection.', ja: '接続とともに終了しました。' },
  } satisfies Readonly<Record<RemovalReason, Message>>,
  states: {
    idle: {
      name: { en: 'Up to date', ja: '最新' },
      meaning: { en: 'The app has been told of everything.', ja: 'アプリにはすべて通知済みです。' },
    },
    due: {
      name: { en: 'Sending', ja: '送信中' },
      meaning: {
        en: 'A notice is on its way, or goes out at once.',
        ja: '通知を送信中か、まもなく送信します。',
      },
    },
    retrying: {
      name: { en: 'Failing', ja: '失敗中' },
      meaning: {
        en: 'The app’s receiver does not take our notices. We try again by ourselves, in longer and longer steps, for 14 days.',
        ja: 'アプリの受信側が通知を受け取っていません。間隔を少しずつ延ばしながら、14 日間自動で再送します。',
      },
    },
    paused: {
      name: shared.paused,
      meaning: {
        en: 'The app is disabled: it is told nothing until you enable it.',
        ja: 'アプリが無効のため、有効にするまで通知しません。',
      },
    },
  },
});

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
