import { defineMessages } from '../html/messages.ts';

export const healthMailMessages = defineMessages({
  webhook: {
    subject: {
      en: (app: string, shop: string) => `Cardport: webhooks to “${app}” fail (${shop})`,
      ja: (app: string, shop: string) =>
        `Cardport：「${app}」への Webhook が配信できません（${shop}）`,
    },
    text: {
      en: (app: string, shop: string) =>
        `The app “${app}” has not accepted notifications about stock changes in the shop “${shop}” for an hour. The app may show old data. Cardport keeps trying for 14 days.`,
      ja: (app: string, shop: string) =>
        `ショップ「${shop}」の在庫の変更通知を、アプリ「${app}」が 1 時間以上受け取れていません。アプリに古い情報が表示される可能性があります。Cardport は 14 日間、再送を続けます。`,
    },
    todo: {
      en: 'The developer of the app should check its webhook receiver. See each delivery attempt and what to do:',
      ja: 'アプリの開発者が Webhook の受信側を確認する必要があります。各回の配信結果と対処方法：',
    },
    over: {
      en: (app: string, shop: string) => `Cardport: webhooks to “${app}” work again (${shop})`,
      ja: (app: string, shop: string) =>
        `Cardport：「${app}」への Webhook が再開しました（${shop}）`,
    },
    overText: {
      en: (app: string, shop: string) =>
        `The app “${app}” accepts the notifications of the shop “${shop}” again. No change was lost.`,
      ja: (app: string, shop: string) =>
        `アプリ「${app}」がショップ「${shop}」の通知を再び受け取っています。変更は失われていません。`,
    },
  },
  approval: {
    subject: {
      en: (app: string, shop: string) => `Cardport: “${app}” needs a new approval (${shop})`,
      ja: (app: string, shop: string) => `Cardport：「${app}」に新しい承認が必要です（${shop}）`,
    },
    text: {
      en: (app: string, shop: string) =>
        `The app “${app}” has not been able to read the data of the shop “${shop}” for an hour, because it has no valid approval: the approval has expired, or the member who gave it was deactivated or lost a permission.`,
      ja: (app: string, shop: string) =>
        `有効な承認がないため、アプリ「${app}」はショップ「${shop}」の情報を 1 時間以上取得できていません。承認の期限が切れたか、承認したメンバーが利用を停止されたか、権限を失っています。`,
    },
    todo: {
      en: 'A member of the shop needs to approve the app again. Start in the app, as when it was first connected. The app then continues where it stopped. See its status:',
      ja: 'ショップのメンバーが、最初に接続したときと同じようにアプリから承認してください。承認後は、続きから再開します。現在の状態：',
    },
    over: {
      en: (app: string, shop: string) => `Cardport: “${app}” has access again (${shop})`,
      ja: (app: string, shop: string) =>
        `Cardport：「${app}」の情報の取得が再開しました（${shop}）`,
    },
    overText: {
      en: (app: string, shop: string) =>
        `The app “${app}” was approved again and can read the data of the shop “${shop}”.`,
      ja: (app: string, shop: string) =>
        `アプリ「${app}」が再び承認され、ショップ「${shop}」の情報を取得できるようになりました。`,
    },
  },
  once: {
    en: 'You will not get another email about this until it works again.',
    ja: 'この件のメールは、復旧するまで再度お送りしません。',
  },
  developer: {
    en: 'You receive this email because your address is the contact address of the app.',
    ja: 'このメールは、アプリの連絡先に登録されているアドレスにお送りしています。',
  },
});
