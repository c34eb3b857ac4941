import type { Language } from '../../pages/language.ts';
import type { AttemptError } from '../../webhooks/attempt.ts';

const WORDS: Readonly<Record<Language, Readonly<Record<AttemptError, string>>>> = {
  en: {
    status: 'The receiver refused it',
    redirect: 'The receiver answered with a redirect, which is not followed',
    gone: 'The receiver said that it is gone for good',
    blocked_address: 'The address is not one of the public Internet',
    dns: 'The name of the host is not known',
    connect: 'No connection was made',
    tls: 'No secure connection was made (TLS)',
    timeout: 'No answer came in time',
    reset: 'The receiver broke the connection off',
    protocol: 'The answer was no valid HTTP',
    interrupted: 'The attempt was broken off',
  },
  ja: {
    status: '受信側が拒否しました',
    redirect: '受信側が転送を返しました（転送には従いません）',
    gone: '受信側が廃止済みと応答しました',
    blocked_address: '公開インターネットのアドレスではありません',
    dns: 'ホスト名が見つかりません',
    connect: '接続できませんでした',
    tls: '安全な接続（TLS）ができませんでした',
    timeout: '時間内に応答がありませんでした',
    reset: '受信側が接続を切断しました',
    protocol: '応答が正しい HTTP ではありません',
    interrupted: '送信が中断されました',
  },
};

/** Why an attempt failed, in a few words, with the status of the answer where one came. */
export function attemptErrorText(
  { error, status }: { readonly error: AttemptError | null; readonly status: number | null },
  language: Language,
): string | null {
  if (error === null) return null;
  const text = WORDS[language][error];
  return status === null
    ? text
    : language === 'ja'
      ? `${text}（${status}）`
      : `${text} (${status})`;
}
