import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { signInContext } from '../../../test/console-walk.ts';
import { type HookReceiver, startHookReceiver } from '../../../test/hook-receiver.ts';
import { type HookedShop, seedHookedShop } from '../../../test/hooked-shop.ts';
import { startTestService, type TestService } from '../../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';

if (CHROMIUM_PATH === undefined) {
  describe('the scripts of apps’ pages', { skip: 'TEST_CHROMIUM is not set' }, () => {});
} else {
  const executablePath = CHROMIUM_PATH;
  describe('the scripts of apps’ pages', () => {
    let base: TestDatabase;
    let receiver: HookReceiver;
    let service: TestService;
    let hooked: HookedShop;
    before(async () => {
      base = await openTestDatabase();
      receiver = await startHookReceiver();
      const environment = { ALLOW_LOOPBACK_WEBHOOKS: 'true' };
      service = await startTestService(base, { delivers: true, environment });
      hooked = await seedHookedShop(base.db, receiver.url);
    });
    after(async () => {
      await service.close();
      await receiver[Symbol.asyncDispose]();
      await base.close();
    });

    it('check addresses as they are typed, show the secret once with what copies it, and follow a notice', async () => {
      await withChromium({ executablePath, locale: 'ja-JP', width: 390 }, async (context) => {
        await signInContext(context, service.publicUrl, base.db, hooked.member.account.id);
        const page = await context.newPage();
        const faults: string[] = [];
        page.on('pageerror', (error) => faults.push(error.message));
        const root = `${service.publicUrl}/console/shops/${hooked.shop.slug}`;
        await page.goto(`${root}/apps/new`);
        const addresses = page.getByLabel('リダイレクト URI');
        await addresses.fill('https://a.example/cb\nhttp://b.example/cb');
        await page.getByText('2 行目：http://b.example/cb').waitFor();
        await addresses.fill('https://a.example/cb');
        await page.getByText('1 個のアドレスに問題はありません。').waitFor();
        await page.getByLabel('名前', { exact: true }).fill('値札ボード');
        await page.getByLabel('在庫', { exact: true }).check();
        await page.getByRole('button', { name: '登録する' }).click();
        await page.getByText('クライアントシークレット').first().waitFor();
        assert.match(await page.content(), /cps_[A-Za-z0-9]{43}/);
        const copy = page.getByRole('button', { name: 'コピー: クライアントシークレット' });
        assert.equal(await copy.isVisible(), true);
        await page.reload();
        await page.getByText('シークレットは表示済みです').first().waitFor();
        await page.goto(`${root}/apps`);
        await page.goBack();
        assert.doesNotMatch(await page.content(), /cps_[A-Za-z0-9]{43}/);
        await page.goto(`${root}/connections/${hooked.connectionId}`);
        await page.getByRole('button', { name: '通知を今すぐ送る' }).click();
        await page.getByText('通知が届きました（応答 204').waitFor();
        assert.equal(receiver.received.length, 1);
        assert.deepEqual(faults, []);
      });
    });
  });
}
