import type { Database } from '../src/database/database.ts';
import type { Language } from '../src/html/language.ts';
import { startSession } from '../src/shops/session.ts';
import { PlainBrowser } from './plain-browser.ts';

/**
 * Returns a browser without scripts that is signed in without a password, because a password hash
 * takes 30 ms.
 */
export async function openSignedIn(
  { publicUrl }: { readonly publicUrl: string },
  db: Database,
  accountId: string,
  { language = 'en', now = new Date() }: { readonly language?: Language; readonly now?: Date } = {},
): Promise<PlainBrowser> {
  const { secret } = await startSession(db, accountId, now);
  const browser = new PlainBrowser(publicUrl, { 'accept-language': language });
  browser.cookies.push({ name: 'cardport_session', value: secret, path: '/' });
  return browser;
}
