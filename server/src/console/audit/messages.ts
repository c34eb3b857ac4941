import { defineMessages, type Message } from '../../html/messages.ts';
import type { AuditEntry } from '../../shops/audit-log.ts';
import type { AuditAction, AuditDetailName } from '../../shops/audit.ts';
import { consoleMessages, sharedMessages } from '../shared-messages.ts';
import type { ActionGroup } from './filters.ts';

export const auditMessages = consoleMessages({
  title: { en: 'Audit log', ja: '監査ログ' },
  lead: {
    en: 'Every change to access in this shop, kept for two years. Times are in the shop’s time zone.',
    ja: 'このショップの権限やアクセスに関する変更をすべて記録し、2 年間保存します。日時はショップのタイムゾーンです。',
  },
  who: { en: 'Who', ja: '実行者' },
  what: { en: 'Action', ja: '内容' },
  anybody: { en: 'Anyone', ja: 'すべての実行者' },
  anything: { en: 'All actions', ja: 'すべての内容' },
  groups: {
    apps: sharedMessages.apps,
    connections: { en: 'Approvals, connections, webhooks', ja: '承認・接続・Webhook' },
    members: { en: 'Members and permissions', ja: 'メンバーと権限' },
    accounts: { en: 'Passwords, passkeys, sessions', ja: 'パスワード・パスキー・セッション' },
    keys: sharedMessages.keys,
    shop: { en: 'The shop', ja: 'ショップ' },
  } satisfies Readonly<Record<ActionGroup, Message>>,
  since: { en: 'Period', ja: '期間' },
  always: { en: 'All time', ja: '全期間' },
  days: {
    en: (days: number) => (days === 1 ? 'Last 24 hours' : `Last ${days} days`),
    ja: (days: number) => (days === 1 ? '過去 24 時間' : `過去 ${days} 日`),
  },
  show: { en: 'Show', ja: '表示' },
  about: {
    en: (id: string) => `Showing only entries about ${id}.`,
    ja: (id: string) => `${id} に関する記録だけを表示しています。`,
  },
  all: { en: 'Clear filters', ja: '条件をクリア' },
  csv: { en: 'Export as CSV', ja: 'CSV でエクスポート' },
  ndjson: { en: 'Export as NDJSON', ja: 'NDJSON でエクスポート' },
  none: { en: 'No entries yet', ja: 'まだ記録はありません' },
  noneText: {
    en: 'Changes to permissions and access will appear here.',
    ja: '権限やアクセスに関する変更があると、ここに表示されます。',
  },
  noneOfFilter: { en: 'No results', ja: '該当する記録はありません' },
  noneOfFilterText: {
    en: 'Try another person or period, or clear the filters.',
    ja: '実行者や期間を変えるか、条件をクリアしてください。',
  },
});

