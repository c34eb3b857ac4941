import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { signInContext } from '../../../test/console-crawl.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { formMessages } from '../parts/form/messages.ts';

const FILE = { name: '在庫.csv', mimeType: 'text/csv', buffer: Buffer.from('name\nAlba\n') };
const { chooseFile, noFile } = formMessages.ja;

describe('the file choosers, in Chromium', { skip: CHROMIUM_PATH === undefined }, () => {
  let base: TestDatabase;
  let desk: StockConsole;
  before(async () => {
    base = await openTestDatabase();
    desk = await openStockConsole(base);
  });
  after(async () => {
    await desk[Symbol.asyncDispose]();
    await base.close();
  });

  async function onPage(
    path: string,
    hasScripts: boolean,
    work: (page: Page) => Promise<void>,
  ): Promise<void> {
    const { publicUrl } = desk.service;
    const { shop, member } = desk.seeded;
    await withChromium({ locale: 'ja-JP', width: 320, hasScripts }, async (context) => {
      await signInContext(context, publicUrl, base.db, member.account.id);
      const page = await context.newPage();
      await page.goto(`${publicUrl}/console/shops/${shop.slug}${path}`);
      await work(page);
    });
  }

  const opacityOf = async (page: Page): Promise<string> =>
    await page.evaluate(`getComputedStyle(document.querySelector('.file input')).opacity`);

  it('a file is chosen by a button in the page’s language, which then shows the file’s name', async () => {
    await onPage('/stock/import', true, async (page) => {
      const button = page.getByText(chooseFile, { exact: true });
      const chooser = page.waitForEvent('filechooser');
      await button.click();
      await (await chooser).setFiles(FILE);
      await page.getByText(FILE.name, { exact: true }).waitFor();
      assert.equal(await page.getByText(noFile).count(), 0);
      assert.equal(await opacityOf(page), '0');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
      // The keyboard reaches the browser's control, and the button shows its focus.
      await page.locator('select[name="place"]').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.id'), 'field-file');
      const outline = `getComputedStyle(document.querySelector('.file .button')).outlineStyle`;
      assert.equal(await page.evaluate(outline), 'solid');
    });
  });

  it('photos are chosen the same way, without a name', async () => {
    const id = await desk.makeUnit();
    await onPage(`/stock/${id}`, true, async (page) => {
      assert.deepEqual(await page.getByText(chooseFile, { exact: true }).count(), 2);
      assert.equal(await page.locator('.file-name:visible').count(), 0);
    });
  });

  it('without scripts, the browser’s control is visible', async () => {
    await onPage('/stock/import', false, async (page) => {
      assert.equal(await opacityOf(page), '1');
      assert.equal(await page.getByText(chooseFile).isVisible(), false);
    });
  });
});
