import { readCookie, renderCookie } from './cookie.ts';
import type { Language } from './language.ts';

/** Without a prefix: it holds nothing personal, and has the same name over http and https. */
const NAME = 'cardport_language';
/** A year, in which the choice takes precedence over the browser's language. */
const LIFETIME_SECONDS = 365 * 24 * 60 * 60;

export function readLanguage(cookieHeader: string | undefined): Language | undefined {
  const value = readCookie(cookieHeader, NAME);
  return value === 'en' || value === 'ja' ? value : undefined;
}

/** Null removes the cookie. */
export function languageCookie(language: Language | null, isSecure: boolean): string {
  const maxAgeSeconds = language === null ? 0 : LIFETIME_SECONDS;
  return renderCookie(NAME, language ?? '', { isSecure, maxAgeSeconds });
}
