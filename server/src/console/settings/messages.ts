import { consoleMessages } from '../shared-messages.ts';

export const settingsMessages = consoleMessages({
  title: { en: 'Settings', ja: '設定' },
  home: { en: 'Home', ja: 'ホーム' },
  currencyHint: {
    en: 'A three-letter ISO 4217 code, such as JPY. It cannot be changed once there is stock or a buy boost.',
    ja: 'ISO 4217 の 3 文字のコードです（例：JPY）。在庫品か買取強化を登録すると、変更できなくなります。',
  },
  noCurrency: {
    en: 'Enter an ISO 4217 currency code, such as JPY.',
    ja: 'ISO 4217 の通貨コードを入力してください（例：JPY）。',
  },
  currencyFixed: {
    en: 'The currency cannot be changed, because the shop has stock or buy boosts with amounts in this currency.',
    ja: 'この通貨の金額を持つ在庫品または買取強化があるため、通貨は変更できません。',
  },
  mailLanguage: { en: 'Language of emails', ja: 'メールの言語' },
  mailLanguageHint: {
    en: 'Used for emails about apps to the addresses below, and to members who have not chosen a language.',
    ja: '下の連絡先と、言語を選択していないメンバーに送る、アプリに関するメールの言語です。',
  },
  both: { en: 'Both languages', ja: '両方の言語' },
  noLanguage: { en: 'Choose a language.', ja: '言語を選択してください。' },
  contacts: { en: 'Contact addresses', ja: '連絡先メールアドレス' },
  contactsHint: {
    en: 'One per line, at most 10. These addresses get the same emails as members who manage apps: when an app stops working, and when it works again.',
    ja: '1 行に 1 件、10 件まで。アプリが停止したときと復旧したときに、アプリを管理するメンバーと同じメールを受け取ります。',
  },
  noEmail: {
    en: (email: string) => `${email} is not a valid email address.`,
    ja: (email: string) => `${email} は正しいメールアドレスではありません。`,
  },
  tooManyEmails: { en: 'Enter at most 10 addresses.', ja: 'アドレスは 10 件までです。' },
  approvers: { en: 'Who may approve apps', ja: 'アプリを承認できるメンバー' },
  approversHint: {
    en: 'Members with the permission “Approve apps”. Open a member to grant or remove this permission.',
    ja: '「アプリの承認」の権限を持つメンバーです。各メンバーの画面で付与・解除できます。',
  },
  refused: {
    en: 'The settings were not saved. Check the values.',
    ja: '設定を保存できませんでした。入力内容を確認してください。',
  },
});
