import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { insertTestAttempt } from '../../../test/connection-scene.ts';
import { signInContext } from '../../../test/console-walk.ts';
import { startTestService } from '../../../test/service.ts';
import { openTestDatabase } from '../../../test/test-database.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { WebhookBench } from '../../../test/webhook-bench.ts';
import { newId } from '../../base/secrets.ts';
import { statement } from '../../database/statement.ts';
import { listMembers } from '../../shops/member-list.ts';
import { rollUpNotices } from '../../webhooks/notice-roll-up.ts';

export const readTestSlug = statement<{ slug: string }>(
  'test_read_figures_slug',
  `select slug from shop where shop_id = $1`,
);

/** Expressions of the page. */
const CANVAS = `document.querySelector('figure canvas')`;
const PICTURE = `${CANVAS}.toDataURL()`;
const WIDTH = `${CANVAS}.getBoundingClientRect().width`;
/** Pixels that are drawn on. */
const INK = `${CANVAS}.getContext('2d').getImageData(0, 0, ${CANVAS}.width, ${CANVAS}.height)
  .data.filter((value, index) => index % 4 === 3 && value > 0).length`;
/** Rows of the table that say two delivered and one failed. */
const COUNTED_ROWS = `[...document.querySelectorAll('figure details[open] tbody tr')]
  .filter((row) => [...row.cells].slice(1).map((cell) => cell.textContent).join() === '2,1').length`;

describe('figures in Chromium', { skip: CHROMIUM_PATH === undefined }, () => {
  it('are drawn, close their tables, and follow the width of the page and the colour scheme', async () => {
    await using base = await openTestDatabase();
    const bench = new WebhookBench(base.db);
    // Sessions of browsers are of the machine's time.
    bench.clock.advance(Date.now() - bench.clock.now().getTime());
    const { shopId, connectionId } = await bench.hook('http://127.0.0.1:9');
    const anHourAgo = new Date(bench.clock.now().getTime() - 3_600_000);
    for (const [number, status] of [204, 204, 500].entries()) {
      const result = [status, status === 500 ? 'status' : null, 5];
      const values = [shopId, connectionId, number + 1, newId(), anHourAgo, ...result];
      await base.db.query(insertTestAttempt, values);
    }
    await rollUpNotices(base.db, bench.clock.now());
    const [member] = await listMembers(base.db, shopId);
    const shop = await base.db.one(readTestSlug, [shopId]);
    assert.ok(member !== undefined && shop !== undefined);
    await using service = await startTestService(base, { clock: bench.clock });
    const view = { locale: 'en-GB', width: 390 } as const;
    await withChromium(view, async (context) => {
      const { publicUrl } = service;
      await signInContext(context, publicUrl, base.db, member.id);
      const page = await context.newPage();
      // The page's policy forbids what `waitForFunction` does with a text.
      const holds = async (text: string): Promise<void> =>
        await waitUntil(async () => (await page.evaluate(text)) === true);
      const said: string[] = [];
      page.on('console', (message) => void said.push(message.text()));
      page.on('pageerror', (error) => void said.push(error.message));
      await page.goto(`${publicUrl}/console/shops/${shop.slug}`);
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
