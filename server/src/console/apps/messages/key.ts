import { html } from 'hono/html';
import { defineMessages } from '../../../pages/messages.ts';
import type { Markup } from '../../../pages/page.ts';
import { consoleMessages } from '../../shared-messages.ts';

export const secretMessages = consoleMessages({
  title: { en: 'Secrets', ja: 'シークレット' },
  titleOf: {
    en: (name: string) => `Secrets of ${name}`,
    ja: (name: string) => `${name} のシークレット`,
  },
  intro: {
    en: 'With its secret the app proves that it is itself. Two may be in use at the same time, so that the app can change over without a break.',
    ja: 'アプリはシークレットで本人であることを証明します。同時に 2 つまで使えるので、止めずに切り替えられます。',
  },
  steps: { en: 'How to change the secret', ja: 'シークレットの変更手順' },
  step: {
    en: [
      'Create a second secret here. It is shown once; the first one goes on working.',
      'The developer puts the new secret on the app’s server and starts the app again.',
      'See that the app still reads: its connection says when it last did. It uses the secret at least every 15 minutes.',
      'Remove the old secret here. From then on it opens nothing.',
    ],
    ja: [
      'ここで 2 つ目のシークレットを作成します。表示は 1 回限りで、1 つ目もそのまま使えます。',
      '開発者がアプリのサーバーに新しいシークレットを設定し、アプリを再起動します。',
      'アプリが読み取りを続けていることを接続のページで確認します。アプリは少なくとも 15 分ごとにシークレットを使います。',
      'ここで古いシークレットを削除します。その時点から使えなくなります。',
    ],
  },
  secret: { en: 'Secret', ja: 'シークレット' },
  newer: { en: 'The newer one', ja: '新しい方' },
  older: { en: 'The older one', ja: '古い方' },
  only: { en: 'The one in use', ja: '使用中' },
  created: { en: 'Created', ja: '作成日時' },
  remove: { en: 'Remove', ja: '削除' },
  add: { en: 'Create a second secret', ja: '2 つ目のシークレットを作成' },
  full: {
    en: 'There are two secrets. Remove one before you make another.',
    ja: 'シークレットが 2 つあります。新しく作成するには、どちらかを削除してください。',
  },
  last: {
    en: 'This is the only secret: without any, the app could not go on. Create a second one first.',
    ja: 'シークレットはこれだけです。なくなるとアプリは動作を続けられません。先に 2 つ目を作成してください。',
  },
  confirm: { en: 'Remove this secret?', ja: 'このシークレットを削除しますか？' },
  confirmText: {
    en: (created: Markup) =>
      html`The secret that was made ${created} works no more, at once. If the app still uses it, the
      app cannot renew its access any more and stops within 15 minutes.`,
    ja: (created: Markup) =>
      html`${created}
      に作成したシークレットは、すぐに使えなくなります。アプリがまだ使っている場合、アクセスを更新できなくなり、15
      分以内に止まります。`,
  },
  leak: {
    en: 'Access that was given with it already goes on. If the secret has leaked and somebody may have used it, end the connection too.',
    ja: 'すでに与えられたアクセスは続きます。漏れたシークレットが使われたおそれがある場合は、接続も終了してください。',
  },
  confirmButton: { en: 'Remove the secret', ja: 'シークレットを削除する' },
});

