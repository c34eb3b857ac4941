import type { ConnectionEnd } from '../../../connections/connection.ts';
import type { ApprovalEnd } from '../../../approvals/approval.ts';
import { defineMessages, type Message } from '../../../html/messages.ts';
import { consoleMessages } from '../../shared-messages.ts';

export const approvalMessages = consoleMessages({
  titleOf: {
    en: (name: string) => `Approvals of ${name}`,
    ja: (name: string) => `${name} の承認履歴`,
  },
  intro: {
    en: 'Every approval of an app by a member of this shop: who approved which app, when, and what was allowed.',
    ja: 'メンバーがアプリを承認した履歴です。誰が、いつ、どのアプリに、何を許可したかを確認できます。',
  },
  caption: { en: 'Approvals, newest first', ja: '承認（新しい順）' },
  allowed: { en: 'Allowed', ja: '許可した内容' },
  /** Shown for an active approval that currently grants nothing. */
  outOfUse: { en: 'Inactive', ja: '無効' },
  expired: { en: 'Tokens expired', ja: 'トークンの期限切れ' },
  inactive: { en: 'Member deactivated', ja: 'メンバー停止中' },
  repeated: {
    en: (times: number, last: string) =>
      `Token response resent ${times === 1 ? 'once' : `${times} times`}, last ${last}`,
    ja: (times: number, last: string) => `トークンの応答を再送：${times} 回（最終：${last}）`,
  },
  all: { en: 'Approvals of all apps', ja: 'すべてのアプリの承認' },
  none: { en: 'No approvals yet', ja: '承認はまだありません' },
  noneText: {
    en: 'When a member approves an app, the approval appears here.',
    ja: 'メンバーがアプリを承認すると、ここに表示されます。',
  },
});

export const connectionListMessages = consoleMessages({
  title: { en: (name: string) => `Connections of ${name}`, ja: (name: string) => `${name} の接続` },
  caption: { en: 'Connections, newest first', ja: '接続（新しい順）' },
  by: { en: 'Connected by', ja: '接続したメンバー' },
  active: { en: 'Active', ja: '接続中' },
  why: { en: 'Reason', ja: '終了の理由' },
  none: { en: 'No connections yet', ja: '接続履歴はまだありません' },
  noneText: {
    en: 'A member starts the connection in the app, then approves the app here.',
    ja: 'アプリの画面で接続を開始し、Cardport で承認します。',
  },
});

export const connectionMessages = consoleMessages({
  title: { en: (app: string) => `Connection of ${app}`, ja: (app: string) => `${app} の接続` },
  fact: { en: 'Overview', ja: '概要' },
  active: { en: 'Active', ja: '接続中' },
  disabled: { en: 'App disabled', ja: 'アプリ無効' },
  by: { en: 'Connected by', ja: '接続したメンバー' },
  until: { en: 'Ended', ja: '終了日時' },
  why: { en: 'Reason', ja: '終了の理由' },
  may: { en: 'What the app can do', ja: 'アプリに許可されている操作' },
  mayNothing: {
    en: 'Nothing. The app needs a new approval by an active member who may view the data that the app reads.',
    ja: '現在、アプリはデータを取得できません。閲覧権限のある有効なメンバーによる再承認が必要です。',
  },
  approvals: { en: 'Approved by', ja: '承認したメンバー' },
  allApprovals: { en: 'All approvals of this app', ja: 'このアプリのすべての承認' },
  end: { en: 'End connection', ja: '接続の解除' },
  endWord: { en: 'End connection', ja: '接続を解除する' },
  endMeans: {
    en: 'The app loses access immediately. It can reconnect only if a member approves it again.',
    ja: 'アプリはすぐにアクセスできなくなります。再び接続するには、メンバーの再承認が必要です。',
  },
  over: {
    en: 'This connection has ended. The app can reconnect only if a member approves it again.',
    ja: 'この接続は終了しています。再び接続するには、メンバーの再承認が必要です。',
  },
});

export const connectionEndMessages = defineMessages({
  connection: {
    app: { en: 'Ended by the app', ja: 'アプリが解除' },
    shop: { en: 'Ended by the shop', ja: 'ショップが解除' },
    app_deleted: { en: 'App deleted', ja: 'アプリの削除' },
    token_revoked: { en: 'Token revoked by the app', ja: 'アプリによるトークンの失効' },
    shop_closed: { en: 'Shop closed', ja: 'ショップの閉鎖' },
  } satisfies Readonly<Record<ConnectionEnd, Message>>,
  approval: {
    connection_ended: { en: 'Connection ended', ja: '接続の解除' },
    token_revoked: { en: 'Token revoked by the app', ja: 'アプリによるトークンの失効' },
    token_reused: {
      en: 'An authorization code or refresh token was used twice or by another app. It may have been stolen',
      ja: '認可コードまたはリフレッシュトークンの不正使用の疑い（二重使用、または別アプリによる使用）',
    },
  } satisfies Readonly<Record<ApprovalEnd, Message>>,
});

export const endConnectionMessages = consoleMessages({
  title: {
    en: (app: string) => `End the connection of ${app}?`,
    ja: (app: string) => `${app} の接続を解除しますか？`,
  },
  ends: { en: 'What ends immediately', ja: 'すぐに停止するもの' },
  points: {
    en: [
      'The app loses access. Every request is refused with an error that says that the connection has ended.',
      'Its webhook is removed. No more events are sent.',
      'All approvals of this app by your members end.',
    ],
    ja: [
      'アプリはアクセスできなくなります。接続が解除されたことを示すエラーで、すべてのリクエストが拒否されます。',
      'Webhook が削除され、イベントは配信されなくなります。',
      'メンバーによるこのアプリの承認は、すべて取り消されます。',
    ],
  },
  after: { en: 'How the app can reconnect', ja: '再び接続するには' },
  afterText: {
    en: 'The app asks a member for approval again, then connects and registers its webhook again. It can continue from its last position. The app stays registered here and keeps its secret. Data that it has already read stays with its provider.',
    ja: 'アプリがメンバーに再び承認を依頼し、接続と Webhook の登録をやり直します。データは前回の続きから取得できます。アプリの登録とシークレットは残ります。取得済みのデータは提供元に残ります。',
  },
  button: { en: 'End connection', ja: '接続を解除する' },
  keep: { en: 'Cancel', ja: 'キャンセル' },
});
