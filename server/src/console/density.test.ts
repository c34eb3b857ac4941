import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { CHROMIUM_PATH, withChromium } from '../../test/chromium.ts';
import { signInContext } from '../../test/console-crawl.ts';
import { type ConsoleScene, startConsoleScene } from '../../test/console-scene.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';

const [WIDTH, HEIGHT] = [1_440, 900];
/** The width of A4 in landscape, in CSS pixels. */
const PAPER_WIDTH = 1_123;

/** Counts the rows of the list that are completely in the window. */
const VISIBLE_ROWS = `[...document.querySelectorAll('main .rows tbody tr')]
  .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`;

describe('lists in Chromium', { skip: CHROMIUM_PATH === undefined }, () => {
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

  async function withList(
    locale: 'en-GB' | 'ja-JP',
    list: string,
    work: (page: Page) => Promise<void>,
  ): Promise<void> {
    await withChromium({ locale, width: WIDTH }, async (context) => {
      const { publicUrl } = scene.service;
      await signInContext(context, publicUrl, base.db, scene.ownerId);
      const page = await context.newPage();
      await page.setViewportSize({ width: WIDTH, height: HEIGHT });
      await page.goto(`${publicUrl}/console/shops/${scene.shop.slug}${list}`);
      await work(page);
    });
  }

  for (const locale of ['en-GB', 'ja-JP'] as const) {
    it(`show 11 units or 12 boosts without scrolling: ${locale}`, async () => {
      await withList(locale, '/stock', async (page) => {
        const rows = Number(await page.evaluate(VISIBLE_ROWS));
        assert.ok(rows >= 11, `${rows} units`);
      });
      await withList(locale, '/boosts', async (page) => {
        const rows = Number(await page.evaluate(VISIBLE_ROWS));
        assert.ok(rows >= 12, `${rows} boosts`);
      });
    });
  }

  it('fill the width of a landscape page when printed, without navigation, filters and forms', async () => {
    for (const list of ['/stock', '/boosts']) {
      await withList('en-GB', list, async (page) => {
        await page.emulateMedia({ media: 'print' });
        await page.setViewportSize({ width: PAPER_WIDTH, height: 794 });
        const box = await page.locator('main table').first().boundingBox();
        assert.ok(box !== null && box.width > 0.9 * PAPER_WIDTH, `${box?.width} px`);
        for (const hidden of ['.sections', '.filters', '.tabs', '.bulk', '.choose', '.pager']) {
          const shown = page.locator(`${hidden}:visible`);
          assert.equal(await shown.count(), 0, hidden);
        }
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PAPER_WIDTH);
      });
    }
  });
});
