import type { ConnectionEnd } from '../../connections/connection.ts';
import type { ApprovalEnd } from '../../grants/approval.ts';
import type { Language } from '../../pages/language.ts';

interface Words {
  readonly connection: Readonly<Record<ConnectionEnd, string>>;
  readonly approval: Readonly<Record<ApprovalEnd, string>>;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    connection: {
      app: 'The app ended it',
      shop: 'The shop ended it',
      app_deleted: 'The app was deleted',
      token_revoked: 'The app gave its access back',
      shop_closed: 'The shop was closed',
    },
    approval: {
      connection_ended: 'The connection ended',
      token_revoked: 'The app gave its access back',
      token_reused:
        'A code or refresh token was used twice or by another app: it may have been stolen, so it was ended',
    },
  },
  ja: {
    connection: {
      app: 'アプリが終了',
      shop: 'ショップが終了',
      app_deleted: 'アプリの削除',
      token_revoked: 'アプリがアクセスを返却',
      shop_closed: 'ショップの閉鎖',
    },
    approval: {
      connection_ended: '接続の終了',
      token_revoked: 'アプリがアクセスを返却',
      token_reused: '認可コードかリフレッシュトークンの二重使用（盗難のおそれがあるため終了）',
    },
  },
};

/** How a connection ended. */
export function endText(reason: ConnectionEnd, language: Language): string {
  return WORDS[language].connection[reason];
}

/** How an approval ended. */
export function approvalEndText(reason: ApprovalEnd, language: Language): string {
  return WORDS[language].approval[reason];
}
