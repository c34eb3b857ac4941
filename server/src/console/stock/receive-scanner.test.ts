import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { importCards, newCard } from '../../../test/catalog.ts';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { listStock } from '../../inventory/stock-list.ts';
import { startSession } from '../../shops/session.ts';

const WIDTH = 320;
const JANS = ['4900000000017', '4900000000024', '4900000000031'];
/** Ten items in the order in which they are scanned, as indexes of `JANS`. */
const PILE = [0, 0, 1, 2, 2, 2, 0, 1, 1, 2];

describe('a clerk with a scanner, in Chromium', { skip: CHROMIUM_PATH === undefined }, () => {
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

  async function scan(page: Page, code: string): Promise<void> {
    // A scanner types into the focused field.
    await page.locator('[name="scan"]:focus').waitFor();
    await page.keyboard.type(code);
    await Promise.all([page.waitForEvent('framenavigated'), page.keyboard.press('Enter')]);
    await page.waitForLoadState('load');
  }

  it('a clerk receives ten scanned items with one tap, and the next scan replaces an unknown code', async () => {
    const { service, seeded } = desk;
    await withChromium({ locale: 'ja-JP', width: WIDTH }, async (context) => {
      const { secret } = await startSession(base.db, seeded.member.account.id, new Date());
      const { publicUrl } = service;
      await context.addCookies([{ name: 'cardport_session', value: secret, url: publicUrl }]);
      const page = await context.newPage();
      let taps = 0;
      await page.exposeFunction('countTap', () => void (taps += 1));
      await page.addInitScript(`addEventListener('pointerdown', () => countTap())`);
      await page.goto(
        `${publicUrl}/console/shops/${seeded.shop.slug}/stock/receive?place=${desk.siteId}`,
      );
      await scan(page, '4999999999999');
      assert.equal(await page.locator('[name="scan"]').inputValue(), '4999999999999');
      for (const at of PILE) await scan(page, JANS[at] ?? '');
      const counts = await page
        .locator('input[name^="quantity."]')
        .evaluateAll((inputs: readonly { value: string }[]) => inputs.map(({ value }) => value));
      assert.deepEqual(counts.toSorted(), ['3', '3', '4']);
      const width: number = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(width <= WIDTH, `${width} px wide`);
      const receive = page.locator('form[action$="/receive"] button[type="submit"]:not([name])');
      await Promise.all([page.waitForEvent('framenavigated'), receive.click()]);
      await page.waitForLoadState('load');
      assert.equal(taps, 1);
      assert.equal(await page.locator('#received tbody tr').count(), JANS.length);
    });
    const all = { beforeSeq: null, limit: 50 };
    const { units } = await listStock(base.db, seeded.shop.id, {}, all);
    assert.equal(units.length, PILE.length);
  });
});
