import { defineMessages, type Message } from '../html/messages.ts';
import type { Permission } from '../shops/permission.ts';
import type { Section } from './response.ts';
import { consoleMessages, sharedMessages } from './shared-messages.ts';

export const layoutMessages = consoleMessages({
  skip: { en: 'Skip to content', ja: '本文へ移動' },
  sections: { en: 'Sections', ja: 'メニュー' },
  shops: { en: 'All shops', ja: 'ショップ一覧' },
  docs: { en: 'Help', ja: 'ヘルプ' },
  copied: { en: 'Copied', ja: 'コピーしました' },
  names: {
    home: { en: 'Home', ja: 'ホーム' },
    boosts: sharedMessages.boosts,
    stock: sharedMessages.stock,
    places: { en: 'Places', ja: '拠点・保管場所' },
    apps: sharedMessages.apps,
    members: sharedMessages.members,
    audit: { en: 'Audit log', ja: '監査ログ' },
    settings: { en: 'Settings', ja: '設定' },
  } satisfies Readonly<Record<Section, Message>>,
});

export const refusalMessages = defineMessages({
  notFound: { en: 'Page not found', ja: 'ページが見つかりません' },
  notFoundText: {
    en: 'Check the address. The page may have been removed, or it belongs to a shop that you are not a member of.',
    ja: 'アドレスが間違っているか、ページが削除されたか、所属していないショップのページです。',
  },
  shopClosed: { en: 'This shop is closed', ja: 'このショップは閉鎖されています' },
  shopClosedText: {
    en: (name: string) =>
      `The operator has closed ${name}. Its data is kept, but cannot be seen or changed. Ask the operator if you did not expect this.`,
    ja: (name: string) =>
      `${name}は運営者によって閉鎖されました。データは保存されていますが、閲覧や変更はできません。心当たりがない場合は、運営者にお問い合わせください。`,
  },
  noPermission: { en: 'You do not have permission', ja: 'この操作を行う権限がありません' },
  noPermissionText: {
    en: 'To do this in this shop, you need the permission:',
    ja: 'このショップで次の権限が必要です：',
  },
  askFor: {
    en: 'Ask a member who manages members to give you this permission.',
    ja: '「メンバーの管理」の権限を持つ方に、権限の付与を依頼してください。',
  },
  staleForm: { en: 'Nothing was changed', ja: '変更されませんでした' },
  staleFormText: {
    en: 'The form has expired, or you have signed in again since you opened it. Go back, reload the page and try again.',
    ja: 'フォームの有効期限が切れたか、開いた後にログインし直しています。前のページを再読み込みして、もう一度お試しください。',
  },
  brokenForm: { en: 'Nothing was changed', ja: '変更されませんでした' },
  brokenFormText: {
    en: 'The form arrived incomplete. Go back and send it again.',
    ja: 'フォームが正しく届きませんでした。前のページからもう一度送信してください。',
  },
  tooMany: { en: 'Too many requests', ja: 'アクセスが多すぎます' },
  tooManyText: {
    en: 'Wait a few seconds, then reload the page.',
    ja: '数秒待ってから、ページを再読み込みしてください。',
  },
  tooManyExports: { en: 'Another export is running', ja: '別のファイルを出力中です' },
  tooManyExportsText: {
    en: 'You can export one file at a time, and all members of the shop two. Wait until the other download has finished, or cancel it in your browser. Then reload this page.',
    ja: '同時に出力できるファイルは、おひとり 1 件、ショップ全体で 2 件までです。ほかのダウンロードの完了を待つか、ブラウザーで中止してから、このページを再読み込みしてください。',
  },
  busy: { en: 'Just a moment', ja: '少しお待ちください' },
  busyText: {
    en: 'The service is busy. No data was lost. Try again in a few seconds.',
    ja: 'ただいま混み合っています。データは失われていません。数秒後にもう一度お試しください。',
  },
  fault: { en: 'Something went wrong', ja: '問題が発生しました' },
  faultText: {
    en: 'This is an error on our side. If it happens again, send this ID to the operator:',
    ja: 'サービス側のエラーです。繰り返し発生する場合は、次の ID を運営者にお知らせください：',
  },
  requestId: { en: 'Request ID', ja: 'リクエスト ID' },
  home: { en: 'Go to Home', ja: 'ホームへ' },
});

