import type { Language } from '../../html/language.ts';
import { browserMessages } from './messages.ts';

/** The order matters: the `User-Agent` of a browser also contains tokens of later browsers. */
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

/** The name only helps people to recognize a session, because a client can send any value. */
export function browserName(userAgent: string, language: Language): string {
  const messages = browserMessages[language];
  const browser = BROWSERS.find(([sign]) => userAgent.includes(`${sign}/`))?.[1];
  const system = SYSTEMS.find(([sign]) => userAgent.includes(sign))?.[1];
  if (browser === undefined) return system ?? messages.unknown;
  return system === undefined ? browser : messages.on(browser, system);
}
