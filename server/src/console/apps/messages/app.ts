import { defineMessages } from '../../../html/messages.ts';
import { consoleMessages, sharedMessages } from '../../shared-messages.ts';

export const appListMessages = consoleMessages({
  more: { en: 'More about apps', ja: 'アプリ関連のページ' },
  filter: { en: 'Search by app name', ja: 'アプリ名で検索' },
  find: { en: 'Search', ja: '検索' },
  all: { en: 'All apps', ja: 'すべてのアプリ' },
  works: { en: 'Working', ja: '正常' },
  failsSince: { en: 'Failing since', ja: '配信エラー' },
  noWebhook: sharedMessages.none,
  none: { en: 'No apps yet', ja: 'アプリはまだありません' },
  noneText: {
    en: 'Apps from other companies, such as price boards or shop systems, can read this shop’s stock and buy boosts once a member approves them.',
    ja: '買取表や販売管理などの外部アプリは、メンバーが承認すると、このショップの在庫と買取強化を取得できます。',
  },
  nothing: { en: 'No results', ja: '該当するアプリはありません' },
  nothingText: { en: 'Try part of the name.', ja: '名前の一部で検索してください。' },
});

export const appMessages = consoleMessages({
  disabled: {
    en: 'This app is disabled. It cannot read anything and receives no events. Its connection is kept, and the app continues where it left off when you enable it.',
    ja: 'このアプリは無効です。データの取得もイベントの受信もできません。接続は保持され、有効にすると続きから再開します。',
  },
  none: { en: 'Not connected', ja: '未接続' },
  noneText: {
    en: 'To connect it, a member starts the connection in the app, signs in here and approves the app.',
    ja: '接続はアプリの画面から開始します。アプリで接続を選び、Cardport にログインして承認してください。',
  },
  by: { en: 'Connected by', ja: '接続したメンバー' },
  open: { en: 'Connection details', ja: '接続の詳細' },
  past: { en: 'All connections of this app', ja: 'このアプリのすべての接続' },
  sees: { en: 'What the app can access', ja: 'アプリに許可できる範囲' },
  costYes: {
    en: 'Shared, if the approving member can view costs',
    ja: '共有する（承認するメンバーに原価の閲覧権限がある場合）',
  },
  costNo: { en: 'Not shared', ja: '共有しない' },
  registration: { en: 'Registration', ja: '登録内容' },
  clientId: { en: 'Client ID', ja: 'クライアント ID' },
  contact: { en: 'Contact', ja: '連絡先' },
  noContact: sharedMessages.none,
  registered: { en: 'Registered', ja: '登録日時' },
  lines: { en: 'Settings for the developer', ja: '開発者向けの設定' },
  linesText: {
    en: 'Everything the app needs besides its secret:',
    ja: 'シークレット以外に必要な設定です。',
  },
  secrets: { en: 'Secrets', ja: 'シークレット' },
  secretsText: {
    en: (count: number) =>
      count === 1
        ? 'One secret is in use. If it may have leaked, or someone who knew it has left, rotate it without downtime.'
        : 'Two secrets are in use. Remove the old one once the app uses the new one.',
    ja: (count: number) =>
      count === 1
        ? 'シークレットは 1 つです。漏えいのおそれがある場合や、知っている人が退職した場合は、アプリを止めずに更新できます。'
        : 'シークレットが 2 つあります。アプリが新しいシークレットに切り替わったら、古い方を削除してください。',
  },
  change: { en: 'Rotate secret', ja: 'シークレットを更新' },
  end: { en: 'Disable or delete', ja: '無効化・削除' },
  disable: { en: 'Disable', ja: '無効にする' },
  disableText: {
    en: 'Temporary. The app cannot do anything until you enable it again.',
    ja: '一時的に停止します。再び有効にするまで、アプリは何も操作できません。',
  },
  enable: { en: 'Enable', ja: '有効にする' },
  enableText: { en: 'The app continues where it left off.', ja: 'アプリは続きから再開します。' },
  remove: { en: 'Delete', ja: '削除する' },
  removeText: {
    en: 'This cannot be undone. The app’s connection, approvals and secrets stop working immediately.',
    ja: 'この操作は取り消せません。接続・承認・シークレットはすぐに無効になります。',
  },
});

