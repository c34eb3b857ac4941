import type { Language } from '../../pages/language.ts';
import {
  AUDIT_DETAILS,
  type AuditDetail,
  type AuditDetailName,
  type AuditDetails,
} from '../../shops/audit.ts';
import { isScope } from '../../apps/scope.ts';
import { isPermission } from '../../shops/permission.ts';
import { scopeName } from '../apps/scope-words.ts';
import { permissionName } from '../permission-words.ts';

const LABELS: Readonly<Record<Language, Readonly<Record<AuditDetailName, string>>>> = {
  en: {
    name: 'Name',
    contactEmail: 'Contact e-mail',
    before: 'Before',
    after: 'After',
    member: 'Member',
    permissions: 'Permissions',
    scopes: 'May ask for',
    added: 'Added',
    removed: 'Removed',
    redirectUris: 'Redirect URIs',
    sharesCost: 'Cost shared',
    reason: 'Why',
    approvals: 'Approvals that ended',
    sessions: 'Sessions that ended',
    connection: 'Connection',
    origin: 'Host',
    secret: 'Secret',
    way: 'Signed in with',
    failures: 'Failed attempts within an hour',
  },
  ja: {
    name: '名前',
    contactEmail: '連絡先メール',
    before: '変更前',
    after: '変更後',
    member: 'メンバー',
    permissions: '権限',
    scopes: '求めることのできる権限',
    added: '追加',
    removed: '削除',
    redirectUris: 'リダイレクト URI',
    sharesCost: '原価の共有',
    reason: '理由',
    approvals: '終了した承認の数',
    sessions: '終了したセッションの数',
    connection: '接続',
    origin: 'ホスト',
    secret: 'シークレット',
    way: 'ログイン方法',
    failures: '1 時間以内の失敗回数',
  },
};

interface Words {
  readonly yes: string;
  readonly no: string;
  readonly none: string;
  readonly and: string;
  /** Why a connection, an approval or a webhook is over. */
  readonly reasons: Readonly<Record<string, string>>;
  /** How a person signed in. */
  readonly ways: Readonly<Record<string, string>>;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    yes: 'yes',
    no: 'no',
    none: 'none',
    and: ', ',
    reasons: {
      app: 'the app asked for it',
      shop: 'the shop ended it',
      app_deleted: 'the app was removed',
      token_revoked: 'the app gave its token back',
      token_reused:
        'a code or refresh token was used twice or by another app: it may have been stolen',
      shop_closed: 'the shop was closed',
      inviter_lost: 'whoever sent it may no longer invite, or no longer give what it gave',
      replaced: 'a newer one was sent',
      spent: 'the person had become a member in another way',
      gone: 'its receiver answered that it is gone',
      failing: 'notices to it failed for 14 days',
      redirect_uri: 'no redirect URI of the app has its host any more',
    },
    ways: { password: 'password', passkey: 'passkey' },
  },
  ja: {
    yes: 'はい',
    no: 'いいえ',
    none: 'なし',
    and: '、',
    reasons: {
      app: 'アプリからの要求です',
      shop: 'ショップが終了しました',
      app_deleted: 'アプリが削除されました',
      token_revoked: 'アプリがトークンを返却しました',
      token_reused:
        '認可コードかリフレッシュトークンが二重に、または別のアプリで使われました（盗用の疑い）',
      shop_closed: 'ショップが閉鎖されました',
      inviter_lost: '招待した人が、招待またはその権限の付与をできなくなりました',
      replaced: '新しい招待が送信されました',
      spent: '別の方法でメンバーになりました',
      gone: '受信側が廃止済みと応答しました',
      failing: '14 日間、通知に失敗し続けました',
      redirect_uri: 'アプリのリダイレクト URI に、そのホストがなくなりました',
    },
    ways: { password: 'パスワード', passkey: 'パスキー' },
  },
};

/** The details of an entry as pairs of words. What a newer version wrote, without words here, stands under its own name. */
export function describeDetails(
  details: AuditDetails,
  language: Language,
): readonly (readonly [label: string, text: string])[] {
  const labels: ReadonlyMap<string, string> = new Map(Object.entries(LABELS[language]));
  // The database keeps no order: that of the words is one for all entries.
  const given = Object.entries(details).toSorted(([a], [b]) => placeOf(a) - placeOf(b));
  return given.map(([name, value]) => [labels.get(name) ?? name, textOf(name, value, language)]);
}

function placeOf(name: string): number {
  const place = AUDIT_DETAILS.findIndex((each) => each === name);
  return place === -1 ? AUDIT_DETAILS.length : place;
}

function textOf(name: string, value: AuditDetail, language: Language): string {
  const { yes, no, none, and, reasons, ways } = WORDS[language];
  if (value === null) return none;
  if (typeof value === 'boolean') return value ? yes : no;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    const words = name === 'reason' ? reasons : name === 'way' ? ways : {};
    return words[value] ?? value;
  }
  const texts = value.map((each) => wordOf(each, language));
  return texts.length === 0 ? none : texts.join(and);
}

/** Permissions and scopes by their names on other pages. */
function wordOf(text: string, language: Language): string {
  if (isPermission(text)) return permissionName(text, language);
  return isScope(text) ? scopeName(text, language) : text;
}
