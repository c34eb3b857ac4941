import { defineMessages, type Message } from '../../pages/messages.ts';
import type { AuditEntry } from '../../shops/audit-log.ts';
import type { AuditAction, AuditDetailName } from '../../shops/audit.ts';
import { consoleMessages, shared } from '../shared-messages.ts';
import type { Group } from './filters.ts';

export const auditMessages = consoleMessages({
  title: { en: 'Audit log', ja: '監査ログ' },
  lead: {
    en: 'Every change of who may do what in this shop, kept for two years. Times are those of the shop.',
    ja: 'このショップで「誰が何をできるか」の変更をすべて記録し、2 年間保存します。日時はショップのタイムゾーンです。',
  },
  who: { en: 'Who', ja: '実行者' },
  what: { en: 'What was done', ja: '内容' },
  anybody: { en: 'Anybody', ja: 'すべての実行者' },
  anything: { en: 'Everything', ja: 'すべての内容' },
  groups: {
    apps: shared.apps,
    connections: { en: 'Approvals, connections, webhooks', ja: '承認・接続・Webhook' },
    members: { en: 'Members and permissions', ja: 'メンバーと権限' },
    accounts: { en: 'Passwords, passkeys, sessions', ja: 'パスワード・パスキー・セッション' },
    keys: shared.keys,
  } satisfies Readonly<Record<Group, Message>>,
  since: { en: 'Period', ja: '期間' },
  always: { en: 'All time', ja: '全期間' },
  days: {
    en: (days: number) => (days === 1 ? 'Last 24 hours' : `Last ${days} days`),
    ja: (days: number) => (days === 1 ? '過去 24 時間' : `過去 ${days} 日`),
  },
  show: { en: 'Show', ja: '表示' },
  about: {
    en: (id: string) => `Only what concerns ${id}.`,
    ja: (id: string) => `${id} に関する記録だけを表示しています。`,
  },
  all: { en: 'Show everything', ja: 'すべて表示' },
  csv: { en: 'Export as CSV', ja: 'CSV で書き出す' },
  ndjson: { en: 'Export as NDJSON', ja: 'NDJSON で書き出す' },
  none: { en: 'Nothing has happened yet', ja: 'まだ記録はありません' },
  noneText: {
    en: 'As soon as somebody changes who may do what, it is listed here.',
    ja: '権限に関わる変更があると、ここに表示されます。',
  },
  noneOfFilter: { en: 'Nothing matches', ja: '該当する記録はありません' },
  noneOfFilterText: {
    en: 'Choose another person, another time, or everything.',
    ja: '実行者や期間を変えるか、すべてを表示してください。',
  },
});

/** What was done, for each action. The actor stands in another column. */
export const actionMessages = defineMessages({
  'app.registered': { en: 'Registered the app {subject}', ja: 'アプリ{subject}を登録しました' },
  'app.changed': { en: 'Changed the app {subject}', ja: 'アプリ{subject}の設定を変更しました' },
  'app.redirect_uris_changed': {
    en: 'Changed the redirect URIs of the app {subject}',
    ja: 'アプリ{subject}のリダイレクト URIを変更しました',
  },
  'app.secret_added': {
    en: 'Created a second secret for the app {subject}',
    ja: 'アプリ{subject}の 2 つ目のシークレットを発行しました',
  },
  'app.secret_removed': {
    en: 'Removed a secret of the app {subject}',
    ja: 'アプリ{subject}のシークレットを削除しました',
  },
  'app.enabled': { en: 'Enabled the app {subject}', ja: 'アプリ{subject}を有効にしました' },
  'app.disabled': { en: 'Disabled the app {subject}', ja: 'アプリ{subject}を無効にしました' },
  'app.removed': { en: 'Deleted the app {subject}', ja: 'アプリ{subject}を削除しました' },
  'approval.given': { en: 'Approved the app {subject}', ja: 'アプリ{subject}を承認しました' },
  'approval.ended': {
    en: 'Ended an approval of the app {subject}',
    ja: 'アプリ{subject}の承認を終了しました',
  },
  'approval.recovered': {
    en: 'Kept the approval of the app {subject} after a restore of the database',
    ja: 'データベースの復元後もアプリ{subject}の承認を維持しました',
  },
  'connection.opened': {
    en: 'Connected the app {subject}',
    ja: 'アプリ{subject}の接続を開始しました',
  },
  'connection.ended': {
    en: 'Ended the connection of the app {subject}',
    ja: 'アプリ{subject}の接続を終了しました',
  },
  'webhook.registered': {
    en: 'Registered the webhook of the app {subject}',
    ja: 'アプリ{subject}の Webhook を登録しました',
  },
  'webhook.removed': {
    en: 'Removed the webhook of the app {subject}',
    ja: 'アプリ{subject}の Webhook を削除しました',
  },
  'member.added': { en: 'Added the member {subject}', ja: 'メンバー{subject}を追加しました' },
  'member.invited': { en: 'Invited {subject}', ja: '{subject}を招待しました' },
  'member.invitation_withdrawn': {
    en: 'Withdrew the invitation to {subject}',
    ja: '{subject}への招待を取り消しました',
  },
  'member.joined': {
    en: 'Joined as {subject} by an invitation',
    ja: '招待を受けて{subject}として参加しました',
  },
  'member.permissions_changed': {
    en: 'Changed the permissions of {subject}',
    ja: '{subject}の権限を変更しました',
  },
  'member.deactivated': { en: 'Deactivated {subject}', ja: '{subject}の利用を停止しました' },
  'member.activated': { en: 'Activated {subject}', ja: '{subject}の利用を再開しました' },
  'account.signed_in': { en: 'Signed in as {subject}', ja: '{subject}としてログインしました' },
  'account.sign_ins_failed': {
    en: 'Saw many failed attempts to sign in as {subject}',
    ja: '{subject}としてのログインに続けて失敗があったことを検出しました',
  },
  'account.password_changed': {
    en: 'Changed the password of {subject}',
    ja: '{subject}のパスワードを変更しました',
  },
  'account.sessions_ended': { en: 'Signed {subject} out', ja: '{subject}をログアウトさせました' },
  'account.renamed': { en: 'Changed the name of {subject}', ja: '{subject}の名前を変更しました' },
  'account.passkey_added': {
    en: 'Added a passkey of {subject}',
    ja: '{subject}のパスキーを追加しました',
  },
  'account.passkey_renamed': {
    en: 'Renamed a passkey of {subject}',
    ja: '{subject}のパスキーの名前を変更しました',
  },
  'account.passkey_removed': {
    en: 'Removed a passkey of {subject}',
    ja: '{subject}のパスキーを削除しました',
  },
  'shop_key.created': {
    en: 'Created the API key {subject}',
    ja: 'API キー{subject}を作成しました',
  },
  'shop_key.removed': {
    en: 'Removed the API key {subject}',
    ja: 'API キー{subject}を削除しました',
  },
} satisfies Readonly<Record<AuditAction, Message>>);