export const appRegistrationMessages = defineMessages({
  apps: sharedMessages.apps,
  title: sharedMessages.registerApp,
  intro: {
    en: 'The app can access this shop only. The next page shows its client ID and secret to send to the developer. The app cannot see anything until a member approves it.',
    ja: 'アプリがアクセスできるのはこのショップだけです。登録すると、開発者に渡すクライアント ID とシークレットが表示されます。メンバーが承認するまで、アプリはデータを取得できません。',
  },
  submit: { en: 'Register', ja: '登録する' },
});

export const editAppMessages = defineMessages({
  title: { en: (name: string) => `Edit ${name}`, ja: (name: string) => `${name} の編集` },
  scopes: {
    en: 'Clearing a permission ends it immediately, even for existing connections. An added permission takes effect once a member approves the app again.',
    ja: '選択を外した権限は、既存の接続でもすぐに使えなくなります。追加した権限は、メンバーがアプリを再承認すると有効になります。',
  },
  lost: {
    en: (url: string) =>
      `The app’s webhook sends to ${url}, but no redirect URI below has the same host. If you save, the webhook is removed, and the app receives no events until it registers another one.`,
    ja: (url: string) =>
      `このアプリの Webhook の送信先は ${url} ですが、同じホストのリダイレクト URI がなくなります。保存すると Webhook は削除され、アプリが新しく登録するまでイベントは配信されません。`,
  },
  confirm: { en: 'Remove the webhook', ja: 'Webhook を削除する' },
  confirmFault: {
    en: 'Confirm that the webhook will be removed, or add a redirect URI with the same host.',
    ja: '「Webhook を削除する」を選択するか、同じホストのリダイレクト URI を追加してください。',
  },
});

export const switchAppMessages = defineMessages({
  title: {
    en: (name: string) => `Disable ${name}?`,
    ja: (name: string) => `${name} を無効にしますか？`,
  },
  means: { en: 'While the app is disabled:', ja: '無効にしている間は、次のようになります。' },
  points: {
    en: [
      'It cannot read anything. Every request is refused with an error that says that the app is disabled.',
      'It receives no events. No changes are lost: when you enable it, it continues where it left off.',
      'Its connection, approvals, secrets and webhook are kept. You do not need to approve it again.',
      'Members cannot approve it.',
    ],
    ja: [
      'アプリはデータを取得できません。アプリが無効であることを示すエラーで、すべてのリクエストが拒否されます。',
      'イベントは配信されません。その間の変更は失われず、有効にすると続きから取得できます。',
      '接続・承認・シークレット・Webhook は保持されます。再承認は不要です。',
      'メンバーはこのアプリを承認できません。',
    ],
  },
  button: { en: 'Disable app', ja: 'アプリを無効にする' },
  keep: { en: 'Cancel', ja: 'キャンセル' },
});

export const deleteAppMessages = consoleMessages({
  title: {
    en: (name: string) => `Delete ${name}?`,
    ja: (name: string) => `${name} を削除しますか？`,
  },
  means: {
    en: 'This takes effect immediately and cannot be undone:',
    ja: 'すぐに実行され、取り消せません。',
  },
  points: {
    en: [
      'Its connection and webhook are removed. No more events are sent.',
      'All approvals by your members end. The app loses all access.',
      'Its client ID and secrets stop working permanently.',
      'Data that the app has already read stays with its provider. To have it deleted, contact the provider.',
    ],
    ja: [
      '接続と Webhook が削除され、イベントは配信されなくなります。',
      'メンバーによる承認がすべて取り消され、アプリはアクセスできなくなります。',
      'クライアント ID とシークレットは使えなくなります。',
      'アプリが取得済みのデータは提供元に残ります。削除が必要な場合は、提供元にご依頼ください。',
    ],
  },
  instead: {
    en: 'To stop the app temporarily, disable it instead.',
    ja: '一時的に停止する場合は、無効にしてください。',
  },
  disable: { en: 'Disable instead', ja: '代わりに無効にする' },
  type: { en: 'Enter the app’s name', ja: 'アプリの名前を入力' },
  typeHint: {
    en: (name: string) => `To confirm, enter: ${name}`,
    ja: (name: string) => `確認のため、次の名前を入力してください：${name}`,
  },
  fault: {
    en: (name: string) => `Enter the name exactly as shown: ${name}`,
    ja: (name: string) => `名前を表示どおりに入力してください：${name}`,
  },
  refused: { en: 'The app was not deleted:', ja: 'アプリは削除されませんでした。' },
  button: { en: 'Delete app', ja: 'アプリを削除する' },
});
