import { readCookie, renderCookie } from './cookie.ts';
import type { Language } from './language.ts';

/** Without a prefix: it tells nothing of anybody, and is the same over http and https. */
const NAME = 'cardport_language';
/** A year: whoever has chosen a language is not asked by the browser's again. */
const LIFETIME_SECONDS = 365 * 24 * 60 * 60;

/** The language that somebody has chosen in this browser, or undefined. */
export function readLanguage(cookieHeader: string | undefined): Language | undefined {
  const value = readCookie(cookieHeader, NAME);
  return value === 'en' || value === 'ja' ? value : undefined;
}

/** The `Set-Cookie` that keeps a choice in the browser; null forgets it. */
export function languageCookie(language: Language | null, isSecure: boolean): string {
  const maxAgeSeconds = language === null ? 0 : LIFETIME_SECONDS;
  return renderCookie(NAME, language ?? '', { isSecure, maxAgeSeconds });
}
