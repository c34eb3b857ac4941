import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { type BoostConsole, startBoostConsole } from '../../../test/boost-console.ts';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { SHOP_API_NOW } from '../../../test/shop-api.ts';
import { startSession } from '../../shops/session.ts';
import { flashText } from '../flash.ts';

/**
 * The time at which the page's clock is stopped, which must be later than the end of the page load.
 */
const PAGE_MS = 3_600_000;
/** How long the script waits for more typing before it searches, in milliseconds. */
const PAUSE_MS = 200;

describe(
  'the picker as a combobox in Chromium (ARIA 1.2)',
  { skip: CHROMIUM_PATH === undefined },
  () => {
    let base: TestDatabase;
    let scene: BoostConsole;
    before(async () => {
      base = await openTestDatabase();
      scene = await startBoostConsole(base);
    });
    after(async () => {
      await scene[Symbol.asyncDispose]();
      await base.close();
    });

    async function onForm(
      work: (page: Page, searches: readonly string[]) => Promise<void>,
    ): Promise<void> {
      const options = { locale: 'en-GB', width: 390 } as const;
      await withChromium(options, async (context) => {
        const { publicUrl } = scene.service;
        const { account } = scene.seeded.member;
        const { secret } = await startSession(base.db, account.id, scene.clock.now());
        await context.addCookies([{ name: 'cardport_session', value: secret, url: publicUrl }]);
        const page = await context.newPage();
        // Install a fake clock, so that the page's timers run only when a test advances it.
        await page.clock.install({ time: SHOP_API_NOW });
        const complaints: string[] = [];
        page.on('pageerror', (error) => complaints.push(error.message));
        const searches: string[] = [];
        page.on('request', (request) => {
          const url = new URL(request.url());
          if (url.pathname.endsWith('/cards')) searches.push(url.searchParams.get('q') ?? '');
        });
        await page.goto(`${publicUrl}/console/shops/${scene.seeded.shop.slug}/boosts/new`);
        await page.clock.pauseAt(new Date(SHOP_API_NOW.getTime() + PAGE_MS));
        await work(page, searches);
        assert.deepEqual(complaints, []);
      });
    }

    const picker = (page: Page): Locator => page.locator('[data-picker="card"]');

    const cardField = (page: Page): Locator => picker(page).getByRole('combobox');

    const hits = (page: Page): Locator => page.getByRole('listbox').getByRole('option');

    const chosen = async (page: Page): Promise<string> =>
      await page.locator('input[type="hidden"][name="card"]').inputValue();

    it('the combobox searches while a person types, works with keyboard and pointer, and sends the chosen value', async () => {
      await onForm(async (page, searches) => {
        const field = cardField(page);
        await field.waitFor();
        assert.equal(await page.locator('[name="card_find"]').count(), 0);
        const status = picker(page).getByRole('status').filter({ hasText: '1' });
        // Keys pressed in quick succession cause a single search.
        await field.pressSequentially('蒼');
        await page.clock.runFor(PAUSE_MS - 1);
        await field.pressSequentially('天竜');
        await page.clock.runFor(PAUSE_MS);
        await status.waitFor();
        assert.deepEqual(searches, ['蒼天竜']);
        assert.equal(await field.getAttribute('aria-expanded'), 'true');
        await field.press('ArrowDown');
        const active = await field.getAttribute('aria-activedescendant');
        const option = hits(page).and(page.locator('[aria-selected="true"]'));
        assert.equal(await option.getAttribute('id'), active);
        await field.press('Enter');
        assert.equal(await chosen(page), scene.catalog.cardId);
        assert.equal(await field.getAttribute('aria-expanded'), 'false');
        assert.equal(await field.getAttribute('aria-activedescendant'), null);
        assert.match(page.url(), /\/boosts\/new$/);
        // Editing the text of a chosen hit clears the choice.
        await field.press('Backspace');
        assert.equal(await chosen(page), '');
        // A barcode scanner types and presses Enter: the only hit is chosen, and the form is not
        // submitted.
        await field.fill('もう一枚');
        await field.press('Enter');
        await waitUntil(async () => (await chosen(page)) === scene.catalog.otherCardId);
        await field.fill('蒼天竜アルバ');
        await page.clock.runFor(PAUSE_MS);
        await hits(page).click();
        assert.equal(await chosen(page), scene.catalog.cardId);
        await page.locator('[name="price"]').fill('321');
        await page.locator('form.stack button[type="submit"]:not([name]):visible').click();
        await page
          .getByRole('status')
          .filter({ hasText: flashText('boost_created', 'en') })
          .waitFor();
      });
    });

    it('the combobox does not search during input method composition, and ignores outdated results', async () => {
      await onForm(async (page, searches) => {
        const wasSearched = (text: string): boolean => searches.includes(text);
        const field = cardField(page);
        await field.focus();
        const keys = await page.context().newCDPSession(page);
        const composition = { selectionStart: 2, selectionEnd: 2 };
        await keys.send('Input.imeSetComposition', { text: 'あr', ...composition });
        await keys.send('Input.imeSetComposition', { text: 'ある', ...composition });
        await page.clock.runFor(2 * PAUSE_MS);
        assert.deepEqual(searches, []);
        await keys.send('Input.insertText', { text: 'アルバ' });
        await page.clock.runFor(PAUSE_MS);
        await hits(page).waitFor();
        assert.deepEqual(searches, ['アルバ']);
        // Hold the first response back until the second is shown.
        const held = Promise.withResolvers<void>();
        await page.route('**/cards?q=held', async (route) => {
          await held.promise;
          await route.continue().catch(() => undefined);
        });
        await field.fill('held');
        await page.clock.runFor(PAUSE_MS);
        await waitUntil(async () => wasSearched('held'));
        await field.fill('もう一枚');
        await page.clock.runFor(PAUSE_MS);
        const option = hits(page);
        await option.filter({ hasText: 'もう一枚' }).waitFor();
        held.resolve();
        await page.unrouteAll({ behavior: 'wait' });
        assert.equal(await option.count(), 1);
        await field.press('Escape');
        assert.equal(await option.count(), 0);
        assert.equal(await field.inputValue(), 'もう一枚');
      });
    });
  },
);
