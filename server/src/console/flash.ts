import type { Language } from '../pages/language.ts';

/** Says on the page that follows what was done; gone after it was shown, or after a minute. */
export const FLASH_COOKIE = 'cardport_flash';

/** What a page says about what was done just before, by a code that a short-lived cookie carries. */
const FLASHES = {
  boost_created: { en: 'The buy boost was created.', ja: '買取強化を登録しました。' },
  boost_paused: {
    en: 'Paused. Apps no longer see this buy boost.',
    ja: '一時停止しました。アプリには表示されません。',
  },
  boost_resumed: { en: 'Resumed.', ja: '再開しました。' },
  boost_ended: { en: 'The buy boost was ended.', ja: '買取強化を終了しました。' },
  boost_raised: { en: 'You buy more of it now.', ja: '残りの買取数を増やしました。' },
  saved: { en: 'Saved.', ja: '保存しました。' },
  unchanged: { en: 'Nothing was changed.', ja: '変更はありませんでした。' },
  invited: { en: 'The invitation was sent.', ja: '招待を送信しました。' },
  invited_unsent: {
    en: 'The invitation was made, but its mail could not be sent. Send it again below; if that fails too, tell the operator.',
    ja: '招待は作成しましたが、メールを送信できませんでした。下の「再送信」をお試しください。それでも届かない場合は、運営者にお知らせください。',
  },
  invitation_withdrawn: {
    en: 'The invitation was withdrawn: its link works no more.',
    ja: '招待を取り消しました。リンクは使えなくなりました。',
  },
  member_deactivated: { en: 'The member was deactivated.', ja: 'メンバーを停止しました。' },
  member_activated: { en: 'The member was activated.', ja: 'メンバーを再開しました。' },
  joined: {
    en: 'Welcome! You are a member of this shop now.',
    ja: 'ようこそ。このショップのメンバーになりました。',
  },
  password_changed: {
    en: 'Your password was changed. All your other browsers were signed out.',
    ja: 'パスワードを変更しました。ほかのブラウザはすべてログアウトしました。',
  },
  session_ended: { en: 'That browser was signed out.', ja: 'そのブラウザをログアウトしました。' },
  sessions_ended: {
    en: 'All your other browsers were signed out.',
    ja: 'ほかのブラウザをすべてログアウトしました。',
  },
  passkey_added: { en: 'The passkey was added.', ja: 'パスキーを追加しました。' },
  passkey_removed: { en: 'The passkey was removed.', ja: 'パスキーを削除しました。' },
  webhook_lost: {
    en: 'Saved. The app’s webhook was removed with the address of its host.',
    ja: '保存しました。ホストのアドレスがなくなったため、アプリの Webhook を削除しました。',
  },
  app_enabled: { en: 'The app is enabled.', ja: 'アプリを有効にしました。' },
  app_disabled: {
    en: 'The app is disabled: it can do nothing from now on.',
    ja: 'アプリを無効にしました。アプリは何もできません。',
  },
  app_deleted: { en: 'The app was deleted.', ja: 'アプリを削除しました。' },
  secret_removed: {
    en: 'The secret was removed: it opens nothing any more.',
    ja: 'シークレットを削除しました。今後は使えません。',
  },
  key_removed: {
    en: 'The key was removed: it opens nothing any more.',
    ja: 'キーを削除しました。今後は使えません。',
  },
  connection_ended: { en: 'The connection was ended.', ja: '接続を終了しました。' },
  stock_changed: { en: 'The units were changed.', ja: '在庫品を変更しました。' },
  photo_saved: { en: 'The photo was saved.', ja: '写真を保存しました。' },
  photo_removed: { en: 'The photo was removed.', ja: '写真を削除しました。' },
  site_added: { en: 'The site was added.', ja: '拠点を追加しました。' },
  location_added: { en: 'The location was added.', ja: '保管場所を追加しました。' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The code of one of the sentences. */
export type FlashCode = keyof typeof FLASHES;

/** The code that a cookie carried, or null when it is none of ours. */
export function readFlash(text: string | undefined): FlashCode | null {
  return text !== undefined && isFlash(text) ? text : null;
}

function isFlash(text: string): text is FlashCode {
  return Object.hasOwn(FLASHES, text);
}

/** The sentence of a code. */
export function wordsOfFlash(code: FlashCode, language: Language): string {
  return FLASHES[code][language];
}

/** The `Set-Cookie` that carries a code to the next page, or takes one away (null). */
export function flashCookie(code: FlashCode | null, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  const value = code === null ? '; Max-Age=0' : `${code}; Max-Age=60`;
  return `${FLASH_COOKIE}=${value}; Path=/console; HttpOnly; SameSite=Lax${secure}`;
}
