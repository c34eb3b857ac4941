import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findViolations, injectAxe } from '../../test/axe.ts';
import { CHROMIUM_PATH, withChromium } from '../../test/chromium.ts';
import { silentLog } from '../base/log.ts';
import { Drain } from '../http/drain.ts';
import { createHttpServer } from '../http/server.ts';
import { registerReference } from './reference.ts';
import { ENDPOINTS } from './endpoints.ts';

describe('the API reference page', { skip: CHROMIUM_PATH === undefined }, () => {
  it('the page shows every endpoint without violating its content security policy or requesting another origin', async () => {
    const app = createHttpServer({
      log: silentLog(),
      drain: new Drain(),
      publicUrl: 'http://127.0.0.1',
      metrics: null,
      trustProxy: false,
      isUnavailable: () => false,
    });
    registerReference(app, 'http://127.0.0.1');
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      await withChromium({ locale: 'en-GB', width: 1_280 }, async (context) => {
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
        });
        page.on('pageerror', (error) => complaints.push(String(error)));
        page.on('request', (request) => {
          const url = request.url();
          if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) complaints.push(url);
        });
        const response = await page.goto(`${origin}/docs/reference`);
        assert.equal(response?.status(), 200);
        const policy = response.headers()['content-security-policy'] ?? '';
        assert.ok(!/unsafe|https?:|\*/.test(policy), policy);
        await page.waitForSelector('.opblock');
        // The page shows the endpoints, and the webhook request.
        assert.equal(await page.locator('.opblock').count(), ENDPOINTS.length + 1);
        const notice = page.locator('.opblock[id$="-inventoryChanged"]');
        await notice.locator('.opblock-summary-control').click();
        await notice.locator('.parameters').first().waitFor();
        assert.match(await notice.innerText(), /X-Service-Signature/);
        const changes = page.locator('.opblock[id$="-listChanges"]');
        await changes.locator('.opblock-summary-control').click();
        await changes.locator('.responses-table').first().waitFor();
        const shown = await changes.innerText();
        assert.match(shown, /cursor_expired/);
        // The page asks for a token, because an OAuth flow could not return to it.
        await page.locator('.btn.authorize').click();
        const dialog = page.locator('.modal-ux');
        assert.match(
          await dialog.innerText(),
          /http, Bearer[\s\S]*An access token of an approved app/,
        );
        await dialog.getByRole('textbox').fill('cpa_pasted');
        await dialog.getByRole('button', { name: 'Apply credentials' }).click();
        const documented = await fetch(`${origin}/openapi/partner-v1.json`);
        assert.match(
          await documented.text(),
          /"oauth":\{"type":"oauth2"/,
          'the document says OAuth',
        );
        assert.deepEqual(complaints, []);
        await page.goto(`${origin}/docs/reference`);
        await page.waitForSelector('.opblock');
        await injectAxe(page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page
            .locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)')
            .waitFor();
          const found = await findViolations(page, 'looks');
          assert.deepEqual(
            found.filter((each) => each.startsWith('color-contrast')),
            [],
            colorScheme,
          );
        }
      });
    } finally {
      await app.close();
    }
  });
});
