import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { importCards, newCard } from '../../../test/catalog.ts';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { signInContext } from '../../../test/console-crawl.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';

const JANS = ['4900000000017', '4900000000024'];

/**
 * Chromium on Linux has no `BarcodeDetector`. This one detects the code that `nextCode` returns.
 */
const DETECTOR = `
  globalThis.BarcodeDetector = class {
    async detect() {
      const rawValue = await nextCode();
      return rawValue === '' ? [] : [{ rawValue }];
    }
  };`;

describe('a clerk with the camera of a phone', { skip: CHROMIUM_PATH === undefined }, () => {
  let base: TestDatabase;
  let desk: StockConsole;
  before(async () => {
    base = await openTestDatabase();
    desk = await openStockConsole(base);
    const cards = JANS.map((janCode, at) => newCard(`札 ${at}`, { janCode }));
    await importCards(base.db, cards);
    await desk.service.search.whenCurrent();
  });
  after(async () => {
    await desk[Symbol.asyncDispose]();
    await base.close();
  });

  async function openPage(context: BrowserContext, path: string): Promise<Page> {
    const { service, seeded } = desk;
    await signInContext(context, service.publicUrl, base.db, seeded.member.account.id);
    const page = await context.newPage();
    await page.goto(`${service.publicUrl}/console/shops/${seeded.shop.slug}${path}`);
    return page;
  }

  it('the camera adds a line for each code and stays open, and a code that stays in view counts once', async () => {
    await withChromium({ locale: 'ja-JP', width: 390 }, async (context) => {
      let code = JANS[0] ?? '';
      let looks = 0;
      await context.exposeFunction('nextCode', () => {
        looks += 1;
        return code;
      });
      await context.addInitScript(DETECTOR);
      const page = await openPage(context, `/stock/receive?place=${desk.siteId}`);
      await page.locator('button[data-camera="scan"]').click();
      const quantities = page.locator('input[name^="quantity."]');
      await quantities.first().waitFor();
      // The camera has opened again after the page was loaded, and still detects the first code.
      const before = looks;
      while (looks < before + 3) await page.waitForTimeout(50);
      code = JANS[1] ?? '';
      await quantities.nth(1).waitFor();
      code = '';
      const counts = await quantities.evaluateAll((inputs: readonly { value: string }[]) =>
        inputs.map(({ value }) => value),
      );
      assert.deepEqual(counts, ['1', '1']);
      await page.locator('dialog.camera[open] button').click();
      await page.locator('[name="scan"]:focus').waitFor();
    });
  });

  it('the camera on the stock page searches for the scanned code', async () => {
    await withChromium({ locale: 'en-GB', width: 390 }, async (context) => {
      await context.exposeFunction('nextCode', () => JANS[0]);
      await context.addInitScript(DETECTOR);
      const page = await openPage(context, '/stock');
      await page.locator('button[data-camera="q"]').click();
      await page.waitForURL((url) => url.searchParams.get('q') === JANS[0]);
      assert.equal(await page.locator('dialog.camera[open]').count(), 0);
    });
  });

  it('the camera is not offered in a browser that cannot read barcodes', async () => {
    await withChromium({ locale: 'en-GB', width: 390 }, async (context) => {
      const page = await openPage(context, '/stock');
      await page.waitForLoadState('load');
      assert.equal(await page.locator('button[data-camera="q"]').isVisible(), false);
    });
  });
});