/** The name of each permission, and what it allows. */
export const permissionMessages = defineMessages({
  'purchases.read': {
    name: { en: 'View buy boosts', ja: '買取強化の閲覧' },
    meaning: {
      en: 'View all buy boosts and their purchases.',
      ja: '買取強化と買取履歴を閲覧できます。',
    },
  },
  'purchases.write': {
    name: { en: 'Edit buy boosts', ja: '買取強化の編集' },
    meaning: {
      en: 'Create, edit, pause and end buy boosts.',
      ja: '買取強化の登録・編集・一時停止・終了ができます。',
    },
  },
  'inventory.read': {
    name: { en: 'View stock', ja: '在庫の閲覧' },
    meaning: {
      en: 'View stock, photos, sites and locations, without costs.',
      ja: '在庫・写真・拠点・保管場所を閲覧できます（原価を除く）。',
    },
  },
  'inventory.write': {
    name: { en: 'Edit stock', ja: '在庫の編集' },
    meaning: {
      en: 'Receive, move, reserve, sell and write off stock. Edit photos, sites and locations.',
      ja: '在庫の入庫・移動・取り置き・販売・除却と、写真・拠点・保管場所の編集ができます。',
    },
  },
  'inventory.cost': {
    name: { en: 'View costs', ja: '原価の閲覧' },
    meaning: {
      en: 'View and edit the cost of units.',
      ja: '在庫品の原価を閲覧・編集できます。',
    },
  },
  'integrations.approve': {
    name: { en: 'Approve apps', ja: 'アプリの承認' },
    meaning: {
      en: 'Let apps access the shop’s data. An app sees no more than the member who approved it may see.',
      ja: 'アプリにショップの情報へのアクセスを許可できます。アプリが取得できるのは、承認したメンバーが閲覧できる範囲だけです。',
    },
  },
  'integrations.manage': {
    name: { en: 'Manage apps', ja: 'アプリの管理' },
    meaning: {
      en: 'Register and delete apps, end connections, create API keys, and view the audit log.',
      ja: 'アプリの登録と削除、接続の解除、API キーの作成、監査ログの閲覧ができます。',
    },
  },
  'members.manage': {
    name: { en: 'Manage members', ja: 'メンバーの管理' },
    meaning: {
      en: 'Invite members, change their permissions and the shop’s settings, and view the audit log.',
      ja: 'メンバーの招待、権限とショップの設定の変更、監査ログの閲覧ができます。',
    },
  },
} satisfies Readonly<Record<Permission, object>>);

export const pagerMessages = defineMessages({
  pages: { en: 'Pages', ja: 'ページ' },
  first: { en: 'First page', ja: '最初のページ' },
  next: { en: 'Next page', ja: '次のページ' },
});

export const newPasswordMessages = defineMessages({
  first: { en: 'New password', ja: '新しいパスワード' },
  rule: {
    en: 'At least 8 characters. Longer is stronger; symbols are optional. A few words with spaces work well.',
    ja: '8 文字以上で設定してください。長いほど安全です。記号は必須ではなく、スペースで区切った複数の単語も使えます。',
  },
  second: { en: 'Confirm new password', ja: '新しいパスワード（確認）' },
  faults: {
    too_short: {
      en: 'The new password must be at least 8 characters long.',
      ja: '新しいパスワードは 8 文字以上にしてください。',
    },
    too_long: {
      en: 'The new password is too long. Use at most 1,024 letters or digits.',
      ja: '新しいパスワードが長すぎます。英数字で 1,024 文字以内にしてください。',
    },
    common: {
      en: 'This password is common and easy to guess. Choose another one. A few words with spaces work well.',
      ja: 'よく使われる、推測されやすいパスワードです。別のパスワードにしてください。スペースで区切った複数の単語も使えます。',
    },
    personal: {
      en: 'The new password is too similar to your name, your email address or the name of this service. Choose another one.',
      ja: 'お名前、メールアドレス、サービス名に似たパスワードは使えません。別のパスワードにしてください。',
    },
    different: {
      en: 'The passwords do not match.',
      ja: '確認用のパスワードが一致しません。',
    },
  },
});

/** The words that summarize a set of permissions in one line. */
export const permissionSetMessages = defineMessages({
  all: { en: 'All permissions', ja: 'すべての権限' },
  none: { en: 'Home only', ja: 'ホームのみ' },
  comma: { en: ', ', ja: '、' },
});
