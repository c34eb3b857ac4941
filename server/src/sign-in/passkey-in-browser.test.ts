import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHROMIUM_PATH, withChromium } from '../../test/chromium.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { findFreePort } from '../base/free-port.ts';
import { listPasskeys } from '../shops/passkey.ts';
import { listSessions } from '../shops/session-list.ts';

describe('passkeys in Chromium', { skip: CHROMIUM_PATH === undefined }, () => {
  it('passkeys can be registered in the console and used to sign in', async () => {
    await using base = await openTestDatabase();
    const port = await findFreePort('127.0.0.1');
    const origin = `http://localhost:${port}`;
    const environment = { PORT: String(port), PUBLIC_URL: origin };
    await using service = await startTestService(base, { environment });
    const { email, password, member, shop } = await seedShop(service);
    const options = { locale: 'en-GB', width: 390 } as const;
    await withChromium(options, async (context) => {
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        // Chromium logs the status 422 of the page for a wrong password.
        const isRefusal = message.text().includes('status of 422');
        if (message.type() === 'error' && !isRefusal) faults.push(message.text());
      });
      const devtools = await context.newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
        },
      });
      await page.goto(`${origin}/console/account/passkeys`);
      // There is no passkey yet: the page says so, and still offers to sign in with a password.
      await page.locator('[data-passkey="get"]').getByRole('button').click();
      await page.locator('[data-passkey="get"]').getByRole('alert').waitFor();
      await page.locator('input[name="email"]').fill(email);
      await page.locator('input[name="password"]').fill(password);
      const signIn = page.locator('form:not([data-passkey])');
      await signIn.getByRole('button').click();
      const adding = page.locator('[data-passkey="create"]');
      await adding.locator('[name="name"]').fill('My laptop');
      const typed = adding.locator('[name="password"]');
      await typed.fill('not this one');
      await adding.getByRole('button').click();
      await adding.locator('[name="password"][aria-invalid="true"]').waitFor();
      await typed.fill(password);
      await adding.getByRole('button').click();
      await page.getByRole('link', { name: 'My laptop' }).waitFor();
      const [passkey] = await listPasskeys(base.db, member.account.id);
      assert.deepEqual([passkey?.name, passkey?.lastUsedAt], ['My laptop', null]);

      await context.clearCookies();
      await page.goto(`${origin}/console/shops/${shop.slug}`);
      await page.locator('[data-passkey="get"]').getByRole('button').click();
      await page.waitForURL(`${origin}/console/shops/${shop.slug}`);
      const sessions = await listSessions(base.db, member.account.id, new Date());
      assert.deepEqual(new Set(sessions.map(({ way }) => way)), new Set(['password', 'passkey']));
      assert.match(sessions.find(({ way }) => way === 'passkey')?.browser ?? '', /Chrome/);
      assert.deepEqual(faults, []);
    });
  });
});
