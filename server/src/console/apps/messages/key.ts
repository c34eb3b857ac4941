import { html } from 'hono/html';
import { defineMessages } from '../../../html/messages.ts';
import type { Markup } from '../../../html/page.ts';
import { consoleMessages } from '../../shared-messages.ts';

export const secretMessages = consoleMessages({
  title: { en: 'Secrets', ja: 'シークレット' },
  titleOf: {
    en: (name: string) => `Secrets of ${name}`,
    ja: (name: string) => `${name} のシークレット`,
  },
  intro: {
    en: 'The app proves its identity with its secret. Two secrets can be in use at the same time, so that you can rotate them without downtime.',
    ja: 'シークレットは、アプリの認証に使います。同時に 2 つまで使えるため、アプリを止めずに更新できます。',
  },
  steps: { en: 'How to rotate the secret', ja: 'シークレットの更新手順' },
  step: {
    en: [
      'Create a second secret here. It is shown only once. The first one keeps working.',
      'The developer sets the new secret on the app’s server and restarts the app.',
      'Check on the connection page that the app still reads data. The app uses its secret at least every 15 minutes.',
      'Remove the old secret here. It stops working immediately.',
    ],
    ja: [
      'ここで 2 つ目のシークレットを作成します。表示は 1 回限りです。1 つ目もそのまま使えます。',
      '開発者がアプリのサーバーに新しいシークレットを設定し、アプリを再起動します。',
      'アプリがデータの取得を続けていることを、接続のページで確認します。アプリは少なくとも 15 分ごとにシークレットを使います。',
      'ここで古いシークレットを削除します。すぐに使えなくなります。',
    ],
  },
  secret: { en: 'Secret', ja: 'シークレット' },
  newer: { en: 'Newer', ja: '新しい方' },
  older: { en: 'Older', ja: '古い方' },
  only: { en: 'In use', ja: '使用中' },
  created: { en: 'Created', ja: '作成日時' },
  remove: { en: 'Remove', ja: '削除' },
  add: { en: 'Create second secret', ja: '2 つ目のシークレットを作成' },
  full: {
    en: 'This app has two secrets. Remove one before you create another.',
    ja: 'シークレットが 2 つあります。新しく作成するには、どちらかを削除してください。',
  },
  last: {
    en: 'This is the only secret, and the app cannot work without one. Create a second one first.',
    ja: 'シークレットはこの 1 つだけです。削除するとアプリが動作しなくなるため、先に 2 つ目を作成してください。',
  },
  confirm: { en: 'Remove this secret?', ja: 'このシークレットを削除しますか？' },
  confirmText: {
    en: (created: Markup) =>
      html`The secret created ${created} stops working immediately. If the app still uses it, the
      app cannot renew its access and stops within 15 minutes.`,
    ja: (created: Markup) =>
      html`${created}
      に作成したシークレットは、すぐに使えなくなります。アプリがまだ使用している場合は、アクセスを更新できなくなり、15
      分以内に停止します。`,
  },
  leak: {
    en: 'Access that was granted with this secret continues. If the secret has leaked and someone may have used it, end the connection too.',
    ja: 'このシークレットで許可済みのアクセスは継続します。漏えいして使用されたおそれがある場合は、接続も解除してください。',
  },
  confirmButton: { en: 'Remove secret', ja: 'シークレットを削除する' },
});

