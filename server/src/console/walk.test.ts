import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { CHROMIUM_PATH, withChromium } from '../../test/chromium.ts';
import { type ConsoleScene, startConsoleScene } from '../../test/console-scene.ts';
import { signInContext, type Walked, walkConsole } from '../../test/console-walk.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import type { ConsoleRoute } from './routes.ts';

/** WCAG 2.2 AA and what it contains, as axe names them. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The first two are examined by axe: it sees both languages, both widths and both colour schemes. */
const VIEWS = [
  { locale: 'en-GB', width: 390, colorScheme: 'light' },
  { locale: 'ja-JP', width: 1_280, colorScheme: 'dark' },
  { locale: 'ja-JP', width: 390, colorScheme: 'dark' },
  { locale: 'en-GB', width: 1_280, colorScheme: 'light' },
] as const;
type View = (typeof VIEWS)[number];
/** How many of them axe examines. */
const EXAMINED = 2;

if (CHROMIUM_PATH === undefined) {
  describe('the console in Chromium', { skip: 'TEST_CHROMIUM is not set' }, () => {});
} else {
  const executablePath = CHROMIUM_PATH;
  describe('the console in Chromium', () => {
    let base: TestDatabase;
    let scene: ConsoleScene;
    before(async () => {
      base = await openTestDatabase();
      scene = await startConsoleScene(base);
    });
    after(async () => {
      await scene[Symbol.asyncDispose]();
      await base.close();
    });

    for (const [index, view] of VIEWS.entries()) {
      const name = `${view.locale}, ${view.width} px, ${view.colorScheme}`;
      it(`every page as owner: ${name}`, async () => {
        const routes = scene.service.consoleRoutes;
        const walked = await walk(view, scene.ownerId, { hasAxe: index < EXAMINED });
        assert.deepEqual(missing(routes, 'GET', walked.pages), []);
        assert.deepEqual(missing(routes, 'POST', walked.actions), []);
      });
    }

    it('a clerk finds what he may, and no way to the rest', async () => {
      const from = [`/console/shops/${scene.shop.slug}`];
      const walked = await walk(VIEWS[0], scene.clerkId, { hasAxe: false, from });
      const found = [...walked.pages, ...walked.actions].join('\n');
      assert.match(found, /:slug\/stock/);
      assert.doesNotMatch(found, /:slug\/(apps|members|audit|connections)/);
    });

    it('an owner of a shop that has nothing yet sees how to begin', async () => {
      const from = [`/console/shops/${scene.strangersShop.slug}`];
      const walked = await walk(VIEWS[1], scene.strangerId, { hasAxe: true, from });
      assert.ok(walked.pages.size > 15, [...walked.pages].join(' '));
    });

    it('a member of another shop sees nothing of this one: 404 on every page', async () => {
      const { service, shop } = scene;
      await withChromium({ executablePath, ...VIEWS[0] }, async (context) => {
        await signInContext(context, service.publicUrl, base.db, scene.strangerId);
        for (const { method, path, isOfShop } of service.consoleRoutes) {
          if (method !== 'GET' || !isOfShop) continue;
          const id = '42217b8b-4a92-8c1f-a0ec-934f627701c3';
          const address = path.replace(':slug', shop.slug).replaceAll(/:[a-zA-Z]+/g, id);
          const answer = await context.request.get(`${service.publicUrl}${address}`);
          assert.equal(answer.status(), 404, address);
          assert.equal((await answer.text()).includes(shop.name), false, address);
        }
      });
    });

    async function walk(
      view: View,
      accountId: string,
      options: { readonly hasAxe: boolean; readonly from?: readonly string[] },
    ): Promise<Walked> {
      const { service, shop } = scene;
      return await withChromium({ executablePath, ...view }, async (context) => {
        const origin = service.publicUrl;
        await signInContext(context, origin, base.db, accountId);
        const complaints: string[] = [];
        context.on('console', (message) => complaints.push(message.text()));
        context.on('weberror', (error) => complaints.push(error.error().message));
        const from = options.from ?? [`/console/shops/${shop.slug}`, ...scene.otherPaths];
        const routes = service.consoleRoutes;
        return await walkConsole(context, {
          origin,
          routes,
          from: [...from, '/console/account'],
          look: async ({ path, page }) => {
            await inspect(page, path, view);
            if (options.hasAxe) await examine(page, path);
            assert.deepEqual(complaints, [], path);
          },
        });
      });
    }
  });
}

/** What may stand beside a page: 14 rem of navigation, and the margin around the widest column. */
const NAVIGATION_WIDTH_MAX = 300;

/** Nothing is cut off, the page has the width that the navigation leaves, and it speaks the language that it says. */
async function inspect(page: Page, path: string, { locale, width }: View): Promise<void> {
  const found: { scroll: number; main: number; lang: string } = await page.evaluate(
    `({ scroll: document.documentElement.scrollWidth, main: document.querySelector('main').clientWidth, lang: document.documentElement.lang })`,
  );
  assert.ok(found.scroll <= width, `${path} is ${found.scroll} px wide`);
  assert.ok(found.main >= width - NAVIGATION_WIDTH_MAX, `${path}: main is ${found.main} px wide`);
  assert.equal(found.lang, locale.slice(0, 2), path);
}

/** Rows after these are of the same kind, and each costs axe some 50 ms. */
const MORE_ROWS = 'tbody tr:nth-child(n + 3)';

async function examine(page: Page, path: string): Promise<void> {
  // Without frames there is nothing that a page of its own would be needed for.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).withTags(RULES).exclude(MORE_ROWS);
  const { violations } = await axe.analyze();
  const told = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
  );
  assert.deepEqual(told, [], path);
}

/** What scripts ask for while somebody types, and what is shown once, behind a form that makes it. */
const NOT_LINKED = new Set([
  '/console/shops/:slug/cards',
  '/console/shops/:slug/products',
  '/console/shops/:slug/apps/redirect-uris',
  '/console/shops/:slug/connections/:id/notice',
  '/console/shops/:slug/apps/:clientId/secret',
  '/console/shops/:slug/apps/keys/:keyId/secret',
]);

/** Routes that nothing leads to. */
function missing(
  routes: readonly ConsoleRoute[],
  method: ConsoleRoute['method'],
  found: ReadonlySet<string>,
): string[] {
  return routes
    .filter((route) => route.method === method && !route.isOpen && !found.has(route.path))
    .map(({ path }) => path)
    .filter((path) => !NOT_LINKED.has(path));
}
