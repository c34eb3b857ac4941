import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { installAxe, findViolations, SHARED_PARTS } from '../../test/axe.ts';
import { CHROMIUM_PATH, withChromium } from '../../test/chromium.ts';
import { type ConsoleScene, startConsoleScene } from '../../test/console-scene.ts';
import {
  signInContext,
  type CrawlResult,
  type CrawledPage,
  crawlConsole,
} from '../../test/console-crawl.ts';
import { openSignedIn } from '../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import type { ConsoleRoute } from './routes.ts';

/** The viewport widths of a phone and a desktop, in CSS pixels. */
const WIDTHS = [390, 1_280] as const;
/**
 * Each page is loaded once in each language, and rendered at both widths. Axe checks the first view
 * with all rules. The second view has the same markup in other colors and at another width, so axe
 * checks it only with the rules about colors and widths.
 */
const LIGHT = { locale: 'en-GB', colorScheme: 'light', width: WIDTHS[0], rules: 'all' } as const;
const DARK = { locale: 'ja-JP', colorScheme: 'dark', width: WIDTHS[1], rules: 'looks' } as const;
type View = typeof LIGHT | typeof DARK;

describe('the console in Chromium', { skip: CHROMIUM_PATH === undefined }, () => {
  let base: TestDatabase;
  let scene: ConsoleScene;
  let owners: CrawlResult;
  before(async () => {
    base = await openTestDatabase();
    scene = await startConsoleScene(base);
    const from = [`/console/shops/${scene.shop.slug}`, ...scene.otherPaths, '/console/account'];
    owners = await crawl(scene.ownerId, from);
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await base.close();
  });

  async function crawl(accountId: string, from: readonly string[]): Promise<CrawlResult> {
    const { publicUrl: origin, consoleRoutes: routes } = scene.service;
    const browser = await openSignedIn(scene.service, base.db, accountId);
    return await crawlConsole(browser, { origin, routes, from });
  }

  it('an owner can reach every page and every action by links', () => {
    const routes = scene.service.consoleRoutes;
    assert.deepEqual(missing(routes, 'GET', owners.found), []);
    assert.deepEqual(missing(routes, 'POST', owners.actions), []);
  });

  it('a clerk can reach the permitted pages, and no others', async () => {
    const home = `/console/shops/${scene.shop.slug}`;
    const { found, actions } = await crawl(scene.clerkId, [home, '/console/account']);
    const ways = [...found, ...actions].join('\n');
    assert.match(ways, /:slug\/stock/);
    assert.doesNotMatch(ways, /:slug\/(apps|members|audit|connections)/);
  });

  for (const view of [LIGHT, DARK]) {
    it(`every page is accessible and fits the window: ${view.locale}, ${view.colorScheme}`, async () => {
      await checkPages(view, scene.ownerId, owners.pages);
    });
  }

  it('every empty page of a new shop is accessible and fits the window', async () => {
    const home = `/console/shops/${scene.strangersShop.slug}`;
    const { pages } = await crawl(scene.strangerId, [home, '/console/account']);
    assert.ok(pages.length > 15, pages.map(({ path }) => path).join(' '));
    // Check only Home and the empty pages. The other pages contain the same forms as in a shop with
    // data.
    const beginnings = pages.filter(
      ({ path, text }) => path === home || text.includes('class="empty"'),
    );
    assert.ok(beginnings.length > 3, beginnings.map(({ path }) => path).join(' '));
    await checkPages(LIGHT, scene.strangerId, beginnings);
  });

  /**
   * Checks pages in one view for an account. Axe checks the parts that all pages share on the first
   * page only.
   */
  async function checkPages(
    view: View,
    accountId: string,
    pages: readonly CrawledPage[],
  ): Promise<void> {
    const origin = scene.service.publicUrl;
    await withChromium(view, async (context) => {
      await signInContext(context, origin, base.db, accountId);
      await installAxe(context);
      const complaints: string[] = [];
      context.on('console', (message) => complaints.push(message.text()));
      context.on('weberror', (error) => complaints.push(error.error().message));
      const page = await context.newPage();
      let { width }: { width: number } = view;
      for (const [index, { path }] of pages.entries()) {
        // Start at the width of the previous page, so that each page is resized only once.
        await page.goto(`${origin}${path}`);
        await checkLayout(page, path, { ...view, width });
        width = WIDTHS[0] + WIDTHS[1] - width;
        await page.setViewportSize({ width, height: 900 });
        await checkLayout(page, path, { ...view, width });
        const exclude = index === 0 ? [] : SHARED_PARTS;
        const barriers = await findViolations(page, view.rules, { exclude, remove: MORE_ROWS });
        assert.deepEqual(barriers, [], path);
        assert.deepEqual(complaints, [], path);
      }
    });
  }
});

/**
 * The maximum width around the content: 14 rem of navigation, and the margin around the widest
 * column.
 */
const NAVIGATION_WIDTH_MAX = 300;
/** Matches the rows that axe skips: they repeat the first rows, and each costs axe about 50 ms. */
const MORE_ROWS = 'tbody tr:nth-child(n + 3)';

/**
 * Asserts that nothing overflows, that the content uses the width next to the navigation, and that
 * the page has the declared language.
 */
async function checkLayout(
  page: Page,
  path: string,
  { locale, width }: { readonly locale: string; readonly width: number },
): Promise<void> {
  const found: { scroll: number; main: number; lang: string } = await page.evaluate(
    `({ scroll: document.documentElement.scrollWidth, main: document.querySelector('main').clientWidth, lang: document.documentElement.lang })`,
  );
  assert.ok(found.scroll <= width, `${path} is ${found.scroll} px wide`);
  assert.ok(found.main >= width - NAVIGATION_WIDTH_MAX, `${path}: main is ${found.main} px wide`);
  assert.equal(found.lang, locale.slice(0, 2), path);
}

/** Routes that no page links to: scripts request some, and others are shown once after a form. */
const UNLINKED_ROUTES = new Set([
  '/console/shops/:slug/cards',
  '/console/shops/:slug/products',
  '/console/shops/:slug/apps/redirect-uris',
  '/console/shops/:slug/connections/:id/notice',
  '/console/shops/:slug/stock/bulk/undo',
  '/console/shops/:slug/apps/:clientId/secret',
  '/console/shops/:slug/apps/keys/:keyId/secret',
]);

/** Returns the routes that no crawled page links to. */
function missing(
  routes: readonly ConsoleRoute[],
  method: ConsoleRoute['method'],
  found: ReadonlySet<string>,
): string[] {
  return routes
    .filter((route) => route.method === method && !route.isPublic && !found.has(route.path))
    .map(({ path }) => path)
    .filter((path) => !UNLINKED_ROUTES.has(path));
}
