import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { signInContext } from '../../../test/console-crawl.ts';
import { startTestService } from '../../../test/service.ts';
import { seedStock } from '../../../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { newId } from '../../base/secrets.ts';
import { putUnits } from '../../inventory/unit.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { addMember } from '../../shops/member.ts';

/** JavaScript expressions that the test evaluates in the page. */
const CANVAS = `document.querySelector('figure canvas')`;
const PICTURE = `${CANVAS}.toDataURL()`;
const WIDTH = `${CANVAS}.getBoundingClientRect().width`;
/** Counts the pixels that are not transparent. */
const INK = `${CANVAS}.getContext('2d').getImageData(0, 0, ${CANVAS}.width, ${CANVAS}.height)
  .data.filter((value, index) => index % 4 === 3 && value > 0).length`;
/** Counts the rows of the table that show two units. */
const COUNTED_ROWS = `[...document.querySelectorAll('figure details[open] tbody tr')]
  .filter((row) => [...row.cells].slice(1).map((cell) => cell.textContent).join() === '2').length`;

/**
 * Creates a shop with two units that have just arrived. Returns the account of the member who may
 * see them.
 */
async function seedUnits({ db }: TestDatabase, slug: string): Promise<string> {
  const stock = await seedStock(db, slug);
  const now = new Date();
  return await db.transaction(async (tx) => {
    const item = { kind: 'card' as const, cardId: stock.cardId };
    const units = [newId(), newId()].map((id) => ({ id, siteId: stock.siteId, item }));
    await putUnits(tx, stock.shop, units, now);
    const person = { email: 'clerk@shop.example', name: 'Ren', passwordHash: 'x' };
    const permissions = ['inventory.read'] as const;
    const added = await addMember(tx, stock.shop.id, { ...person, permissions }, now, OPERATOR);
    assert.ok(added.kind === 'added');
    return added.member.account.id;
  });
}

describe('charts in Chromium', { skip: CHROMIUM_PATH === undefined }, () => {
  it('are drawn, close their tables, and follow the width of the page and the color scheme', async () => {
    await using base = await openTestDatabase();
    const accountId = await seedUnits(base, 'sora');
    await using service = await startTestService(base);
    const view = { locale: 'en-GB', width: 390 } as const;
    await withChromium(view, async (context) => {
      const { publicUrl } = service;
      await signInContext(context, publicUrl, base.db, accountId);
      const page = await context.newPage();
      // Poll instead of `waitForFunction` with a text, because the page's CSP forbids evaluating
      // it.
      const holds = async (text: string): Promise<void> =>
        await waitUntil(async () => (await page.evaluate(text)) === true);
      const said: string[] = [];
      page.on('console', (message) => void said.push(message.text()));
      page.on('pageerror', (error) => void said.push(error.message));
      await page.goto(`${publicUrl}/console/shops/sora`);
      await holds(`${CANVAS} !== null && ${INK} > 1000`);
      assert.equal(await page.locator('figure details[open]').count(), 0);
      assert.equal(await page.locator('figure [role=img]').isVisible(), true);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
      const light = await page.evaluate(PICTURE);
      await page.emulateMedia({ colorScheme: 'dark' });
      await holds(`${PICTURE} !== ${JSON.stringify(light)}`);
      await page.setViewportSize({ width: 800, height: 800 });
      await holds(`${WIDTH} > 500`);
      await page.setViewportSize({ width: 390, height: 800 });
      await holds(`${WIDTH} < 390`);
      await page.locator('figure summary').first().click();
      assert.equal(await page.evaluate(COUNTED_ROWS), 1);
      assert.deepEqual(said, []);
    });
  });
});
