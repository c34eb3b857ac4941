import { defineMessages } from '../../html/messages.ts';
import { consoleMessages, sharedMessages } from '../shared-messages.ts';

export const tabMessages = consoleMessages({
  names: {
    profile: { en: 'Name and language', ja: '名前と言語' },
    password: { en: 'Password', ja: 'パスワード' },
    sessions: { en: 'Active sessions', ja: 'ログイン中のブラウザ' },
    passkeys: sharedMessages.passkeys,
  },
});

export const profileMessages = consoleMessages({
  emailHint: {
    en: 'This address identifies your account and cannot be changed.',
    ja: 'アカウントを識別するアドレスのため、変更できません。',
  },
  nameHint: {
    en: 'Visible to members of your shops and to apps that you approve.',
    ja: '所属ショップのメンバーと、承認したアプリに表示されます。',
  },
  save: { en: 'Save name', ja: '名前を保存' },
  languageHint: {
    en: 'The language of these pages and of emails to you.',
    ja: 'この画面とメールの言語です。',
  },
  browser: { en: 'Same as the browser', ja: 'ブラウザの設定に合わせる' },
  saveLanguage: { en: 'Save language', ja: '言語を保存' },
  shops: { en: 'My shops', ja: '所属ショップ' },
  noShops: { en: 'You are not a member of any shop.', ja: '所属しているショップはありません。' },
});

