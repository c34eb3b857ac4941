import { defineMessages, type Message } from '../pages/messages.ts';
import type { Permission } from '../shops/permission.ts';
import type { Section } from './answer.ts';
import { consoleMessages, shared } from './shared-messages.ts';

export const layoutMessages = consoleMessages({
  skip: { en: 'Skip to the content', ja: '本文へ移動' },
  sections: { en: 'Sections', ja: 'メニュー' },
  shops: { en: 'All shops', ja: 'ショップ一覧' },
  docs: { en: 'Help', ja: 'ヘルプ' },
  copied: { en: 'Copied', ja: 'コピーしました' },
  names: {
    home: { en: 'Home', ja: 'ホーム' },
    boosts: shared.boosts,
    stock: shared.stock,
    places: { en: 'Places', ja: '拠点・保管場所' },
    apps: shared.apps,
    members: shared.members,
    audit: { en: 'Audit log', ja: '監査ログ' },
  } satisfies Readonly<Record<Section, Message>>,
});

export const refusalMessages = defineMessages({
  notFound: { en: 'Page not found', ja: 'ページが見つかりません' },
  notFoundText: {
    en: 'The address may be mistyped, what it showed may be gone, or it belongs to a shop that you are no member of.',
    ja: 'アドレスが間違っているか、表示していたものがなくなったか、あなたがメンバーではないショップのページです。',
  },
  noPermission: { en: 'You may not do this', ja: 'この操作はできません' },
  noPermissionText: {
    en: 'For this you need another permission in this shop:',
    ja: 'このショップで次の権限が必要です。',
  },
  askFor: {
    en: 'Ask somebody who manages the shop’s members to give it to you.',
    ja: 'メンバーを管理している方に、権限の追加を依頼してください。',
  },
  staleForm: { en: 'Nothing was changed', ja: '変更されませんでした' },
  staleFormText: {
    en: 'The form was too old, or came from another sign-in. Go back, reload the page and send it again.',
    ja: 'フォームの有効期限が切れたか、別のログインのものです。前のページを再読み込みして、もう一度送信してください。',
  },
  brokenForm: { en: 'Nothing was changed', ja: '変更されませんでした' },
  brokenFormText: {
    en: 'The form did not arrive whole. Go back and send it again.',
    ja: 'フォームが正しく届きませんでした。前のページからもう一度送信してください。',
  },
  tooMany: { en: 'Too many pages at once', ja: 'アクセスが多すぎます' },
  tooManyText: {
    en: 'Wait a few seconds, then load the page again.',
    ja: '数秒待ってから、もう一度読み込んでください。',
  },
  busy: { en: 'Just a moment', ja: '少しお待ちください' },
  busyText: {
    en: 'The service cannot answer at the moment. Nothing was lost: try again in a few seconds.',
    ja: '現在サービスが応答できません。データは失われていません。数秒後にもう一度お試しください。',
  },
  fault: { en: 'Something went wrong', ja: '問題が発生しました' },
  faultText: {
    en: 'It is our fault, not yours. If it happens again, tell the operator this number:',
    ja: 'こちらの不具合です。繰り返し起きる場合は、この番号を運営者にお知らせください。',
  },
  requestId: { en: 'Request', ja: 'リクエスト' },
  home: { en: 'Go to Home', ja: '最初のページへ' },
});

/** The name of each permission, and what it allows. */
export const permissionMessages = defineMessages({
  'purchases.read': {
    name: { en: 'See buy boosts', ja: '買取強化の閲覧' },
    meaning: {
      en: 'Sees all buy boosts and what was bought on them.',
      ja: '買取強化とその買取実績を閲覧できます。',
    },
  },
  'purchases.write': {
    name: { en: 'Change buy boosts', ja: '買取強化の編集' },
    meaning: {
      en: 'Makes buy boosts, changes, pauses and ends them.',
      ja: '買取強化の作成・変更・一時停止・終了ができます。',
    },
  },
  'inventory.read': {
    name: { en: 'See stock', ja: '在庫の閲覧' },
    meaning: {
      en: 'Sees stock, photos, sites and locations; no costs.',
      ja: '在庫・写真・拠点・保管場所を閲覧できます(原価を除く)。',
    },
  },
  'inventory.write': {
    name: { en: 'Change stock', ja: '在庫の編集' },
    meaning: {
      en: 'Takes stock in, moves, reserves, sells and writes off; photos; sites and locations.',
      ja: '入庫・移動・取り置き・販売・廃棄、写真、拠点と保管場所の編集ができます。',
    },
  },
  'inventory.cost': {
    name: { en: 'See costs', ja: '原価の閲覧' },
    meaning: {
      en: 'Sees and sets what pieces of stock have cost.',
      ja: '在庫の原価を閲覧・設定できます。',
    },
  },
  'integrations.manage': {
    name: { en: 'Manage apps', ja: 'アプリの管理' },
    meaning: {
      en: 'Registers and removes apps, ends connections, makes API keys, reads the audit.',
      ja: 'アプリの登録と削除、接続の終了、APIキーの作成、監査ログの閲覧ができます。',
    },
  },
  'members.manage': {
    name: { en: 'Manage members', ja: 'メンバーの管理' },
    meaning: {
      en: 'Invites members, gives and takes permissions, reads the audit.',
      ja: 'メンバーの招待、権限の変更、監査ログの閲覧ができます。',
    },
  },
} satisfies Readonly<Record<Permission, object>>);

export const pagerMessages = defineMessages({
  pages: { en: 'Pages', ja: 'ページ' },
  first: { en: 'From the start', ja: '最初から' },
  next: { en: 'Next page', ja: '次のページ' },
});

export const newPasswordMessages = defineMessages({
  first: { en: 'New password', ja: '新しいパスワード' },
  rule: {
    en: 'At least 8 characters. Length counts, not special signs: a few words with spaces are good.',
    ja: '8 文字以上で設定してください。記号の有無よりも長さが大切です。空白を入れた数語の文でもかまいません。',
  },
  second: { en: 'New password again', ja: '新しいパスワード（確認）' },
  faults: {
    too_short: {
      en: 'The new password has fewer than 8 characters.',
      ja: '新しいパスワードが 8 文字未満です。',
    },
    too_long: {
      en: 'The new password is too long: 1,024 letters are enough.',
      ja: '新しいパスワードが長すぎます。英数字で 1,024 文字以内にしてください。',
    },
    common: {
      en: 'This password is one of those that are guessed first. Choose another one: a few words with spaces are good.',
      ja: 'よく使われていて、推測されやすいパスワードです。別のパスワードにしてください。空白を入れた数語の文でもかまいません。',
    },
    personal: {
      en: 'The new password is too close to your name, your e-mail address or the name of this service.',
      ja: 'お名前、メールアドレス、このサービスの名前に近いパスワードは使えません。別のパスワードにしてください。',
    },
    different: {
      en: 'The new password was typed differently the second time.',
      ja: '確認用のパスワードが一致しません。',
    },
  },
});

/** A set of permissions in one line. */
export const permissionSetMessages = defineMessages({
  all: { en: 'Everything', ja: 'すべての権限' },
  none: { en: 'Only Home', ja: 'ホームのみ' },
  comma: { en: ', ', ja: '、' },
});
