import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RawBrowser } from '../../test/raw-browser.ts';
import { openStockConsole, type StockConsole } from '../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';
import { findSession } from '../shops/session.ts';

describe('access to the console', () => {
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

  it('links back to the shop from error pages, and rejects forms of an earlier session', async () => {
    const { service, seeded } = desk;
    const home = `/console/shops/${seeded.shop.slug}`;
    const reader = await desk.member(['inventory.read']);
    const back = `<a href="${home}">${seeded.shop.name}</a>`;
    const missing = await reader.visit(`/stock/${newId()}`);
    assert.deepEqual([missing.status, missing.text.includes(back)], [404, true]);
    const forbidden = await reader.visit('/members');
    assert.deepEqual([forbidden.status, forbidden.text.includes(back)], [403, true]);
    const nowhere = await reader.browser.visit(`${service.publicUrl}/console/shops/none/stock`);
    assert.deepEqual([nowhere.status, nowhere.text.includes(seeded.shop.name)], [404, false]);

    const { text } = await reader.browser.visit(`${service.publicUrl}/console/account`);
    assert.match(text, /data-zone="Asia\/Tokyo"/);

    const owner = await RawBrowser.open(service, base.db, seeded.member.account.id);
    const { token } = owner;
    const path = '/console/account/language';
    assert.equal((await owner.post(path, { language: 'ja' })).status, 303);
    // After the same browser signs in again, the forms that it opened before are stale.
    const again = await RawBrowser.open(service, base.db, seeded.member.account.id);
    const secret = again.cookies.get('cardport_session') ?? '';
    assert.ok((await findSession(base.db, secret, new Date())) !== undefined);
    owner.cookies.set('cardport_session', secret);
    assert.equal((await owner.post(path, { language: 'en' }, { token })).status, 403);
  });

  it('rejects HEAD, which would use up a one-time secret and read a whole export for nothing', async () => {
    const { service, seeded } = desk;
    const shop = `${service.url}/console/shops/${seeded.shop.slug}`;
    for (const page of [shop, `${shop}/audit/export.csv`, `${service.url}/console/account`]) {
      const { status, headers } = await fetch(page, { method: 'HEAD', redirect: 'manual' });
      assert.deepEqual([status, headers.get('allow')?.includes('HEAD')], [405, false], page);
    }
  });
});
