import type { Scope } from '../../../apps/scope.ts';
import { defineMessages, type Message } from '../../../pages/messages.ts';
import type { RemovalReason } from '../../../webhooks/registration.ts';
import { shared } from '../../shared-messages.ts';

export const scopeMessages = defineMessages({
  'purchase-boosts:read': {
    name: shared.boosts,
    meaning: {
      en: 'Sees the buy boosts that are open: which card or product, price, how many are still wanted, your note. The member who approves needs the permission to see buy boosts.',
      ja: '実施中の買取強化（対象のカード・商品、価格、残り数量、コメント）を閲覧できます。承認するメンバーに買取強化の閲覧権限が必要です。',
    },
  },
  'inventory:read': {
    name: shared.stock,
    meaning: {
      en: 'Sees your whole stock: sites, storage locations, every piece with its asking price, state and photos, and every change to it. Can search the card catalog and be told by webhook that stock has changed. No purchase prices unless the shop shares them with the app.',
      ja: '全在庫（拠点、保管場所、すべての在庫品の販売価格・状態・写真）とその変更を閲覧できます。カードカタログの検索と、在庫の変更を知らせる Webhook の登録もできます。原価は、ショップがアプリと共有しない限り見えません。',
    },
  },
  openid: {
    name: { en: 'Recognise the member', ja: 'メンバーの識別' },
    meaning: {
      en: 'Learns an id of the member who approves, so that the app knows who came back.',
      ja: '承認したメンバーの ID が伝わります。アプリが再訪した人を識別するためのものです。',
    },
  },
  profile: {
    name: { en: 'The member’s name', ja: 'メンバーの名前' },
    meaning: {
      en: 'Learns the name of the member who approves. Only together with “Recognise the member”.',
      ja: '承認したメンバーの名前が伝わります。「メンバーの識別」と合わせて使います。',
    },
  },
  offline_access: {
    name: { en: 'Stay connected', ja: '接続の維持' },
    meaning: {
      en: 'Goes on working while no member is there. Without it, a member has to approve the app again every 15 minutes: almost every app needs it.',
      ja: 'メンバーがいない間も動作を続けます。これがないと 15 分ごとに再承認が必要になるため、ほとんどのアプリに必要です。',
    },
  },
} satisfies Readonly<Record<Scope, object>>);

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

export const healthMessages = defineMessages({
  upToDate: { en: 'Up to date', ja: '最新' },
  changesBehind: {
    en: (changes: string, count: number) =>
      count === 1 ? '1 change behind' : `${changes} changes behind`,
    ja: (changes: string) => `${changes} 件の変更が未読`,
  },
  neverRead: {
    en: (changes: string) => `Has read nothing yet: ${changes} changes waiting`,
    ja: (changes: string) => `まだ読み取りなし（${changes} 件の変更が待機中）`,
  },
  never: { en: 'Never', ja: 'なし' },
  names: {
    disabled: { en: 'Disabled', ja: '無効' },
    unapproved: { en: 'Needs a new approval', ja: '再承認が必要' },
    failing: { en: 'Webhook failing', ja: 'Webhook 失敗中' },
    behind: { en: 'Behind', ja: '遅延' },
    good: { en: 'Connected', ja: '接続中' },
    not_connected: { en: 'Not connected', ja: '未接続' },
  },
});

export const webhookStateMessages = defineMessages({
  none: {
    name: shared.none,
    meaning: {
      en: 'The app asks for changes by itself. It may register a webhook to be told at once.',
      ja: 'アプリは自分で変更を確認しています。Webhook を登録すると、すぐに通知を受け取れます。',
    },
  },
  removed: {
    app: { en: 'The app removed it.', ja: 'アプリが削除しました。' },
    gone: {
      en: 'The app’s receiver said that it is gone for good (410).',
      ja: 'アプリの受信側が、廃止済み（410）と応答しました。',
    },
    failing: { en: 'It had failed for 14 days.', ja: '14 日間失敗が続きました。' },
    redirect_uri: {
      en: 'The redirect URIs of the app no longer name its host.',
      ja: 'アプリのリダイレクト URI から、そのホストがなくなりました。',
    },
    connection_ended: { en: 'It ended with the connection.', ja: '接続とともに終了しました。' },
  } satisfies Readonly<Record<RemovalReason, Message>>,
  states: {
    idle: {
      name: { en: 'Up to date', ja: '最新' },
      meaning: { en: 'The app has been told of everything.', ja: 'アプリにはすべて通知済みです。' },
    },
    due: {
      name: { en: 'Sending', ja: '送信中' },
      meaning: {
        en: 'A notice is on its way, or goes out at once.',
        ja: '通知を送信中か、まもなく送信します。',
      },
    },
    retrying: {
      name: { en: 'Failing', ja: '失敗中' },
      meaning: {
        en: 'The app’s receiver does not take our notices. We try again by ourselves, in longer and longer steps, for 14 days.',
        ja: 'アプリの受信側が通知を受け取っていません。間隔を少しずつ延ばしながら、14 日間自動で再送します。',
      },
    },
    paused: {
      name: shared.paused,
      meaning: {
        en: 'The app is disabled: it is told nothing until you enable it.',
        ja: 'アプリが無効のため、有効にするまで通知しません。',
      },
    },
  },
});