export const keyMessages = consoleMessages({
  intro: {
    en: 'Your own systems, such as a till or a web shop, use a key to edit stock and buy boosts through the Shop API. A key has full access, so create one for each system. Do not give keys to apps from other companies: register those as apps instead.',
    ja: 'レジや自社サイトなど、ショップ自身のシステムが Shop API で在庫と買取強化を編集するためのキーです。キーではすべての操作ができるため、システムごとに作成してください。外部のアプリにはキーを渡さず、アプリとして登録してください。',
  },
  caption: { en: 'API keys of this shop', ja: 'このショップの API キー' },
  nameHint: {
    en: 'The system that uses the key, such as “Counter till”.',
    ja: 'キーを使用するシステムの名前です（例：店頭レジ）。',
  },
  refused: { en: 'The key was not created:', ja: 'キーは作成されませんでした。' },
  tooMany: {
    en: 'This shop has reached the limit of 50 keys. Remove one that you do not use.',
    ja: 'キーの上限（50 個）に達しています。使用していないキーを削除してください。',
  },
  mayNot: {
    en: 'A key can view and edit all stock, including costs, and all buy boosts. Only a member with all of these permissions can create one.',
    ja: 'キーを使うと、原価を含むすべての在庫と買取強化を閲覧・編集できます。作成できるのは、これらの権限をすべて持つメンバーだけです。',
  },
  unnamed: { en: 'Unnamed', ja: '名前なし' },
  made: { en: 'Created', ja: '作成日時' },
  lastUse: { en: 'Last used', ja: '最終使用' },
  remove: { en: 'Remove', ja: '削除' },
  make: { en: 'Create API key', ja: 'API キーを作成' },
  makeButton: { en: 'Create key', ja: 'キーを作成する' },
  none: { en: 'No API keys yet', ja: 'API キーはまだありません' },
  noneText: {
    en: 'Only your own systems need a key. Members and apps do not.',
    ja: 'キーが必要なのはショップ自身のシステムだけです。メンバーやアプリには不要です。',
  },
  shownTitle: {
    en: (name: string) => `API key “${name}”`,
    ja: (name: string) => `API キー「${name}」`,
  },
  once: {
    en: 'This key is shown only once. Copy it before you leave this page.',
    ja: 'キーが表示されるのは今回限りです。この画面を離れる前にコピーしてください。',
  },
  lines: { en: 'For the developer', ja: '開発者向け' },
  done: { en: 'I have copied it', ja: 'コピーしました' },
  gone: { en: 'This key has already been shown', ja: 'キーは表示済みです' },
  goneText: {
    en: 'It cannot be shown again. If you did not copy it, remove it and create another one.',
    ja: '再表示はできません。コピーしていない場合は、削除して新しく作成してください。',
  },
  removeTitle: {
    en: (name: string) => `Remove the API key “${name}”?`,
    ja: (name: string) => `API キー「${name}」を削除しますか？`,
  },
  removeText: {
    en: 'Requests from the system that uses this key are refused until you give that system another key. Its data stays.',
    ja: 'このキーを使うシステムからのリクエストは、別のキーを設定するまで拒否されます。登録済みのデータは残ります。',
  },
  removeButton: { en: 'Remove key', ja: 'キーを削除する' },
});

export const shownOnceMessages = defineMessages({
  title: {
    en: (name: string) => `Client secret of ${name}`,
    ja: (name: string) => `${name} のクライアントシークレット`,
  },
  once: {
    en: 'This secret is shown only once, because we do not store it in readable form. Copy it before you leave this page.',
    ja: 'シークレットが表示されるのは今回限りです（読み取れる形では保存していません）。この画面を離れる前にコピーしてください。',
  },
  clientId: { en: 'Client ID', ja: 'クライアント ID' },
  secret: { en: 'Client secret', ja: 'クライアントシークレット' },
  lines: { en: 'For the developer', ja: '開発者向け' },
  linesText: {
    en: 'Everything the app needs, as an environment file:',
    ja: 'アプリに必要な設定をまとめた環境変数ファイルです。',
  },
  next: { en: 'Next steps', ja: '次の手順' },
  steps: {
    en: [
      'Send these settings to the developer securely, for example with a password manager, not in a chat.',
      'The developer sets them on the app’s server, never in a web page or a mobile app.',
      'In the app, start the connection to your shop, then approve the app here.',
    ],
    ja: [
      'この設定を、安全な方法（チャットではなく、パスワード管理ツールなど）で開発者に渡してください。',
      '開発者がアプリのサーバーに設定します。Web ページやスマートフォンアプリには含めないでください。',
      'アプリの画面でショップとの接続を選び、Cardport で承認してください。',
    ],
  },
  done: { en: 'I have copied it', ja: 'コピーしました' },
  gone: { en: 'This secret has already been shown', ja: 'シークレットは表示済みです' },
  goneText: {
    en: 'It cannot be shown again. If you did not copy it, create a second secret on the app’s secrets page.',
    ja: '再表示はできません。コピーしていない場合は、シークレットのページで 2 つ目のシークレットを作成してください。',
  },
  another: { en: 'Secrets of this app', ja: 'このアプリのシークレット' },
});