export const detailMessages = defineMessages({
  labels: {
    name: shared.name,
    contactEmail: { en: 'Contact e-mail', ja: '連絡先メール' },
    before: { en: 'Before', ja: '変更前' },
    after: { en: 'After', ja: '変更後' },
    member: shared.member,
    permissions: shared.permissions,
    scopes: { en: 'May ask for', ja: '求めることのできる権限' },
    added: { en: 'Added', ja: '追加' },
    removed: { en: 'Removed', ja: '削除' },
    redirectUris: shared.redirectUris,
    sharesCost: { en: 'Cost shared', ja: '原価の共有' },
    reason: { en: 'Why', ja: '理由' },
    approvals: { en: 'Approvals that ended', ja: '終了した承認の数' },
    sessions: { en: 'Sessions that ended', ja: '終了したセッションの数' },
    connection: shared.connection,
    origin: { en: 'Host', ja: 'ホスト' },
    secret: { en: 'Secret', ja: 'シークレット' },
    way: { en: 'Signed in with', ja: 'ログイン方法' },
    failures: { en: 'Failed attempts within an hour', ja: '1 時間以内の失敗回数' },
  } satisfies Readonly<Record<AuditDetailName, Message>>,
  yes: { en: 'yes', ja: 'はい' },
  no: { en: 'no', ja: 'いいえ' },
  none: { en: 'none', ja: 'なし' },
  and: { en: ', ', ja: '、' },
  /** Why a connection, an approval or a webhook ended. */
  reasons: {
    app: { en: 'the app asked for it', ja: 'アプリからの要求です' },
    shop: { en: 'the shop ended it', ja: 'ショップが終了しました' },
    app_deleted: { en: 'the app was removed', ja: 'アプリが削除されました' },
    token_revoked: { en: 'the app gave its token back', ja: 'アプリがトークンを返却しました' },
    token_reused: {
      en: 'a code or refresh token was used twice or by another app: it may have been stolen',
      ja: '認可コードかリフレッシュトークンが二重に、または別のアプリで使われました（盗用の疑い）',
    },
    shop_closed: { en: 'the shop was closed', ja: 'ショップが閉鎖されました' },
    inviter_lost: {
      en: 'whoever sent it may no longer invite, or no longer give what it gave',
      ja: '招待した人が、招待またはその権限の付与をできなくなりました',
    },
    replaced: { en: 'a newer one was sent', ja: '新しい招待が送信されました' },
    spent: {
      en: 'the person had become a member in another way',
      ja: '別の方法でメンバーになりました',
    },
    gone: { en: 'its receiver answered that it is gone', ja: '受信側が廃止済みと応答しました' },
    failing: { en: 'notices to it failed for 14 days', ja: '14 日間、通知に失敗し続けました' },
    redirect_uri: {
      en: 'no redirect URI of the app has its host any more',
      ja: 'アプリのリダイレクト URI に、そのホストがなくなりました',
    },
  },
  /** How a person signed in. */
  ways: {
    password: { en: 'password', ja: 'パスワード' },
    passkey: { en: 'passkey', ja: 'パスキー' },
  },
});

export const actorKindMessages = defineMessages({
  member: shared.member,
  app: shared.app,
  shop_key: shared.key,
  operator: { en: 'Operator', ja: '運営者' },
  service: { en: 'Cardport', ja: 'Cardport' },
} satisfies Readonly<Record<AuditEntry['actor']['kind'], Message>>);

export const auditFileMessages = defineMessages({
  columns: {
    en: [
      'Time (UTC)',
      'Kind of actor',
      'Actor',
      'Actor id',
      'Action',
      'What was done',
      'Subject id',
      'Details',
    ],
    ja: ['日時(UTC)', '実行者の種類', '実行者', '実行者ID', '操作', '内容', '対象ID', '詳細'],
  },
});
