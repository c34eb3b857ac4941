import type { Language } from '../../html/language.ts';
import { browserMessages } from './messages.ts';

/**
 * Lists browsers with the token that identifies each in a `User-Agent`. The order matters, because
 * the `User-Agent` of a browser also contains tokens of browsers later in this list.
 */
const BROWSERS = [
  ['Edg', 'Microsoft Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'Mac'],
  ['Linux', 'Linux'],
] as const;

/**
 * Returns a readable browser name from a `User-Agent`. The name only helps people to recognize a
 * session, because a client can send any value.
 */
export function browserName(userAgent: string, language: Language): string {
  const messages = browserMessages[language];
  const browser = BROWSERS.find(([sign]) => userAgent.includes(`${sign}/`))?.[1];
  const system = SYSTEMS.find(([sign]) => userAgent.includes(sign))?.[1];
  if (browser === undefined) return system ?? messages.unknown;
  return system === undefined ? browser : messages.on(browser, system);
}
