import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHROMIUM_PATH, withChromium } from '../../../server/test/chromium.ts';
import { LIVE } from '../src/live.ts';

const URL = 'http://board.example/';

describe('a page that stays current', { skip: CHROMIUM_PATH === undefined }, () => {
  it('the page changes in place at the interval that it names, and an error changes nothing', async () => {
    const render = (seconds: number, text: string): string =>
      `<script src="/live.js" defer></script><a href="/stock">Link</a>
      <main data-seconds="${seconds}">${text}</main><footer>${text}</footer>`;
    const served = { status: 200, contentType: 'text/html', body: render(1, 'Loading') };
    await withChromium({ locale: 'en-US', width: 1280 }, async (context) => {
      await context.route('**/*', async (route) => {
        const isPage = route.request().url() === URL;
        await route.fulfill(isPage ? served : { contentType: 'text/javascript', body: LIVE });
      });
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(URL);
      await page.getByRole('link').focus();
      await page.evaluate(`shown = [];
        new MutationObserver(() => shown.push(document.body.innerText.replace(/\\s+/g, ' ')))
          .observe(document.body, { childList: true, subtree: true });`);
      const answer = async (status: number, text: string, ms: number): Promise<void> => {
        Object.assign(served, { status, body: render(10, text) });
        const response = page.waitForResponse(URL);
        await page.clock.runFor(ms);
        await (await response).finished();
      };
      await answer(200, 'First', 1_000);
      await page.getByRole('main').getByText('First').waitFor();
      await answer(502, 'Error', 10_000);
      await answer(200, 'Second', 10_000);
      await page.getByRole('main').getByText('Second').waitFor();
      assert.deepEqual(await page.evaluate('shown'), ['Link First First', 'Link Second Second']);
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Link');
    });
  });
});
