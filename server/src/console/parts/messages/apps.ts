import type { Scope } from '../../../apps/scope.ts';
import { defineMessages, type Message } from '../../../html/messages.ts';
import type { RemovalReason } from '../../../webhooks/registration.ts';
import { sharedMessages } from '../../shared-messages.ts';

export const scopeMessages = defineMessages({
  'purchase-boosts:read': {
    name: sharedMessages.boosts,
    meaning: {
      en: 'View your open buy boosts: card or product, price, remaining quantity and note. The approving member needs permission to view buy boosts.',
      ja: '受付中の買取強化（対象のカード・商品、価格、残り、メモ）を閲覧できます。承認するメンバーに「買取強化の閲覧」の権限が必要です。',
    },
  },
  'inventory:read': {
    name: sharedMessages.stock,
    meaning: {
      en: 'View all your stock and its changes: sites, locations, and every unit with its price, status and photos. The app can also search the card catalog and receive webhook events when stock changes. Costs are not included unless you share them with the app.',
      ja: 'すべての在庫（拠点、保管場所、在庫品の価格・ステータス・写真）とその変更を閲覧できます。カードカタログの検索と、在庫の変更を受け取る Webhook の登録もできます。原価は、アプリと共有しない限り含まれません。',
    },
  },
  openid: {
    name: { en: 'Recognize the member', ja: 'メンバーの識別' },
    meaning: {
      en: 'The app gets an ID of the approving member, so that it recognizes the member next time.',
      ja: '承認したメンバーの ID をアプリに提供します。アプリが次回以降に同じメンバーを識別するためのものです。',
    },
  },
  profile: {
    name: { en: 'Member’s name', ja: 'メンバーの名前' },
    meaning: {
      en: 'The app gets the name of the approving member. Requires “Recognize the member”.',
      ja: '承認したメンバーの名前をアプリに提供します。「メンバーの識別」もあわせて必要です。',
    },
  },
  offline_access: {
    name: { en: 'Stay connected', ja: '接続の維持' },
    meaning: {
      en: 'The app keeps working when no member is signed in. Almost every app needs this: without it, a member has to approve the app again every 15 minutes.',
      ja: 'メンバーがログアウトしている間も、アプリが動作を続けます。この権限がないと 15 分ごとに再承認が必要になるため、ほとんどのアプリに必要です。',
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
        en: 'The receiver responded with an error.',
        ja: '受信側がエラーを返しました。',
      },
      todo: {
        en: 'Ask the developer to check the receiver’s log. 401 usually means an old signing secret, 404 a wrong path, 5xx an error in the receiver.',
        ja: '受信側のログを確認するよう、開発者に依頼してください。多くの場合、401 は古い署名シークレット、404 はパスの誤り、5xx は受信側の不具合です。',
      },
    },
    redirect: {
      what: {
        en: 'The receiver redirected the request. Webhooks do not follow redirects.',
        ja: '受信側がリダイレクトを返しました。Webhook はリダイレクト先には配信しません。',
      },
      todo: {
        en: 'Ask the developer to register the final URL. Check https and the trailing slash.',
        ja: 'リダイレクトされない URL を登録するよう、開発者に依頼してください（https、末尾のスラッシュの有無など）。',
      },
    },
    gone: {
      what: {
        en: 'The receiver responded with 410, which means that it wants no more events. The webhook was removed.',
        ja: '受信側が 410（イベントは不要）を返したため、Webhook を削除しました。',
      },
      todo: {
        en: 'If this was a mistake, ask the developer to register the webhook again.',
        ja: '誤りの場合は、Webhook を登録し直すよう、開発者に依頼してください。',
      },
    },
    blocked_address: {
      what: {
        en: 'The host resolves to a private network address. Webhooks are not sent there.',
        ja: 'ホストがプライベートネットワークのアドレスを指しているため、配信できません。',
      },
      todo: {
        en: 'Ask the developer to check the host’s DNS records. They must point to a public address.',
        ja: 'DNS レコードを確認し、公開アドレスを指すようにするよう、開発者に依頼してください。',
      },
    },
    dns: {
      what: { en: 'The host name was not found.', ja: 'ホスト名が見つかりませんでした。' },
      todo: {
        en: 'Ask the developer to check the DNS records and whether the domain has expired.',
        ja: 'DNS レコードとドメインの有効期限を確認するよう、開発者に依頼してください。',
      },
    },
    connect: {
      what: { en: 'Could not connect to the receiver.', ja: '受信側に接続できませんでした。' },
      todo: {
        en: 'Ask the developer to check that the receiver is running and that no firewall blocks it.',
        ja: '受信側が動作しているか、ファイアウォールで遮断されていないかを確認するよう、開発者に依頼してください。',
      },
    },
    tls: {
      what: {
        en: 'The secure connection (TLS) failed.',
        ja: '安全な接続（TLS）ができませんでした。',
      },
      todo: {
        en: 'Ask the developer to check the certificate: its expiry date, host name and chain.',
        ja: '証明書（有効期限、ホスト名、中間証明書）を確認するよう、開発者に依頼してください。',
      },
    },
    timeout: {
      what: {
        en: 'The receiver did not respond within 15 seconds.',
        ja: '受信側が 15 秒以内に応答しませんでした。',
      },
      todo: {
        en: 'Ask the developer to make the receiver respond first and read the changes afterwards.',
        ja: '先に応答を返し、その後で変更を取得するよう、開発者に依頼してください。',
      },
    },
    reset: {
      what: {
        en: 'The connection closed before the receiver responded.',
        ja: '応答の前に接続が切断されました。',
      },
      todo: {
        en: 'This can happen occasionally. If it continues, ask the developer to check the receiver and any proxy in front of it.',
        ja: 'まれに起こることがあります。続く場合は、受信側とその前段のプロキシを確認するよう、開発者に依頼してください。',
      },
    },
    protocol: {
      what: {
        en: 'The response was not valid HTTP.',
        ja: 'HTTP として正しくない応答が返されました。',
      },
      todo: {
        en: 'Ask the developer to check that a web server runs at this address and port.',
        ja: 'このアドレスとポートで Web サーバーが動作しているか確認するよう、開発者に依頼してください。',
      },
    },
    interrupted: {
      what: {
        en: 'The delivery was interrupted on our side. The event may or may not have arrived.',
        ja: 'サービス側で送信が中断されました。届いたかどうかは不明です。',
      },
      todo: {
        en: 'You do not need to do anything. The event was sent again automatically.',
        ja: '対応は不要です。自動的に再送しました。',
      },
    },
  },
});

