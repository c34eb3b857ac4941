import assert from 'node:assert/strict';
import type { Database } from '../src/database/database.ts';
import type { Language } from '../src/html/language.ts';
import type { PlainBrowser, VisitedPage } from './plain-browser.ts';
import type { SeededShop } from './service.ts';
import { openSignedIn } from './signed-in-browser.ts';

/**
 * A shop's console as a signed-in person without scripts uses it. Paths are relative to the shop's
 * address.
 */
export interface ConsolePages {
  readonly browser: PlainBrowser;
  at(sub: string): string;
  open(sub: string): Promise<VisitedPage>;
  /**
   * Posts the form of `page` whose action is `sub`, with its token, its version and these fields,
   * and follows the redirect.
   */
  post(
    page: VisitedPage,
    sub: string,
    fields?: Readonly<Record<string, string>>,
  ): Promise<VisitedPage>;
}

/** Opens a shop's console as this account, by default the shop's only member. */
export async function openConsole(
  service: { readonly publicUrl: string },
  db: Database,
  { shop, member }: Pick<SeededShop, 'shop' | 'member'>,
  { accountId = member.account.id, language = 'en' }: OpenConsoleOptions = {},
): Promise<ConsolePages> {
  const browser = await openSignedIn(service, db, accountId, { language });
  const at = (sub: string): string => `${service.publicUrl}/console/shops/${shop.slug}${sub}`;
  return {
    browser,
    at,
    open: async (sub) => await browser.visit(at(sub)),
    post: async (page, sub, fields = {}) => {
      const action = new URL(at(sub)).pathname;
      assert.ok(page.text.includes(`action="${action}"`), `no form to ${action}: ${page.text}`);
      // The form sends back the version that the page showed, as in a browser.
      const seen = /name="seen" value="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
      // A browser sends the last input too, which tells that absent boxes are not ticked.
      const shown = seen === undefined ? {} : { seen, form_end: '1' };
      const sent = { ...shown, ...fields, form_token: formToken(page) };
      return await browser.submit(page, { action, fields: sent });
    },
  };
}

interface OpenConsoleOptions {
  readonly accountId?: string;
  readonly language?: Language;
}

/** Returns the form token of a page, which is the same in all its forms. */
export function formToken(page: VisitedPage): string {
  const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1];
  assert.ok(token !== undefined, `no form on ${page.status} ${page.url}`);
  return token;
}

/** Returns the visible text of a page, without markup. */
export function readText(page: Pick<VisitedPage, 'text'>): string {
  return page.text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}

/** Returns whether the visible text of a page contains `words`. */
export function says(page: Pick<VisitedPage, 'text'>, words: string): boolean {
  return readText(page).includes(words.replaceAll(/\s+/g, ' ').trim());
}

/**
 * Fails unless a page contains these texts. Tests take them from the product's message tables, so
 * that no wording is repeated in tests.
 */
export function assertSays(page: Pick<VisitedPage, 'text'>, ...words: readonly string[]): void {
  for (const each of words) assert.ok(says(page, each), `“${each}” is not in ${readText(page)}`);
}
