import { readCookie, renderCookie } from './cookie.ts';
import type { Language } from './language.ts';

/** The cookie's name has no `__Host-` prefix, so that it is the same over http and https. */
const NAME = 'cardport_language';
/** The chosen language takes precedence over the browser's language for a year. */
const LIFETIME_SECONDS = 365 * 24 * 60 * 60;

export function readLanguage(cookieHeader: string | undefined): Language | undefined {
  const value = readCookie(cookieHeader, NAME);
  return value === 'en' || value === 'ja' ? value : undefined;
}

export function languageCookie(language: Language | null, isSecure: boolean): string {
  const maxAgeSeconds = language === null ? 0 : LIFETIME_SECONDS;
  return renderCookie(NAME, language ?? '', { isSecure, maxAgeSeconds });
}