export const healthMessages = defineMessages({
  upToDate: { en: 'Up to date', ja: 'なし（最新）' },
  changesBehind: {
    en: (changes: string, count: number) =>
      count === 1 ? '1 change behind' : `${changes} changes behind`,
    ja: (changes: string) => `${changes} 件未取得`,
  },
  neverRead: {
    en: (changes: string) => `Nothing read yet, ${changes} changes behind`,
    ja: (changes: string) => `${changes} 件（取得実績なし）`,
  },
  never: { en: 'Never', ja: 'なし' },
  names: {
    disabled: { en: 'Disabled', ja: '無効' },
    unapproved: { en: 'Needs a new approval', ja: '再承認が必要' },
    failing: { en: 'Webhook failing', ja: 'Webhook 配信エラー' },
    behind: { en: 'Behind', ja: '遅延' },
    good: { en: 'Connected', ja: '接続中' },
    not_connected: { en: 'Not connected', ja: '未接続' },
  },
});

export const webhookStateMessages = defineMessages({
  none: {
    name: sharedMessages.none,
    meaning: {
      en: 'The app polls for changes. It can register a webhook to receive events immediately.',
      ja: 'アプリは定期的に変更を確認しています。Webhook を登録すると、イベントをすぐに受け取れます。',
    },
  },
  removed: {
    app: { en: 'Removed by the app.', ja: 'アプリが削除しました。' },
    gone: {
      en: 'The app’s receiver responded with 410 (gone).',
      ja: 'アプリの受信側が 410（廃止済み）を返しました。',
    },
    failing: { en: 'Deliveries failed for 14 days.', ja: '配信の失敗が 14 日間続きました。' },
    redirect_uri: {
      en: 'None of the app’s redirect URIs has the webhook’s host.',
      ja: '同じホストのリダイレクト URI がなくなりました。',
    },
    connection_ended: { en: 'The connection ended.', ja: '接続が解除されました。' },
  } satisfies Readonly<Record<RemovalReason, Message>>,
  states: {
    idle: {
      name: { en: 'Up to date', ja: '最新' },
      meaning: {
        en: 'All changes have been announced to the app.',
        ja: 'すべての変更がアプリに配信されています。',
      },
    },
    due: {
      name: { en: 'Sending', ja: '配信中' },
      meaning: {
        en: 'An event is being sent or is about to be sent.',
        ja: 'イベントを配信中、またはまもなく配信します。',
      },
    },
    retrying: {
      name: { en: 'Failing', ja: '配信エラー' },
      meaning: {
        en: 'The app’s receiver does not accept events. We retry automatically for 14 days, at increasing intervals.',
        ja: 'アプリの受信側がイベントを受信できていません。間隔を延ばしながら、14 日間自動的に再送します。',
      },
    },
    paused: {
      name: sharedMessages.paused,
      meaning: {
        en: 'The app is disabled and receives no events until you enable it.',
        ja: 'アプリが無効のため、有効にするまでイベントを配信しません。',
      },
    },
  },
});
