import { defineMessages } from '../../../pages/messages.ts';
import { consoleMessages } from '../../shared-messages.ts';

export const attemptListMessages = consoleMessages({
  title: {
    en: (app: string) => `Attempts to tell ${app}`,
    ja: (app: string) => `${app} への送信の記録`,
  },
  caption: { en: 'Attempts, the newest first', ja: '送信（新しい順）' },
  result: { en: 'Result', ja: '結果' },
  status: { en: 'Answer', ja: '応答' },
  latency: { en: 'Took', ja: '所要時間' },
  what: { en: 'What went wrong, and what to do', ja: '問題と対処方法' },
  kept: {
    en: 'The newest 1,000 are kept, for 30 days. What a notice or its answer said is never kept.',
    ja: '最新 1,000 件を 30 日間保存します。通知と応答の内容は保存しません。',
  },
  none: { en: 'Nothing was sent yet', ja: 'まだ送信していません' },
  noneText: {
    en: 'As soon as the app has a webhook and stock changes, attempts are listed here.',
    ja: 'アプリが Webhook を登録し、在庫に変更があると、ここに表示されます。',
  },
});

export const attemptMessages = defineMessages({
  result: {
    delivered: { en: 'Delivered', ja: '成功' },
    failed: { en: 'Failed', ja: '失敗' },
    in_progress: { en: 'In progress', ja: '送信中' },
  },
  error: {
    status: {
      what: {
        en: 'The receiver answered, but not with success.',
        ja: '受信側は応答しましたが、成功ではありませんでした。',
      },
      todo: {
        en: 'Its developer finds the reason in the receiver’s own log: 401 is mostly an old signing secret, 404 a wrong path, 5xx a fault of the receiver.',
        ja: '開発者が受信側のログで原因を確認してください。401 は古い署名シークレット、404 はパスの誤り、5xx は受信側の不具合であることがほとんどです。',
      },
    },
    redirect: {
      what: {
        en: 'The receiver sent us elsewhere. Notices follow no redirect.',
        ja: '受信側が別のアドレスへ転送しました。通知は転送先へは送りません。',
      },
      todo: {
        en: 'Ask the developer to register the address at which the receiver answers itself: with https, and with or without a slash at the end.',
        ja: '開発者が、転送なしで応答するアドレスを登録してください（https であるか、末尾のスラッシュの有無など）。',
      },
    },
    gone: {
      what: {
        en: 'The receiver answered 410: it wants no more notices. The webhook was removed.',
        ja: '受信側が 410（通知は不要）と応答したため、Webhook を削除しました。',
      },
      todo: {
        en: 'If that was a mistake, the app registers the webhook again.',
        ja: '間違いだった場合は、アプリから Webhook を登録し直してください。',
      },
    },
    blocked_address: {
      what: {
        en: 'The host leads to an address inside a private network. We do not send there.',
        ja: 'ホストがプライベートネットワーク内のアドレスを指しているため、送信しません。',
      },
      todo: {
        en: 'Ask the developer to check the host’s DNS records: it has to lead to a public address.',
        ja: '開発者が DNS を確認し、公開されたアドレスを指すようにしてください。',
      },
    },
    dns: {
      what: { en: 'The host’s name was not found.', ja: 'ホスト名が見つかりませんでした。' },
      todo: {
        en: 'Ask the developer to check the DNS records. If the domain has run out, its owner must renew it.',
        ja: '開発者が DNS を確認してください。ドメインの期限切れの場合は更新が必要です。',
      },
    },
    connect: {
      what: { en: 'No connection was made.', ja: '接続できませんでした。' },
      todo: {
        en: 'Ask the developer to check that the receiver runs, and that no firewall keeps us out.',
        ja: '受信側が動作しているか、ファイアウォールで遮断されていないかを、開発者が確認してください。',
      },
    },
    tls: {
      what: {
        en: 'No safe connection was made (TLS).',
        ja: '安全な接続（TLS）ができませんでした。',
      },
      todo: {
        en: 'Ask the developer to check the certificate: has it expired, is it for this host, is its chain whole?',
        ja: '開発者が証明書（期限、ホスト名、中間証明書）を確認してください。',
      },
    },
    timeout: {
      what: {
        en: 'The receiver did not answer in time (15 seconds).',
        ja: '受信側が時間内（15 秒）に応答しませんでした。',
      },
      todo: {
        en: 'The receiver should answer first and read the changes afterwards.',
        ja: '受信側は先に応答を返し、変更の読み取りはその後で行うようにしてください。',
      },
    },
    reset: {
      what: {
        en: 'The connection broke before an answer came.',
        ja: '応答の前に接続が切れました。',
      },
      todo: {
        en: 'Now and then this is nothing. If it goes on, the developer looks at the receiver and what stands in front of it.',
        ja: 'まれに起こる分には問題ありません。続く場合は、開発者が受信側とその手前の機器を確認してください。',
      },
    },
    protocol: {
      what: {
        en: 'What came back was no valid HTTP answer.',
        ja: '正しい HTTP の応答ではありませんでした。',
      },
      todo: {
        en: 'Ask the developer to check that a web server answers at this address and port.',
        ja: 'このアドレスとポートで Web サーバーが応答しているか、開発者が確認してください。',
      },
    },
    interrupted: {
      what: {
        en: 'Our own sending was broken off: nobody knows whether it arrived.',
        ja: 'こちらの送信が中断され、届いたかどうかは不明です。',
      },
      todo: {
        en: 'Nothing has to be done: it was sent again by itself.',
        ja: '対応は不要です。自動で再送しました。',
      },
    },
  },
});

export const attemptStripMessages = consoleMessages({
  strip: { en: 'The last attempts, the newest at the end', ja: '最近の送信（右端が最新）' },
  legend: { en: 'What the marks mean', ja: '記号の意味' },
  number: { en: (number: string) => `Attempt ${number}`, ja: (number: string) => `送信 ${number}` },
  result: { en: 'Result', ja: '結果' },
  status: { en: 'Answer', ja: '応答' },
  latency: { en: 'Took', ja: '所要時間' },
  milliseconds: {
    en: (number: string) => `${number} ms`,
    ja: (number: string) => `${number} ミリ秒`,
  },
  tries: { en: 'Attempt of this notice', ja: '同じ通知の何回目か' },
  todo: { en: 'What to do', ja: '対処方法' },
});
