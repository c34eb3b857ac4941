import type { Language } from '../html/language.ts';
import { defineMessages, type MessageTable, type Translated } from '../html/messages.ts';

/** The messages that several pages of the console share. */
export const sharedMessages = {
  name: { en: 'Name', ja: '名前' },
  state: { en: 'Status', ja: 'ステータス' },
  status: { en: 'Status', ja: 'ステータス' },
  apps: { en: 'Apps', ja: 'アプリ' },
  app: { en: 'App', ja: 'アプリ' },
  stock: { en: 'Stock', ja: '在庫' },
  boosts: { en: 'Buy boosts', ja: '買取強化' },
  members: { en: 'Members', ja: 'メンバー' },
  when: { en: 'When', ja: '日時' },
  grade: { en: 'Grade', ja: '状態・鑑定' },
  price: { en: 'Price', ja: '価格' },
  actions: { en: 'Actions', ja: '操作' },
  edit: { en: 'Edit', ja: '編集' },
  save: { en: 'Save', ja: '保存する' },
  cancel: { en: 'Cancel', ja: 'キャンセル' },
  lag: { en: 'Lag', ja: '未取得の変更' },
  lastRead: { en: 'Last read', ja: '最終取得' },
  webhook: { en: 'Webhook', ja: 'Webhook' },
  connection: { en: 'Connection', ja: '接続' },
  ended: { en: 'Ended', ja: '終了' },
  noLimit: { en: 'No limit', ja: '無制限' },
  email: { en: 'Email', ja: 'メールアドレス' },
  notKnown: { en: 'Unknown', ja: '不明' },
  lastSeen: { en: 'Last active', ja: '最終アクセス' },
  signOut: { en: 'Sign out', ja: 'ログアウト' },
  member: { en: 'Member', ja: 'メンバー' },
  active: { en: 'Active', ja: '有効' },
  details: { en: 'Details', ja: '詳細' },
  permissions: { en: 'Permissions', ja: '権限' },
  search: { en: 'Search', ja: '検索' },
  account: { en: 'My account', ja: 'アカウント' },
  cost: { en: 'Cost', ja: '原価' },
  redirectUris: { en: 'Redirect URIs', ja: 'リダイレクト URI' },
  approvals: { en: 'Approvals', ja: '承認履歴' },
  keys: { en: 'API keys', ja: 'API キー' },
  registerApp: { en: 'Register app', ja: 'アプリを登録' },
  connectedAt: { en: 'Connected', ja: '接続日時' },
  place: { en: 'Place', ja: '場所' },
  anyGrade: { en: 'Any grade', ja: '状態・鑑定不問' },
  ungraded: { en: 'Not specified', ja: '指定なし' },
  site: { en: 'Site', ja: '拠点' },
  passkeys: { en: 'Passkeys', ja: 'パスキー' },
  none: { en: 'None', ja: 'なし' },
  paused: { en: 'Paused', ja: '一時停止中' },
  starts: { en: 'Start', ja: '開始日時' },
  ends: { en: 'End', ja: '終了日時' },
  note: { en: 'Note', ja: 'メモ' },
  boost: { en: 'Buy boost', ja: '買取強化の詳細' },
  priceEach: { en: 'Price per item', ja: '1 点あたりの買取価格' },
  nameNotChanged: { en: 'The name was not changed', ja: '名前は変更されませんでした' },
  keep: { en: 'Cancel', ja: 'キャンセル' },
  key: { en: 'API key', ja: 'API キー' },
  lastManager: {
    en: 'No other member can manage the members of this shop. Give another member that permission first.',
    ja: 'ほかにメンバーを管理できる方がいません。先に、ほかのメンバーに「メンバーの管理」の権限を付与してください。',
  },
  searchBusy: {
    en: 'The search is busy. Try again in a moment.',
    ja: '検索が混み合っています。しばらくしてから、もう一度お試しください。',
  },
  signInBusy: {
    en: 'Too many people are signing in. Try again in a moment.',
    ja: 'ただいま混み合っています。しばらくしてから、もう一度お試しください。',
  },
  badPasskeyName: {
    en: 'Enter a name of 1 to 100 characters, without line breaks, invisible characters, or a space at its start or end.',
    ja: '名前は 1〜100 文字で入力してください。改行、表示されない文字、前後の空白は使えません。',
  },
  timezone: { en: 'Time zone', ja: 'タイムゾーン' },
  shopName: { en: 'Name of the shop', ja: 'ショップ名' },
  shopTimezoneHint: {
    en: 'For example Asia/Tokyo. Pages show times in this time zone. If you leave it empty, they use the time zone of the oldest site in use.',
    ja: '例：Asia/Tokyo。画面の日時に使用します。空欄の場合は、使用中の拠点のうち最初に登録した拠点のタイムゾーンを使用します。',
  },
  noTimezone: {
    en: 'Enter the IANA name of a time zone, such as Asia/Tokyo.',
    ja: 'IANA のタイムゾーン名を入力してください（例：Asia/Tokyo）。',
  },
  stale: {
    en: 'The form has expired. Try again.',
    ja: 'フォームの有効期限が切れました。もう一度お試しください。',
  },
  throttled: { en: 'Too many attempts', ja: '試行回数が多すぎます' },
  throttledText: {
    en: (seconds: number): string => `Try again in ${seconds} seconds.`,
    ja: (seconds: number): string => `${seconds} 秒後にもう一度お試しください。`,
  },
  badName: {
    en: 'Enter a name of 1 to 200 characters, without line breaks, invisible characters, or a space at its start or end.',
    ja: '名前は 1〜200 文字で入力してください。改行、表示されない文字、前後の空白は使えません。',
  },
  currency: { en: 'Currency', ja: '通貨' },
  language: { en: 'Language', ja: '言語' },
  invitation: {
    en: (shop: string): string => `Invitation to ${shop}`,
    ja: (shop: string): string => `「${shop}」への招待`,
  },
};

/** A message of the page replaces the shared message of the same key. */
export function consoleMessages<Table extends MessageTable>(
  table: Table,
): Readonly<Record<Language, Translated<Omit<typeof sharedMessages, keyof Table> & Table>>>;
export function consoleMessages(table: MessageTable): Readonly<Record<Language, unknown>> {
  return defineMessages({ ...sharedMessages, ...table });
}
