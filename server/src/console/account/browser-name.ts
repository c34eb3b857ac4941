import type { Language } from '../../html/language.ts';
import { browserMessages } from './messages.ts';

/**
 * Browsers by a token of their `User-Agent`. The first match wins: each also carries the tokens of
 * those below.
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

/** A readable browser name from a `User-Agent`: a reminder for the person, not proof. */
export function browserName(userAgent: string, language: Language): string {
  const messages = browserMessages[language];
  const browser = BROWSERS.find(([sign]) => userAgent.includes(`${sign}/`))?.[1];
  const system = SYSTEMS.find(([sign]) => userAgent.includes(sign))?.[1];
  if (browser === undefined) return system ?? messages.unknown;
  return system === undefined ? browser : messages.on(browser, system);
}
