import { defineMessages } from '../../pages/messages.ts';
import { consoleMessages, shared } from '../shared-messages.ts';

export const tabMessages = consoleMessages({
  names: {
    profile: { en: 'Name and language', ja: '名前と言語' },
    password: { en: 'Password', ja: 'パスワード' },
    sessions: { en: 'Where I am signed in', ja: 'ログイン中のブラウザ' },
    passkeys: shared.passkeys,
  },
});

export const profileMessages = consoleMessages({
  emailHint: {
    en: 'Your account is known by it; it cannot be changed.',
    ja: 'アカウントを識別するアドレスのため、変更できません。',
  },
  nameHint: {
    en: 'Members of your shops and the apps that you approve see it.',
    ja: '所属ショップのメンバーと、承認したアプリに表示されます。',
  },
  save: { en: 'Save the name', ja: '名前を保存' },
  badName: {
    en: 'Enter a name of 1 to 200 characters that can be seen, without line breaks or spaces at its ends.',
    ja: '名前は 1〜200 文字で、改行や見えない文字、前後の空白なしで入力してください。',
  },
  language: { en: 'Language', ja: '言語' },
  languageHint: { en: 'Of these pages and of mails to you.', ja: 'この画面とメールの言語です。' },
  browser: { en: 'Same as the browser', ja: 'ブラウザの設定に合わせる' },
  saveLanguage: { en: 'Save the language', ja: '言語を保存' },
  shops: { en: 'My shops', ja: '所属ショップ' },
  noShops: { en: 'You are not a member of any shop.', ja: '所属しているショップはありません。' },
});

