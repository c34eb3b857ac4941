import type { Language } from '../../pages/language.ts';
import type { AuditAction } from '../../shops/audit.ts';

/** Where a sentence says whose access it is about. */
const SUBJECT_MARK = '{subject}';

/** What was done, for each action in each language; who did it stands beside it. */
const SENTENCES: Readonly<Record<Language, Readonly<Record<AuditAction, string>>>> = {
  en: {
    'app.registered': 'Registered the app {subject}',
    'app.changed': 'Changed the app {subject}',
    'app.redirect_uris_changed': 'Changed the redirect URIs of the app {subject}',
    'app.secret_added': 'Created a second secret for the app {subject}',
    'app.secret_removed': 'Removed a secret of the app {subject}',
    'app.enabled': 'Enabled the app {subject}',
    'app.disabled': 'Disabled the app {subject}',
    'app.removed': 'Deleted the app {subject}',
    'approval.given': 'Approved the app {subject}',
    'approval.ended': 'Ended an approval of the app {subject}',
    'approval.recovered': 'Kept the approval of the app {subject} after a restore of the database',
    'connection.opened': 'Connected the app {subject}',
    'connection.ended': 'Ended the connection of the app {subject}',
    'webhook.registered': 'Registered the webhook of the app {subject}',
    'webhook.removed': 'Removed the webhook of the app {subject}',
    'member.added': 'Added the member {subject}',
    'member.invited': 'Invited {subject}',
    'member.invitation_withdrawn': 'Withdrew the invitation to {subject}',
    'member.joined': 'Joined as {subject} by an invitation',
    'member.permissions_changed': 'Changed the permissions of {subject}',
    'member.deactivated': 'Deactivated {subject}',
    'member.activated': 'Activated {subject}',
    'account.signed_in': 'Signed in as {subject}',
    'account.sign_ins_failed': 'Saw many failed attempts to sign in as {subject}',
    'account.password_changed': 'Changed the password of {subject}',
    'account.sessions_ended': 'Signed {subject} out',
    'account.renamed': 'Changed the name of {subject}',
    'account.passkey_added': 'Added a passkey of {subject}',
    'account.passkey_renamed': 'Renamed a passkey of {subject}',
    'account.passkey_removed': 'Removed a passkey of {subject}',
    'shop_key.created': 'Created the API key {subject}',
    'shop_key.removed': 'Removed the API key {subject}',
  },
  ja: {
    'app.registered': 'アプリ{subject}を登録しました',
    'app.changed': 'アプリ{subject}の設定を変更しました',
    'app.redirect_uris_changed': 'アプリ{subject}のリダイレクト URIを変更しました',
    'app.secret_added': 'アプリ{subject}の 2 つ目のシークレットを発行しました',
    'app.secret_removed': 'アプリ{subject}のシークレットを削除しました',
    'app.enabled': 'アプリ{subject}を有効にしました',
    'app.disabled': 'アプリ{subject}を無効にしました',
    'app.removed': 'アプリ{subject}を削除しました',
    'approval.given': 'アプリ{subject}を承認しました',
    'approval.ended': 'アプリ{subject}の承認を終了しました',
    'approval.recovered': 'データベースの復元後もアプリ{subject}の承認を維持しました',
    'connection.opened': 'アプリ{subject}の接続を開始しました',
    'connection.ended': 'アプリ{subject}の接続を終了しました',
    'webhook.registered': 'アプリ{subject}の Webhook を登録しました',
    'webhook.removed': 'アプリ{subject}の Webhook を削除しました',
    'member.added': 'メンバー{subject}を追加しました',
    'member.invited': '{subject}を招待しました',
    'member.invitation_withdrawn': '{subject}への招待を取り消しました',
    'member.joined': '招待を受けて{subject}として参加しました',
    'member.permissions_changed': '{subject}の権限を変更しました',
    'member.deactivated': '{subject}の利用を停止しました',
    'member.activated': '{subject}の利用を再開しました',
    'account.signed_in': '{subject}としてログインしました',
    'account.sign_ins_failed': '{subject}としてのログインに続けて失敗があったことを検出しました',
    'account.password_changed': '{subject}のパスワードを変更しました',
    'account.sessions_ended': '{subject}をログアウトさせました',
    'account.renamed': '{subject}の名前を変更しました',
    'account.passkey_added': '{subject}のパスキーを追加しました',
    'account.passkey_renamed': '{subject}のパスキーの名前を変更しました',
    'account.passkey_removed': '{subject}のパスキーを削除しました',
    'shop_key.created': 'API キー{subject}を作成しました',
    'shop_key.removed': 'API キー{subject}を削除しました',
  },
};

/** The sentence of an action around its subject: what stands before and behind the name, quoted as the language does. */
export function sentenceOf(
  action: AuditAction,
  language: Language,
): { readonly before: string; readonly behind: string } {
  const [before = '', behind = ''] = SENTENCES[language][action].split(SUBJECT_MARK);
  return language === 'ja'
    ? { before: `${before}「`, behind: `」${behind}` }
    : { before: `${before}“`, behind: `”${behind}` };
}
