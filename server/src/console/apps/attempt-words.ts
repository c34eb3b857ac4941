import type { Language } from '../../pages/language.ts';
import type { AttemptError } from '../../webhooks/attempt.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { Tone } from '../parts/badge.ts';

interface ErrorWords {
  readonly what: string;
  /** What the shop or the app's developer can do about it. */
  readonly todo: string;
}

interface Words {
  readonly result: Readonly<Record<LoggedAttempt['result'], string>>;
  readonly error: Readonly<Record<AttemptError, ErrorWords>>;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    result: { delivered: 'Delivered', failed: 'Failed', in_progress: 'In progress' },
    error: {
      status: {
        what: 'The receiver answered, but not with success.',
        todo: 'Its developer finds the reason in the receiver’s own log: 401 is mostly an old signing secret, 404 a wrong path, 5xx a fault of the receiver.',
      },
      redirect: {
        what: 'The receiver sent us elsewhere. Notices follow no redirect.',
        todo: 'Ask the developer to register the address at which the receiver answers itself: with https, and with or without a slash at the end.',
      },
      gone: {
        what: 'The receiver answered 410: it wants no more notices. The webhook was removed.',
        todo: 'If that was a mistake, the app registers the webhook again.',
      },
      blocked_address: {
        what: 'The host leads to an address inside a private network. We do not send there.',
        todo: 'Ask the developer to check the host’s DNS records: it has to lead to a public address.',
      },
      dns: {
        what: 'The host’s name was not found.',
        todo: 'Ask the developer to check the DNS records. If the domain has run out, its owner must renew it.',
      },
      connect: {
        what: 'No connection was made.',
        todo: 'Ask the developer to check that the receiver runs, and that no firewall keeps us out.',
      },
      tls: {
        what: 'No safe connection was made (TLS).',
        todo: 'Ask the developer to check the certificate: has it expired, is it for this host, is its chain whole?',
      },
      timeout: {
        what: 'The receiver did not answer in time (15 seconds).',
        todo: 'The receiver should answer first and read the changes afterwards.',
      },
      reset: {
        what: 'The connection broke before an answer came.',
        todo: 'Now and then this is nothing. If it goes on, the developer looks at the receiver and what stands in front of it.',
      },
      protocol: {
        what: 'What came back was no valid HTTP answer.',
        todo: 'Ask the developer to check that a web server answers at this address and port.',
      },
      interrupted: {
        what: 'Our own sending was broken off: nobody knows whether it arrived.',
        todo: 'Nothing has to be done: it was sent again by itself.',
      },
    },
  },
  ja: {
    result: { delivered: '成功', failed: '失敗', in_progress: '送信中' },
    error: {
      status: {
        what: '受信側は応答しましたが、成功ではありませんでした。',
        todo: '開発者が受信側のログで原因を確認してください。401 は古い署名シークレット、404 はパスの誤り、5xx は受信側の不具合であることがほとんどです。',
      },
      redirect: {
        what: '受信側が別のアドレスへ転送しました。通知は転送先へは送りません。',
        todo: '開発者が、転送なしで応答するアドレスを登録してください（https であるか、末尾のスラッシュの有無など）。',
      },
      gone: {
        what: '受信側が 410（通知は不要）と応答したため、Webhook を削除しました。',
        todo: '間違いだった場合は、アプリから Webhook を登録し直してください。',
      },
      blocked_address: {
        what: 'ホストがプライベートネットワーク内のアドレスを指しているため、送信しません。',
        todo: '開発者が DNS を確認し、公開されたアドレスを指すようにしてください。',
      },
      dns: {
        what: 'ホスト名が見つかりませんでした。',
        todo: '開発者が DNS を確認してください。ドメインの期限切れの場合は更新が必要です。',
      },
      connect: {
        what: '接続できませんでした。',
        todo: '受信側が動作しているか、ファイアウォールで遮断されていないかを、開発者が確認してください。',
      },
      tls: {
        what: '安全な接続（TLS）ができませんでした。',
        todo: '開発者が証明書（期限、ホスト名、中間証明書）を確認してください。',
      },
      timeout: {
        what: '受信側が時間内（15 秒）に応答しませんでした。',
        todo: '受信側は先に応答を返し、変更の読み取りはその後で行うようにしてください。',
      },
      reset: {
        what: '応答の前に接続が切れました。',
        todo: 'まれに起こる分には問題ありません。続く場合は、開発者が受信側とその手前の機器を確認してください。',
      },
      protocol: {
        what: '正しい HTTP の応答ではありませんでした。',
        todo: 'このアドレスとポートで Web サーバーが応答しているか、開発者が確認してください。',
      },
      interrupted: {
        what: 'こちらの送信が中断され、届いたかどうかは不明です。',
        todo: '対応は不要です。自動で再送しました。',
      },
    },
  },
};

/** How each result is marked: a letter beside the colour and the shape, so that none is alone. */
export const MARKS: Readonly<Record<LoggedAttempt['result'], string>> = {
  delivered: '✓',
  failed: '✕',
  in_progress: '…',
};

/** The tone of a result. */
export const RESULT_TONES: Readonly<Record<LoggedAttempt['result'], Tone>> = {
  delivered: 'good',
  failed: 'bad',
  in_progress: 'calm',
};

/** What came of an attempt, in a word. */
export function resultText(result: LoggedAttempt['result'], language: Language): string {
  return WORDS[language].result[result];
}

/** What went wrong, in a sentence. */
export function errorText(error: AttemptError, language: Language): string {
  return WORDS[language].error[error].what;
}

/** What to do about it, in a sentence. */
export function remedyText(error: AttemptError, language: Language): string {
  return WORDS[language].error[error].todo;
}
