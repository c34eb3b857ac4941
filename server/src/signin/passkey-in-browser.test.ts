import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHROMIUM_PATH, withChromium } from '../../test/chromium.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { findFreePort } from '../base/free-port.ts';
import { listPasskeys } from '../shops/passkey.ts';
import { listSessions } from '../shops/session-list.ts';

describe('a passkey in a browser', () => {
  it(
    'a passkey is registered in the console and used to sign in, in a real browser',
    { skip: CHROMIUM_PATH === undefined },
    async () => {
      assert.ok(CHROMIUM_PATH !== undefined);
      await using base = await openTestDatabase();
      const port = await findFreePort('127.0.0.1');
      const origin = `http://localhost:${port}`;
      const environment = { PORT: String(port), PUBLIC_URL: origin };
      await using service = await startTestService(base, { environment });
      const { email, password, member, shop } = await seedShop(service);
      const options = { executablePath: CHROMIUM_PATH, locale: 'en-GB', width: 390 } as const;
      await withChromium(options, async (context) => {
        const page = context.pages()[0] ?? (await context.newPage());
        const faults: string[] = [];
        page.on('pageerror', (error) => faults.push(error.message));
        page.on('console', (message) => {
          // Chromium tells of the page that says that the password was wrong.
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
        // None yet: the page says so, and the other way to sign in is there.
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
        await page.getByText('Your browser gave no passkey.').waitFor();
        await page.getByLabel('E-mail').fill(email);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByLabel('Name', { exact: true }).fill('My laptop');
        const typed = page.getByLabel('Current password');
        await typed.fill('not this one');
        await page.getByRole('button', { name: 'Add a passkey' }).click();
        await page.getByText('The current password is not correct.').first().waitFor();
        await typed.fill(password);
        await page.getByRole('button', { name: 'Add a passkey' }).click();
        await page.getByRole('link', { name: 'My laptop' }).waitFor();
        const [passkey] = await listPasskeys(base.db, member.account.id);
        assert.deepEqual([passkey?.name, passkey?.lastUsedAt], ['My laptop', null]);

        await context.clearCookies();
        await page.goto(`${origin}/console/shops/${shop.slug}`);
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
        await page.waitForURL(`${origin}/console/shops/${shop.slug}`);
        const sessions = await listSessions(base.db, member.account.id, new Date());
        assert.deepEqual(new Set(sessions.map(({ way }) => way)), new Set(['password', 'passkey']));
        assert.match(sessions.find(({ way }) => way === 'passkey')?.browser ?? '', /Chrome/);
        assert.deepEqual(faults, []);
      });
    },
  );
});
