import type { Language } from '../pages/language.ts';
import { defineMessages, type MessageTable, type Translated } from '../pages/messages.ts';

/** Messages that several tables of the console share. */
export const shared = {
  name: { en: 'Name', ja: '名前' },
  state: { en: 'State', ja: '状態' },
  status: { en: 'Status', ja: '状態' },
  apps: { en: 'Apps', ja: 'アプリ' },
  app: { en: 'App', ja: 'アプリ' },
  stock: { en: 'Stock', ja: '在庫' },
  boosts: { en: 'Buy boosts', ja: '買取強化' },
  members: { en: 'Members', ja: 'メンバー' },
  when: { en: 'When', ja: '日時' },
  grade: { en: 'Grade', ja: 'グレード' },
  price: { en: 'Price', ja: '価格' },
  actions: { en: 'Actions', ja: '操作' },
  edit: { en: 'Edit', ja: '編集' },
  save: { en: 'Save', ja: '保存する' },
  cancel: { en: 'Cancel', ja: 'キャンセル' },
  lag: { en: 'Lag', ja: '遅れ' },
  lastRead: { en: 'Last read', ja: '最終読み取り' },
  webhook: { en: 'Webhook', ja: 'Webhook' },
  connection: { en: 'Connection', ja: '接続' },
  ended: { en: 'Ended', ja: '終了' },
  noLimit: { en: 'No limit', ja: '無制限' },
  email: { en: 'E-mail', ja: 'メールアドレス' },
  notKnown: { en: 'Not known', ja: '不明' },
  lastSeen: { en: 'Last seen', ja: '最終アクセス' },
  signOut: { en: 'Sign out', ja: 'ログアウト' },
  member: { en: 'Member', ja: 'メンバー' },
  active: { en: 'Active', ja: '有効' },
  details: { en: 'Details', ja: '詳細' },
  permissions: { en: 'Permissions', ja: '権限' },
  search: { en: 'Search', ja: '検索' },
  account: { en: 'My account', ja: 'アカウント' },
  cost: { en: 'Cost', ja: '原価' },
  redirectUris: { en: 'Redirect URIs', ja: 'リダイレクト URI' },
  approvals: { en: 'Approvals', ja: '承認の履歴' },
  keys: { en: 'API keys', ja: 'API キー' },
  registerApp: { en: 'Register an app', ja: 'アプリを登録' },
  connectedAt: { en: 'Connected', ja: '接続日時' },
  place: { en: 'Place', ja: '場所' },
  anyGrade: { en: 'Any grade', ja: 'グレード不問' },
  ungraded: { en: 'Ungraded', ja: '未鑑定' },
  site: { en: 'Site', ja: '拠点' },
  passkeys: { en: 'Passkeys', ja: 'パスキー' },
  none: { en: 'None', ja: 'なし' },
  paused: { en: 'Paused', ja: '停止中' },
  starts: { en: 'Start', ja: '開始日時' },
  ends: { en: 'End', ja: '終了日時' },
  note: { en: 'Note', ja: 'メモ' },
  boost: { en: 'Buy boost', ja: '買取強化の詳細' },
  priceEach: { en: 'Price for each', ja: '1 点あたりの買取価格' },
  nameNotChanged: { en: 'The name was not changed', ja: '名前は変更されませんでした' },
  keep: { en: 'Keep it', ja: '削除しない' },
  key: { en: 'API key', ja: 'API キー' },
  lastManager: {
    en: 'Nobody else may manage the members of this shop. Give somebody else that permission first.',
    ja: 'ほかにメンバーを管理できる方がいません。先にほかの方へ「メンバーの管理」の権限を付けてください。',
  },
  searchBusy: {
    en: 'The search is busy. Try again in a moment.',
    ja: '検索が混み合っています。しばらくしてからもう一度お試しください。',
  },
  signInBusy: {
    en: 'Too many people are signing in. Try again in a moment.',
    ja: 'ただいま混み合っています。しばらくしてからもう一度お試しください。',
  },
  badPasskeyName: {
    en: 'Enter a name of 1 to 100 characters, without spaces at its ends.',
    ja: '名前は 1〜100 文字で、前後の空白なしで入力してください。',
  },
  invitation: {
    en: (shop: string): string => `Invitation to ${shop}`,
    ja: (shop: string): string => `「${shop}」への招待`,
  },
};

/**
 * The messages of a page together with the shared ones; a page's message replaces a shared one of
 * the same key.
 */
export function consoleMessages<Table extends MessageTable>(
  table: Table,
): Readonly<Record<Language, Translated<Omit<typeof shared, keyof Table> & Table>>>;
export function consoleMessages(table: MessageTable): Readonly<Record<Language, unknown>> {
  return defineMessages({ ...shared, ...table });
}
