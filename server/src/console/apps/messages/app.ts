import { defineMessages } from '../../../pages/messages.ts';
import { consoleMessages, shared } from '../../shared-messages.ts';

export const appListMessages = consoleMessages({
  more: { en: 'More about apps', ja: 'アプリ関連のページ' },
  filter: { en: 'Find an app by name', ja: 'アプリを名前で探す' },
  find: { en: 'Find', ja: '検索' },
  all: { en: 'All apps', ja: 'すべてのアプリ' },
  works: { en: 'Working', ja: '正常' },
  failsSince: { en: 'Failing since', ja: '失敗中' },
  noWebhook: shared.none,
  none: { en: 'No app yet', ja: 'アプリはまだありません' },
  noneText: {
    en: 'An app of another maker, such as a price board or a shop system, can read this shop’s stock and buy boosts after a member has approved it.',
    ja: '価格表示や販売管理など、ほかの会社のアプリが、メンバーの承認後にこのショップの在庫と買取強化を読み取れるようになります。',
  },
  nothing: { en: 'No app has this name', ja: '該当するアプリがありません' },
  nothingText: { en: 'Try a part of the name.', ja: '名前の一部で検索してみてください。' },
});

export const appMessages = consoleMessages({
  disabled: {
    en: 'This app is disabled: it can read nothing and is told nothing. Its connection is kept, and goes on where it was when you enable it.',
    ja: 'このアプリは無効です。何も読み取れず、通知も届きません。接続は保持されており、有効にすると続きから再開します。',
  },
  none: { en: 'Not connected', ja: '接続されていません' },
  noneText: {
    en: 'A member connects it from within the app: there he or she chooses to connect, signs in here and approves.',
    ja: '接続はアプリの画面から始めます。アプリで「接続」を選び、こちらにログインして承認してください。',
  },
  by: { en: 'Connected by', ja: '接続したメンバー' },
  open: { en: 'Connection and notices', ja: '接続と通知の詳細' },
  past: { en: 'All connections of this app', ja: 'このアプリのすべての接続' },
  sees: { en: 'What it may ask for', ja: '求めることのできる権限' },
  costYes: {
    en: 'Shared, if the member who approves may see costs',
    ja: '共有する（承認するメンバーに原価の閲覧権限がある場合）',
  },
  costNo: { en: 'Not shared', ja: '共有しない' },
  registration: { en: 'Registration', ja: '登録内容' },
  clientId: { en: 'Client id', ja: 'クライアント ID' },
  contact: { en: 'Contact', ja: '連絡先' },
  noContact: shared.none,
  registered: { en: 'Registered', ja: '登録日時' },
  lines: { en: 'Lines for the developer', ja: '開発者向けの設定' },
  linesText: {
    en: 'All that the app needs besides its secret:',
    ja: 'シークレット以外に必要なものです。',
  },
  secrets: { en: 'Secrets', ja: 'シークレット' },
  secretsText: {
    en: (count: number) =>
      count === 1
        ? 'One secret is in use. If it may have leaked, or somebody who knew it has left, change it without a break.'
        : 'Two secrets are in use: a change-over is under way. Remove the old one when the app uses the new one.',
    ja: (count: number) =>
      count === 1
        ? 'シークレットは 1 つです。漏れたおそれがあるときや、知っている人が離れたときは、止めずに切り替えられます。'
        : 'シークレットが 2 つあり、切り替えの途中です。アプリが新しい方を使い始めたら、古い方を削除してください。',
  },
  change: { en: 'Change the secret', ja: 'シークレットを変更' },
  end: { en: 'Disable or delete', ja: '無効化・削除' },
  disable: { en: 'Disable', ja: '無効にする' },
  disableText: {
    en: 'For a while: the app can do nothing until you enable it again.',
    ja: '一時的に止めます。再び有効にするまで、アプリは何もできません。',
  },
  enable: { en: 'Enable', ja: '有効にする' },
  enableText: { en: 'Lets the app go on where it was.', ja: 'アプリは続きから再開します。' },
  remove: { en: 'Delete', ja: '削除する' },
  removeText: {
    en: 'For good: connections, approvals and secrets end at once.',
    ja: '元に戻せません。接続・承認・シークレットはすぐに無効になります。',
  },
});