export const passwordMessages = consoleMessages({
  intro: {
    en: 'Changing your password signs you out of all other browsers.',
    ja: '変更すると、ほかのブラウザからはすべてログアウトします。',
  },
  old: { en: 'Current password', ja: '現在のパスワード' },
  save: { en: 'Change password', ja: 'パスワードを変更' },
  notSaved: { en: 'The password was not changed', ja: 'パスワードは変更されませんでした' },
  refused: {
    en: 'The current password is incorrect.',
    ja: '現在のパスワードが正しくありません。',
  },
  throttled: {
    en: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
    ja: (seconds: number) => `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
  },
});

export const passkeysMessages = consoleMessages({
  intro: {
    en: 'With a passkey, you sign in with your fingerprint, face or device PIN instead of a password. Passkeys cannot be phished. You can still sign in with your password.',
    ja: 'パスキーを使うと、指紋認証・顔認証や端末の PIN でログインでき、パスワードの入力が不要になります。フィッシングの被害も防げます。パスワードも引き続き使えます。',
  },
  caption: { en: 'Your passkeys', ja: '登録済みのパスキー' },
  kind: { en: 'Stored', ja: '保存場所' },
  synced: { en: 'Synced across devices', ja: '複数の端末で同期' },
  device: { en: 'On one device', ja: '1 台の端末のみ' },
  created: { en: 'Added', ja: '追加日' },
  lastUsed: { en: 'Last used', ja: '最終使用' },
  never: { en: 'Never', ja: '未使用' },
  none: { en: 'No passkeys yet', ja: 'パスキーはまだありません' },
  noneText: {
    en: 'Add a passkey in the browser that you use every day.',
    ja: '普段お使いのブラウザで追加してください。',
  },
  add: { en: 'Add passkey', ja: 'パスキーを追加' },
  nameHint: {
    en: 'A name that you will recognize, such as the device or security key.',
    ja: '端末やセキュリティキーの名前など、わかりやすい名前を付けてください。',
  },
  suggestion: { en: 'My device', ja: '自分の端末' },
  addButton: { en: 'Add passkey', ja: 'パスキーを追加' },
  needed: {
    en: 'Your browser creates the passkey. If there is no button below, your browser does not support passkeys or JavaScript is turned off.',
    ja: 'パスキーはブラウザが作成します。下にボタンが表示されない場合は、ブラウザがパスキーに対応していないか、JavaScript が無効になっています。',
  },
  nothingCame: {
    en: 'Your browser did not create a passkey. Try again.',
    ja: 'パスキーを作成できませんでした。もう一度お試しください。',
  },
  notAdded: { en: 'The passkey was not added', ja: 'パスキーは追加されませんでした' },
  ipAddress: {
    en: (host: string) =>
      `Passkeys need a host name, but this service uses the IP address ${host}. The operator can set a host name in PUBLIC_URL.`,
    ja: (host: string) =>
      `パスキーの利用にはホスト名が必要ですが、このサービスは IP アドレス ${host} で運用されています。運営者が PUBLIC_URL にホスト名を設定すると、利用できます。`,
  },
  instead: {
    en: 'On this computer, you can use this address:',
    ja: 'この端末では、次のアドレスで利用できます：',
  },
  password: { en: 'Current password', ja: '現在のパスワード' },
  passwordHint: {
    en: 'This prevents others from adding a passkey in a browser that you left open.',
    ja: '開いたままのブラウザで、ほかの人がパスキーを追加することを防ぎます。',
  },
  removeAll: { en: 'Remove all passkeys', ja: 'すべてのパスキーを削除' },
  removeAllText: {
    en: 'Passkeys still work after you change your password. If someone else may have used your account, or you do not recognize a passkey above, remove them all. Browsers that signed in with them are signed out. You can then sign in with your password and add your passkeys again.',
    ja: 'パスワードを変更しても、パスキーは引き続き使えます。第三者がアカウントを使用した可能性がある場合や、心当たりのないパスキーがある場合は、すべて削除してください。パスキーでログインしたブラウザはログアウトします。その後はパスワードでログインし、パスキーを追加し直せます。',
  },
  removeAllButton: { en: 'Remove all passkeys', ja: 'すべて削除する' },
  refusals: {
    too_many: {
      en: 'You have reached the limit of 20 passkeys. Remove one that you do not use.',
      ja: 'パスキーの上限（20 件）に達しています。使用していないものを削除してください。',
    },
    known: {
      en: 'This passkey is already registered.',
      ja: 'このパスキーはすでに登録されています。',
    },
    invalid_name: sharedMessages.badPasskeyName,
    refused: {
      en: 'The passkey could not be verified, or the request timed out. Try again.',
      ja: 'パスキーを確認できなかったか、時間切れになりました。もう一度お試しください。',
    },
  },
});

export const passkeyMessages = consoleMessages({
  save: { en: 'Save name', ja: '名前を保存' },
  removeTitle: { en: 'Remove passkey', ja: 'このパスキーを削除' },
  removeText: {
    en: 'This passkey will stop working, and browsers that signed in with it will be signed out. Your device may still offer it, so delete it there too. You can still sign in with your password.',
    ja: '削除すると、このパスキーではログインできなくなり、このパスキーでログインしたブラウザはログアウトします。端末に候補として残ることがあるため、端末側でも削除してください。パスワードでは引き続きログインできます。',
  },
  remove: { en: 'Remove', ja: '削除する' },
});

export const sessionsMessages = consoleMessages({
  intro: {
    en: 'The browsers in which you are signed in. A session ends after an hour without use, and after 12 hours in any case. If you do not recognize a browser, sign it out, change your password and check your passkeys.',
    ja: 'ログイン中のブラウザの一覧です。1 時間操作がない場合、または 12 時間が経過すると、自動的にログアウトします。心当たりのないものがあれば、ログアウトしてパスワードを変更し、パスキーも確認してください。',
  },
  caption: { en: 'Active sessions', ja: 'ログイン中のブラウザ' },
  browser: { en: 'Browser', ja: 'ブラウザ' },
  here: { en: 'This browser', ja: 'このブラウザ' },
  network: { en: 'Network', ja: 'ネットワーク' },
  way: { en: 'Signed in with', ja: 'ログイン方法' },
  password: { en: 'Password', ja: 'パスワード' },
  passkey: { en: 'Passkey', ja: 'パスキー' },
  since: { en: 'Signed in', ja: 'ログイン日時' },
  others: { en: 'Sign out all other browsers', ja: 'ほかのブラウザをすべてログアウト' },
  all: { en: 'Sign out everywhere', ja: 'すべてログアウト' },
  allText: {
    en: '“Sign out everywhere” also signs out this browser.',
    ja: '「すべてログアウト」では、このブラウザもログアウトします。',
  },
  records: { en: 'Recent sign-ins and failed attempts', ja: '最近のログインと失敗' },
  recordsIntro: {
    en: 'Up to 50 sign-ins and 50 failed attempts from the last 90 days. If a failed attempt was not yours, someone may be guessing your password. Use a long password that you use nowhere else, or a passkey.',
    ja: '過去 90 日間のログインと失敗を、それぞれ 50 件まで表示します。心当たりのない失敗がある場合は、第三者がパスワードを推測している可能性があります。ほかで使っていない長いパスワードか、パスキーをお使いください。',
  },
  when: { en: 'Last time', ja: '最終日時' },
  outcome: { en: 'Result', ja: '結果' },
  signedIn: { en: 'Signed in', ja: 'ログイン' },
  failed: { en: 'Failed', ja: '失敗' },
  times: { en: 'Attempts within an hour', ja: '1 時間以内の試行回数' },
  noRecords: { en: 'No records.', ja: '記録はありません。' },
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
    en: 'Ask a member who manages members in your shop to invite you at this address. You will get a link by email. If you were deactivated, ask to be reactivated.',
    ja: 'ショップのメンバーを管理している方に、このメールアドレスへの招待を依頼してください。招待のリンクがメールで届きます。利用を停止されている場合は、再開を依頼してください。',
  },
});