/** The sentence for each action. Another column names the actor. */
export const actionMessages = defineMessages({
  'app.registered': { en: 'Registered the app {subject}', ja: 'アプリ{subject}を登録しました' },
  'app.changed': { en: 'Changed the app {subject}', ja: 'アプリ{subject}の設定を変更しました' },
  'app.redirect_uris_changed': {
    en: 'Changed the redirect URIs of the app {subject}',
    ja: 'アプリ{subject}のリダイレクト URI を変更しました',
  },
  'app.secret_added': {
    en: 'Created a second secret for the app {subject}',
    ja: 'アプリ{subject}の 2 つ目のシークレットを作成しました',
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
    ja: 'アプリ{subject}の承認を取り消しました',
  },
  'approval.recovered': {
    en: 'Kept the approval of the app {subject} after a database restore',
    ja: 'データベースの復元後もアプリ{subject}の承認を維持しました',
  },
  'connection.opened': {
    en: 'Connected the app {subject}',
    ja: 'アプリ{subject}の接続を開始しました',
  },
  'connection.ended': {
    en: 'Ended the connection of the app {subject}',
    ja: 'アプリ{subject}の接続を解除しました',
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
    en: 'Joined as {subject} with an invitation',
    ja: '招待を受けて{subject}として参加しました',
  },
  'member.permissions_changed': {
    en: 'Changed the permissions of {subject}',
    ja: '{subject}の権限を変更しました',
  },
  'member.deactivated': { en: 'Deactivated {subject}', ja: '{subject}の利用を停止しました' },
  'member.activated': { en: 'Reactivated {subject}', ja: '{subject}の利用を再開しました' },
  'account.signed_in': { en: 'Signed in as {subject}', ja: '{subject}としてログインしました' },
  'account.sign_ins_failed': {
    en: 'Detected many failed sign-ins as {subject}',
    ja: '{subject}としてのログインの連続失敗を検出しました',
  },
  'account.password_changed': {
    en: 'Changed the password of {subject}',
    ja: '{subject}のパスワードを変更しました',
  },
  'account.password_reset': {
    en: 'Reset the password of {subject} with a link',
    ja: '{subject}のパスワードをリンクから再設定しました',
  },
  'account.reset_link_sent': {
    en: 'Emailed a link to reset the password of {subject}',
    ja: '{subject}にパスワード再設定のリンクをメールで送信しました',
  },
  'account.reset_link_shown': {
    en: 'Created a link to reset the password of {subject}',
    ja: '{subject}のパスワードを再設定するリンクを作成しました',
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
  'shop.set_up': {
    en: 'Set up the first shop, {subject}',
    ja: '最初のショップ{subject}を作成しました',
  },
  'shop.renamed': { en: 'Renamed the shop {subject}', ja: 'ショップ{subject}の名前を変更しました' },
  'shop.changed': {
    en: 'Changed the settings of the shop {subject}',
    ja: 'ショップ{subject}の設定を変更しました',
  },
  'shop.closed': { en: 'Closed the shop {subject}', ja: 'ショップ{subject}を閉鎖しました' },
  'shop.reopened': { en: 'Reopened the shop {subject}', ja: 'ショップ{subject}を再開しました' },
} satisfies Readonly<Record<AuditAction, Message>>);

export const detailMessages = defineMessages({
  labels: {
    name: sharedMessages.name,
    contactEmail: { en: 'Contact email', ja: '連絡先メール' },
    before: { en: 'Before', ja: '変更前' },
    after: { en: 'After', ja: '変更後' },
    member: sharedMessages.member,
    permissions: sharedMessages.permissions,
    scopes: { en: 'Access', ja: 'アクセス範囲' },
    added: { en: 'Added', ja: '追加' },
    removed: { en: 'Removed', ja: '削除' },
    redirectUris: sharedMessages.redirectUris,
    sharesCost: { en: 'Cost shared', ja: '原価の共有' },
    reason: { en: 'Reason', ja: '理由' },
    approvals: { en: 'Approvals ended', ja: '取り消した承認の数' },
    sessions: { en: 'Sessions ended', ja: '終了したセッションの数' },
    connection: sharedMessages.connection,
    origin: { en: 'Host', ja: 'ホスト' },
    secret: { en: 'Secret', ja: 'シークレット' },
    way: { en: 'Signed in with', ja: 'ログイン方法' },
    failures: { en: 'Failed attempts within an hour', ja: '1 時間以内の失敗回数' },
    timezone: sharedMessages.timezone,
    currency: sharedMessages.currency,
    language: sharedMessages.language,
  } satisfies Readonly<Record<AuditDetailName, Message>>,
  yes: { en: 'yes', ja: 'はい' },
  no: { en: 'no', ja: 'いいえ' },
  none: { en: 'none', ja: 'なし' },
  and: { en: ', ', ja: '、' },
  /** The reasons why a connection, an approval or a webhook ended. */
  reasons: {
    app: { en: 'requested by the app', ja: 'アプリによる操作' },
    shop: { en: 'ended by the shop', ja: 'ショップによる解除' },
    app_deleted: { en: 'app deleted', ja: 'アプリの削除' },
    token_revoked: { en: 'token revoked by the app', ja: 'アプリによるトークンの失効' },
    token_reused: {
      en: 'an authorization code or refresh token was used twice or by another app; it may have been stolen',
      ja: '認可コードまたはリフレッシュトークンの不正使用の疑い（二重使用、または別アプリによる使用）',
    },
    shop_closed: { en: 'shop closed', ja: 'ショップの閉鎖' },
    inviter_lost: {
      en: 'the inviter lost the permission to invite, or a permission that the invitation gives',
      ja: '招待した人が、招待に必要な権限、または招待で付与する権限を失ったため',
    },
    replaced: { en: 'a newer invitation was sent', ja: '新しい招待の送信' },
    spent: {
      en: 'the person had already become a member',
      ja: '別の方法でメンバーになったため',
    },
    gone: {
      en: 'the receiver responded with 410 (gone)',
      ja: '受信側が 410（廃止済み）を返したため',
    },
    failing: { en: 'deliveries failed for 14 days', ja: '配信の失敗が 14 日間続いたため' },
    redirect_uri: {
      en: 'none of the app’s redirect URIs has the webhook’s host',
      ja: '同じホストのリダイレクト URI がなくなったため',
    },
  },
  /** The ways in which a person signed in. */
  ways: {
    password: { en: 'password', ja: 'パスワード' },
    passkey: { en: 'passkey', ja: 'パスキー' },
  },
});

export const actorKindMessages = defineMessages({
  member: sharedMessages.member,
  app: sharedMessages.app,
  shop_key: sharedMessages.key,
  operator: { en: 'Operator', ja: '運営者' },
  service: { en: 'Cardport', ja: 'Cardport' },
} satisfies Readonly<Record<AuditEntry['actor']['kind'], Message>>);

export const auditFileMessages = defineMessages({
  columns: {
    en: [
      'Time (UTC)',
      'Actor type',
      'Actor',
      'Actor ID',
      'Action',
      'Description',
      'Subject ID',
      'Details',
    ],
    ja: ['日時（UTC）', '実行者の種類', '実行者', '実行者 ID', '操作', '内容', '対象 ID', '詳細'],
  },
});
