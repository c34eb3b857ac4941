import type { Language } from '../pages/language.ts';

/** Says on the page that follows what was done; gone after it was shown, or after a minute. */
export const FLASH_COOKIE = 'cardport_flash';

/** What a page says about what was done just before, by a code that a short-lived cookie carries. */
const FLASHES = {
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