export const registerAppMessages = defineMessages({
  apps: shared.apps,
  title: shared.registerApp,
  intro: {
    en: 'An app may act for this shop only. After this page you get its client id and its secret, which you hand to the developer. The app sees nothing until a member has approved it.',
    ja: 'アプリが利用できるのはこのショップだけです。登録すると、開発者に渡すクライアント ID とシークレットが表示されます。メンバーが承認するまで、アプリからは何も見えません。',
  },
  submit: { en: 'Register', ja: '登録する' },
});

export const editAppMessages = defineMessages({
  title: { en: (name: string) => `Edit ${name}`, ja: (name: string) => `${name} の編集` },
  scopes: {
    en: 'What you untick is gone at once, for connections that are there too. What you tick anew works after a member has approved the app again.',
    ja: '外した権限は、既存の接続でもすぐに使えなくなります。新しく選んだ権限は、メンバーがアプリを再承認すると使えるようになります。',
  },
  lost: {
    en: (url: string) =>
      `The app’s webhook goes to ${url}, a host that is not among these addresses any more. If you save, the webhook is removed: the app is told of no change until it registers another one.`,
    ja: (url: string) =>
      `このアプリの Webhook は ${url} に送られていますが、そのホストがアドレスの一覧からなくなります。保存すると Webhook は削除され、アプリが新しく登録するまで変更の通知は届きません。`,
  },
  confirm: { en: 'Yes, remove the webhook', ja: 'Webhook を削除してよい' },
  confirmFault: {
    en: 'Tick that the webhook may be removed, or put an address of its host back.',
    ja: 'Webhook の削除を確認するか、そのホストのアドレスを一覧に戻してください。',
  },
});

export const switchAppMessages = defineMessages({
  title: {
    en: (name: string) => `Disable ${name}?`,
    ja: (name: string) => `${name} を無効にしますか？`,
  },
  means: { en: 'While the app is disabled:', ja: '無効にしている間は次のようになります。' },
  points: {
    en: [
      'It can read nothing: every call is refused at once, and the app is told that it is disabled.',
      'It gets no notices. What changes meanwhile is not lost: when you enable it, it reads on where it was.',
      'Its connection, approvals, secrets and webhook are kept. Nobody has to approve it again.',
      'No member can approve it anew.',
    ],
    ja: [
      'アプリは何も読み取れません。すべての呼び出しがすぐに拒否され、無効であることがアプリに伝わります。',
      '通知は届きません。その間の変更は失われず、有効にすると続きから読み取れます。',
      '接続・承認・シークレット・Webhook は保持されます。再承認は不要です。',
      'メンバーが新たに承認することはできません。',
    ],
  },
  button: { en: 'Disable the app', ja: 'アプリを無効にする' },
  keep: { en: 'Leave it enabled', ja: '有効のままにする' },
});

export const deleteAppMessages = consoleMessages({
  title: {
    en: (name: string) => `Delete ${name}?`,
    ja: (name: string) => `${name} を削除しますか？`,
  },
  means: {
    en: 'This ends at once and cannot be undone:',
    ja: '次のものがすぐに終了し、元に戻せません。',
  },
  points: {
    en: [
      'its connection, with its webhook: no notice goes out any more;',
      'every approval of your members, and the access that came of them: the app reads nothing any more;',
      'its client id and its secrets: they open nothing any more, for good.',
      'What the app has read before stays with its maker: ask there if it is to be deleted.',
    ],
    ja: [
      '接続と Webhook：通知は送られなくなります。',
      'メンバーによるすべての承認と、それに基づくアクセス：アプリは何も読み取れなくなります。',
      'クライアント ID とシークレット：二度と使えなくなります。',
      'アプリがすでに読み取った内容は提供元に残ります。削除が必要な場合は提供元にご依頼ください。',
    ],
  },
  instead: {
    en: 'If it is only for a while, disable the app instead.',
    ja: '一時的に止めるだけなら、無効にしてください。',
  },
  disable: { en: 'Disable instead', ja: '代わりに無効にする' },
  type: { en: 'Type the app’s name', ja: 'アプリの名前を入力' },
  typeHint: {
    en: (name: string) => `To be sure that it is the right one: ${name}`,
    ja: (name: string) => `間違いを防ぐため、次の名前を入力してください：${name}`,
  },
  fault: {
    en: (name: string) => `Type the name exactly as it is: ${name}`,
    ja: (name: string) => `名前をそのまま入力してください：${name}`,
  },
  refused: { en: 'The app was not deleted:', ja: 'アプリは削除されませんでした。' },
  button: { en: 'Delete the app for good', ja: 'アプリを完全に削除する' },
});
