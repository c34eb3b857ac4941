import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  assertSays,
  formToken,
  openConsole,
  type ConsolePages,
} from '../../../test/console-pages.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { listAudit } from '../../shops/audit-log.ts';
import { findShopKey, listShopKeys } from '../../shops/shop-key.ts';
import { keyMessages } from './messages/key.ts';

describe('the pages of API keys', () => {
  let base: TestDatabase;
  let service: TestService;
  let seeded: SeededShop;
  let pages: ConsolePages;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    seeded = await seedShop(base);
    pages = await openConsole(service, base.db, seeded);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  it('API keys can be created, are shown once, and can be removed', async () => {
    const page = await pages.open('/apps/keys');
    const refused = await pages.post(page, '/apps/keys', { name: '' });
    assert.equal(refused.status, 422);
    const shown = await pages.post(page, '/apps/keys', { name: 'Till <2>' });
    const key = /csk_[A-Za-z0-9]{65}/.exec(shown.text)?.[0] ?? assert.fail(shown.text);
    assert.equal((await findShopKey(base.db, key, new Date()))?.shopId, seeded.shop.id);
    assert.ok(!(await pages.browser.visit(shown.url)).text.includes(key));
    const keyId = /keys\/([0-9a-f-]{36})\//.exec(shown.url)?.[1] ?? '';
    const list = await pages.open('/apps/keys');
    const entries = await listAudit(base.db, seeded.shop.id, { before: null, limit: 50 });
    const audit = JSON.stringify(entries);
    assert.match(list.text, /Till &lt;2&gt;/);
    assert.ok(!list.text.includes(key) && !audit.includes(key));
    const confirm = await pages.open(`/apps/keys/${keyId}/remove`);
    await pages.post(confirm, `/apps/keys/${keyId}/remove`);
    assert.equal(await findShopKey(base.db, key, new Date()), undefined);
    assert.equal((await listShopKeys(base.db, seeded.shop.id)).length, 1);
  });

  it('only members with all permissions of an API key can create one', async () => {
    const all = ['inventory.read', 'inventory.write', 'inventory.cost', 'purchases.read'] as const;
    const lacking = await seedShop(base, { permissions: ['integrations.manage', ...all] });
    const own = await openConsole(service, base.db, lacking);
    const page = await own.open('/apps/keys');
    assert.equal(page.status, 200);
    assertSays(page, keyMessages.en.mayNot);
    const action = new URL(own.at('/apps/keys')).pathname;
    assert.ok(!page.text.includes(`action="${action}"`), 'no form is offered');
    const token = formToken(await own.open('/apps/new'));
    const fields = { name: 'k', form_token: token };
    const refused = await own.browser.submit(page, { action, fields });
    assert.equal(refused.status, 422);
    assert.ok(!refused.text.includes('csk_'));
    assert.equal((await listShopKeys(base.db, lacking.shop.id)).length, 1);
  });
});