export const keyMessages = consoleMessages({
  intro: {
    en: 'With a key your own systems, such as a till or a web shop, write stock and buy boosts through the Shop API. A key may do everything there, so give each system its own, and none to apps of other makers: those are registered and approved.',
    ja: 'レジや自社サイトなど、ショップ自身のシステムが Shop API で在庫と買取強化を書き込むためのキーです。キーではすべての書き込みができるため、システムごとに分け、ほかの会社のアプリには渡さないでください（アプリは登録と承認で利用します）。',
  },
  caption: { en: 'API keys of this shop', ja: 'このショップの API キー' },
  nameHint: {
    en: 'Which system uses it, such as “Till at the counter”.',
    ja: '使用するシステム（例：店頭レジ）を入力してください。',
  },
  nameFault: {
    en: (max: number) => `Enter a name of 1 to ${max} characters.`,
    ja: (max: number) => `名前は 1〜${max} 文字で入力してください。`,
  },
  refused: { en: 'No key was created:', ja: 'キーは作成されませんでした。' },
  tooMany: {
    en: 'A shop has at most 50 keys. Remove one that is not used any more.',
    ja: 'キーは 1 ショップにつき 50 個までです。使っていないキーを削除してください。',
  },
  mayNot: {
    en: 'A key reads and writes all stock with its costs, and all buy boosts. Only a member who holds all of these permissions can make one.',
    ja: 'キーを使うと、原価を含むすべての在庫と買取強化を閲覧・変更できます。作成できるのは、これらの権限をすべて持つメンバーだけです。',
  },
  unnamed: { en: 'Without a name', ja: '名前なし' },
  made: { en: 'Created', ja: '作成日時' },
  lastUse: { en: 'Last used', ja: '最終使用' },
  remove: { en: 'Remove', ja: '削除' },
  make: { en: 'Create a key', ja: 'キーを作成' },
  makeButton: { en: 'Create the key', ja: 'キーを作成する' },
  none: { en: 'No key yet', ja: 'キーはまだありません' },
  noneText: {
    en: 'Only your own systems need one. Members and apps work without.',
    ja: '必要なのはショップ自身のシステムだけです。メンバーやアプリには必要ありません。',
  },
  shownTitle: {
    en: (name: string) => `The API key “${name}”`,
    ja: (name: string) => `API キー「${name}」`,
  },
  once: {
    en: 'The key is shown on this page only, and only now. Copy it before you leave the page.',
    ja: 'キーが表示されるのはこの画面だけ、今回限りです。離れる前にコピーしてください。',
  },
  lines: { en: 'For the developer', ja: '開発者向け' },
  done: { en: 'I have copied it', ja: 'コピーしました' },
  gone: { en: 'The key was shown before', ja: 'キーは表示済みです' },
  goneText: {
    en: 'It is shown once and cannot be shown again. If nobody has copied it, remove it and make another one.',
    ja: '表示は 1 回限りで、再表示はできません。控えていない場合は、削除して新しく作成してください。',
  },
  removeTitle: {
    en: (name: string) => `Remove the API key “${name}”?`,
    ja: (name: string) => `API キー「${name}」を削除しますか？`,
  },
  removeText: {
    en: 'The system that uses it is refused at its next call, until it has another key. What it has written stays.',
    ja: 'このキーを使うシステムは、別のキーを設定するまで、次の呼び出しから拒否されます。書き込んだ内容は残ります。',
  },
  removeButton: { en: 'Remove the key', ja: 'キーを削除する' },
});

export const shownOnceMessages = defineMessages({
  title: {
    en: (name: string) => `The secret of ${name}`,
    ja: (name: string) => `${name} のシークレット`,
  },
  once: {
    en: 'The secret is shown on this page only, and only now: we keep no copy that anybody could read. Copy it before you leave the page.',
    ja: 'シークレットが表示されるのはこの画面だけ、今回限りです。読み出せる形では保存していません。この画面を離れる前にコピーしてください。',
  },
  clientId: { en: 'Client id', ja: 'クライアント ID' },
  secret: { en: 'Client secret', ja: 'クライアントシークレット' },
  lines: { en: 'For the developer', ja: '開発者向け' },
  linesText: {
    en: 'The lines of an environment file with all that an app needs:',
    ja: 'アプリに必要なものをまとめた環境変数ファイルの内容です。',
  },
  next: { en: 'What comes next', ja: 'このあとの手順' },
  steps: {
    en: [
      'Hand the lines to the developer by a safe way: a password manager, not a chat.',
      'The developer puts them on the app’s server, never into a page or a program for phones.',
      'In the app, press what connects it to your shop, and approve it here.',
    ],
    ja: [
      'この内容を安全な方法（チャットではなくパスワード管理ツールなど）で開発者に渡してください。',
      '開発者は、アプリのサーバーに設定します。Web ページやスマートフォンのアプリには入れません。',
      'アプリの「ショップと接続」を押し、こちらで承認してください。',
    ],
  },
  done: { en: 'I have copied it', ja: 'コピーしました' },
  gone: { en: 'The secret was shown before', ja: 'シークレットは表示済みです' },
  goneText: {
    en: 'It is shown once and cannot be shown again. If nobody has copied it, make a second secret for this app: the page of its secrets says how.',
    ja: '表示は 1 回限りで、再表示はできません。控えていない場合は、2 つ目のシークレットを作成してください。手順はシークレットのページにあります。',
  },
  another: { en: 'Secrets of this app', ja: 'このアプリのシークレット' },
});
