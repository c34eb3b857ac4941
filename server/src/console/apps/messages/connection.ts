import type { ConnectionEnd } from '../../../connections/connection.ts';
import type { ApprovalEnd } from '../../../grants/approval.ts';
import { defineMessages, type Message } from '../../../pages/messages.ts';
import { consoleMessages } from '../../shared-messages.ts';

export const approvalMessages = consoleMessages({
  titleOf: {
    en: (name: string) => `Approvals of ${name}`,
    ja: (name: string) => `${name} の承認の履歴`,
  },
  intro: {
    en: 'Each time a member allows an app to act for this shop, it stands here: who, which app, when, and what was allowed.',
    ja: 'メンバーがアプリにこのショップの利用を許可した記録です。誰が、どのアプリに、いつ、何を許可したかがわかります。',
  },
  caption: { en: 'Approvals, the newest first', ja: '承認（新しい順）' },
  allowed: { en: 'Allowed', ja: '許可した内容' },
  /** An active approval that grants nothing at present. */
  outOfUse: { en: 'Out of use', ja: '使用不可' },
  expired: { en: 'Its tokens have expired', ja: 'トークンの期限切れ' },
  inactive: { en: 'Member deactivated', ja: 'メンバー停止中' },
  repeated: {
    en: (times: number, last: string) =>
      `Token answer sent again ${times === 1 ? 'once' : `${times} times`}, last ${last}`,
    ja: (times: number, last: string) => `トークンの応答を再送: ${times} 回（最終: ${last}）`,
  },
  all: { en: 'Approvals of all apps', ja: 'すべてのアプリの承認' },
  none: { en: 'Nothing was approved yet', ja: '承認はまだありません' },
  noneText: {
    en: 'When a member approves an app, it is listed here.',
    ja: 'メンバーがアプリを承認すると、ここに表示されます。',
  },
});

export const connectionListMessages = consoleMessages({
  title: { en: (name: string) => `Connections of ${name}`, ja: (name: string) => `${name} の接続` },
  caption: { en: 'Connections, the newest first', ja: '接続（新しい順）' },
  by: { en: 'By', ja: 'メンバー' },
  active: { en: 'Active', ja: '接続中' },
  why: { en: 'How it ended', ja: '終了の理由' },
  none: { en: 'Never connected', ja: '接続されたことはありません' },
  noneText: {
    en: 'A member connects the app from within the app, and approves it here.',
    ja: '接続はアプリの画面から始め、こちらで承認します。',
  },
});

export const connectionMessages = consoleMessages({
  title: { en: (app: string) => `Connection of ${app}`, ja: (app: string) => `${app} の接続` },
  fact: { en: 'At a glance', ja: '概要' },
  active: { en: 'Active', ja: '接続中' },
  disabled: { en: 'App disabled', ja: 'アプリ無効' },
  by: { en: 'Connected by', ja: '接続したメンバー' },
  until: { en: 'Ended at', ja: '終了日時' },
  why: { en: 'How it ended', ja: '終了の理由' },
  may: { en: 'What the app may do', ja: 'アプリができること' },
  mayNothing: {
    en: 'Nothing: every read is refused. The app needs a new approval by an active member who may see what it reads.',
    ja: '何も読み取れません。閲覧権限のある有効なメンバーが、アプリを再承認する必要があります。',
  },
  approvals: { en: 'Who approved it', ja: '承認したメンバー' },
  allApprovals: { en: 'All approvals of this app', ja: 'このアプリのすべての承認' },
  end: { en: 'End this connection', ja: '接続の終了' },
  endWord: { en: 'End the connection', ja: '接続を終了する' },
  endMeans: {
    en: 'The app loses its access at once. It can come back only if a member approves it again.',
    ja: 'アプリはすぐにアクセスできなくなります。メンバーが再び承認するまで戻れません。',
  },
  over: {
    en: 'This connection has ended. The app can connect again only if a member approves it anew.',
    ja: 'この接続は終了しています。再び接続するには、メンバーの新たな承認が必要です。',
  },
});

export const connectionEndMessages = defineMessages({
  connection: {
    app: { en: 'The app ended it', ja: 'アプリが終了' },
    shop: { en: 'The shop ended it', ja: 'ショップが終了' },
    app_deleted: { en: 'The app was deleted', ja: 'アプリの削除' },
    token_revoked: { en: 'The app gave its access back', ja: 'アプリがアクセスを返却' },
    shop_closed: { en: 'The shop was closed', ja: 'ショップの閉鎖' },
  } satisfies Readonly<Record<ConnectionEnd, Message>>,
  approval: {
    connection_ended: { en: 'The connection ended', ja: '接続の終了' },
    token_revoked: { en: 'The app gave its access back', ja: 'アプリがアクセスを返却' },
    token_reused: {
      en: 'A code or refresh token was used twice or by another app: it may have been stolen, so it was ended',
      ja: '認可コードかリフレッシュトークンの二重使用（盗難のおそれがあるため終了）',
    },
  } satisfies Readonly<Record<ApprovalEnd, Message>>,
});

export const endConnectionMessages = consoleMessages({
  title: {
    en: (app: string) => `End the connection of ${app}?`,
    ja: (app: string) => `${app} の接続を終了しますか？`,
  },
  ends: { en: 'What ends at once', ja: 'すぐに終了するもの' },
  points: {
    en: [
      'The app can read nothing any more: every call is refused, and it is told that the connection was ended.',
      'Its webhook is removed: no notice goes out any more.',
      'All approvals of your members for this app end.',
    ],
    ja: [
      'アプリは何も読み取れなくなります。すべての呼び出しが拒否され、接続が終了したことがアプリに伝わります。',
      'Webhook が削除され、通知は送られなくなります。',
      'メンバーによるこのアプリの承認は、すべて終了します。',
    ],
  },
  after: { en: 'What the app must do to come back', ja: '再び接続するには' },
  afterText: {
    en: 'It has to ask a member for approval again, connect again, and register its webhook again. It need not read everything anew. The app stays registered here, with its secret. What it has read before stays with its maker.',
    ja: 'アプリがメンバーに改めて承認を求め、接続と Webhook の登録をやり直す必要があります。すべてを読み直す必要はありません。アプリの登録とシークレットは残ります。すでに読み取った内容は提供元に残ります。',
  },
  button: { en: 'End the connection', ja: '接続を終了する' },
  keep: { en: 'Keep it', ja: '終了しない' },
});
