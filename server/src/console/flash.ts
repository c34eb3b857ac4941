import type { Language } from '../pages/language.ts';

/** Says on the page that follows what was done; gone after it was shown, or after a minute. */
export const FLASH_COOKIE = 'cardport_flash';

/** What a page says about what was done just before, by a code that a short-lived cookie carries. */
const FLASHES = {
  saved: { en: 'Saved.', ja: '保存しました。' },
  unchanged: { en: 'Nothing was changed.', ja: '変更はありませんでした。' },
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
