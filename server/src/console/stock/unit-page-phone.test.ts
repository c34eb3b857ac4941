import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { signInContext } from '../../../test/console-crawl.ts';
import { openStockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase } from '../../../test/test-database.ts';

const PHONE = 375;

describe('the page of a unit on a phone', { skip: CHROMIUM_PATH === undefined }, () => {
  it('the page of a unit shows the facts and one main action first on a phone, and all actions in a wide window', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const id = await desk.makeUnit({ priceMinor: 1_500 });
    const { slug } = desk.seeded.shop;
    await withChromium({ locale: 'ja-JP', width: PHONE }, async (context) => {
      const { publicUrl } = desk.service;
      await signInContext(context, publicUrl, base.db, desk.seeded.member.account.id);
      const page = await context.newPage();
      await page.goto(`${publicUrl}/console/shops/${slug}/stock/${id}`);
      const topOf = async (selector: string): Promise<number> =>
        (await page.locator(selector).boundingBox())?.y ?? assert.fail(selector);
      const tops = [
        await topOf('.unit-facts'),
        await topOf('.unit-status'),
        await topOf('.unit-photos'),
      ];
      assert.deepEqual(
        tops,
        tops.toSorted((a, b) => a - b),
      );
      const isShown = async (to: string): Promise<boolean> =>
        await page.locator(`form:has(input[name="to"][value="${to}"]) button`).first().isVisible();
      // The main action is in view at once; a sale is undone where it was made.
      assert.equal(await page.locator('button.first').count(), 1);
      assert.ok((await topOf('.title button.first')) < (await topOf('.unit-facts')));
      assert.deepEqual([await isShown('sold'), await isShown('reserved')], [true, false]);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE);
      await page.locator('details.more > summary').click();
      assert.equal(await isShown('reserved'), true);
      await page.locator('details.more > summary').click();
      await page.setViewportSize({ width: 1_280, height: 900 });
      assert.equal(await isShown('reserved'), true);
      assert.ok((await topOf('.unit-photos')) <= (await topOf('.unit-facts')));
    });
  });
});