export const passwordMessages = consoleMessages({
  intro: {
    en: 'When it is changed, all your other browsers are signed out.',
    ja: '変更すると、ほかのブラウザはすべてログアウトします。',
  },
  old: { en: 'Current password', ja: '現在のパスワード' },
  save: { en: 'Change the password', ja: 'パスワードを変更' },
  notSaved: { en: 'The password was not changed', ja: 'パスワードは変更されませんでした' },
  refused: {
    en: 'The current password is not correct.',
    ja: '現在のパスワードが正しくありません。',
  },
  throttled: {
    en: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
    ja: (seconds: number) => `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
  },
});

export const passkeysMessages = consoleMessages({
  intro: {
    en: 'With a passkey you sign in by fingerprint, face or the PIN of your device, without typing a password. Nobody can steal it by a false page. Your password stays as a second way.',
    ja: 'パスキーを使うと、指紋・顔認証や端末の暗証番号でログインでき、パスワードの入力が不要になります。偽の画面に盗まれることもありません。パスワードは引き続き使えます。',
  },
  caption: { en: 'My passkeys', ja: '登録済みのパスキー' },
  kind: { en: 'Where it is', ja: '保存場所' },
  synced: { en: 'On your devices', ja: '複数の端末で同期' },
  device: { en: 'In one device', ja: '1 台の端末のみ' },
  created: { en: 'Added', ja: '追加日' },
  lastUsed: { en: 'Last used', ja: '最終使用' },
  never: { en: 'Never', ja: '未使用' },
  none: { en: 'No passkey yet', ja: 'パスキーはまだありません' },
  noneText: {
    en: 'Add one in the browser in which you work every day.',
    ja: '普段お使いのブラウザで追加してください。',
  },
  add: { en: 'Add a passkey', ja: 'パスキーを追加' },
  nameHint: {
    en: 'So that you know it again: the device or the key that keeps it.',
    ja: '端末やセキュリティキーの名前など、見分けやすい名前を付けてください。',
  },
  suggestion: { en: 'My device', ja: '私の端末' },
  addButton: { en: 'Add a passkey', ja: 'パスキーを追加' },
  needed: {
    en: 'Your browser makes the passkey. Where no button stands below, it knows no passkeys, or may not run scripts.',
    ja: 'パスキーはブラウザが作成します。下にボタンが表示されない場合は、ブラウザがパスキーに対応していないか、スクリプトが無効になっています。',
  },
  nothingCame: {
    en: 'No passkey came from the browser. You can try again.',
    ja: 'ブラウザからパスキーを受け取れませんでした。もう一度お試しください。',
  },
  notAdded: { en: 'The passkey was not added', ja: 'パスキーは追加されませんでした' },
  ipAddress: {
    en: (host: string) =>
      `Passkeys belong to a host name, and this service is opened under the address ${host}. The operator can set one as PUBLIC_URL.`,
    ja: (host: string) =>
      `パスキーはホスト名に結び付きます。このサービスは IP アドレス ${host} で開かれているため、使用できません。運営者は PUBLIC_URL にホスト名を設定できます。`,
  },
  instead: {
    en: 'On this machine, this address would do:',
    ja: 'この端末では、次のアドレスであれば使用できます。',
  },
  password: { en: 'Current password', ja: '現在のパスワード' },
  passwordHint: {
    en: 'So that nobody else adds a passkey in a browser that you left open.',
    ja: '開いたままのブラウザから、ほかの人がパスキーを追加できないようにするためです。',
  },
  removeAll: { en: 'Remove all passkeys', ja: 'すべてのパスキーを削除' },
  removeAllText: {
    en: 'A changed password does not stop a passkey. If somebody else may have used your account, or you do not know one of the passkeys above, remove them all: browsers that signed in with them are signed out. You can sign in with your password and add yours again.',
    ja: 'パスワードを変更しても、パスキーは使えるままです。ほかの人がアカウントを使った可能性がある場合や、心当たりのないパスキーがある場合は、すべて削除してください。そのパスキーでログインしたブラウザはログアウトします。パスワードでのログインはこれまでどおりで、パスキーはあらためて追加できます。',
  },
  removeAllButton: { en: 'Remove all passkeys', ja: 'すべて削除する' },
  refusals: {
    too_many: {
      en: 'You have 20 passkeys already. Remove one that you no longer use.',
      ja: 'すでに 20 件のパスキーがあります。使っていないものを削除してください。',
    },
    known: {
      en: 'This passkey is registered already.',
      ja: 'このパスキーはすでに登録されています。',
    },
    invalid_name: shared.badPasskeyName,
    refused: {
      en: 'The browser’s answer did not hold, or came too late. Try again.',
      ja: 'ブラウザの応答を確認できなかったか、時間切れです。もう一度お試しください。',
    },
  },
});

export const passkeyMessages = consoleMessages({
  save: { en: 'Save the name', ja: '名前を保存' },
  removeTitle: { en: 'Remove this passkey', ja: 'このパスキーを削除' },
  removeText: {
    en: 'Nobody signs in with it any more, and browsers that signed in with it are signed out. Your device may still offer it: delete it there as well. You can sign in with your password as before.',
    ja: '削除すると、このパスキーではログインできなくなり、このパスキーでログインしたブラウザはログアウトします。端末には候補として残ることがあるため、端末側でも削除してください。パスワードでのログインはこれまでどおりです。',
  },
  remove: { en: 'Remove', ja: '削除する' },
});

export const sessionsMessages = consoleMessages({
  intro: {
    en: 'Every browser in which you are signed in. A sign-in ends by itself after an hour without use, and after 12 hours in any case. If you do not know one of them, sign it out, change your password and look at your passkeys.',
    ja: 'ログイン中のすべてのブラウザです。1 時間使わないと、また使用中でも 12 時間後に、自動でログアウトします。心当たりのないものがあれば、ログアウトさせてパスワードを変更し、パスキーも確認してください。',
  },
  caption: { en: 'Browsers in which I am signed in', ja: 'ログイン中のブラウザ' },
  browser: { en: 'Browser', ja: 'ブラウザ' },
  here: { en: 'This browser', ja: 'このブラウザ' },
  network: { en: 'Network address', ja: 'ネットワーク' },
  way: { en: 'Signed in with', ja: 'ログイン方法' },
  password: { en: 'Password', ja: 'パスワード' },
  passkey: { en: 'Passkey', ja: 'パスキー' },
  since: { en: 'Signed in', ja: 'ログイン日時' },
  others: { en: 'Sign out everywhere else', ja: 'ほかのブラウザをすべてログアウト' },
  all: { en: 'Sign out everywhere', ja: 'すべてログアウト' },
  allText: {
    en: '“Sign out everywhere” signs this browser out too.',
    ja: '「すべてログアウト」では、このブラウザもログアウトします。',
  },
  records: { en: 'Recent sign-ins and failed attempts', ja: '最近のログインと失敗した試行' },
  recordsIntro: {
    en: 'Of the last 90 days, at most 50 of each. If a failed attempt was not yours, somebody may be guessing your password: choose a long one that you use nowhere else, or a passkey.',
    ja: '過去 90 日間、それぞれ 50 件まで表示します。失敗した試行に心当たりがない場合は、第三者がパスワードを推測している可能性があります。ほかで使っていない長いパスワードか、パスキーをお使いください。',
  },
  when: { en: 'Last time', ja: '最終日時' },
  outcome: { en: 'What happened', ja: '結果' },
  signedIn: { en: 'Signed in', ja: 'ログイン' },
  failed: { en: 'Failed', ja: '失敗' },
  times: { en: 'Times within an hour', ja: '1 時間以内の回数' },
  noRecords: { en: 'None are known.', ja: '記録はありません。' },
});

export const browserMessages = defineMessages({
  unknown: { en: 'Unknown browser', ja: '不明なブラウザ' },
  on: {
    en: (browser: string, system: string) => `${browser} on ${system}`,
    ja: (browser: string, system: string) => `${browser}（${system}）`,
  },
});

export const chooseShopMessages = consoleMessages({
  title: { en: 'Choose a shop', ja: 'ショップを選択' },
  none: { en: 'You are not a member of any shop', ja: '所属しているショップはありません' },
  noneText: {
    en: 'Ask somebody who manages the members of your shop to invite you to this address, or, if you were deactivated, to activate you again. The link comes by mail.',
    ja: 'ショップのメンバーを管理している方に、このメールアドレスへの招待、または利用の再開を依頼してください。招待のリンクはメールで届きます。',
  },
});
