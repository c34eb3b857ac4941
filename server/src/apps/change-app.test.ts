import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { OPERATOR } from '../shops/audit.ts';
import { findApp, listApps, registerApp } from './app.ts';
import { type AppChange, changeApp, type ChangeAppResult } from './change-app.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

describe('a change of an app', () => {
  let base: TestDatabase;
  let seeded: SeededShop;
  before(async () => {
    base = await openTestDatabase();
    seeded = await seedShop(base);
  });
  after(async () => await base.close());

  async function change(wanted: AppChange, shopId = seeded.shop.id): Promise<ChangeAppResult> {
    const { clientId } = seeded.app;
    return await base.db.transaction(
      async (tx) => await changeApp(tx, shopId, clientId, wanted, NOW, OPERATOR),
    );
  }

  it('a change of an app keeps omitted values', async () => {
    const result = await change({
      name: '雲の在庫',
      scopes: ['openid', 'inventory:read', 'openid'],
    });
    assert.equal(result.kind, 'changed');
    const { name, contactEmail, scopes, sharesCost, redirectUris } =
      (await findApp(base.db, seeded.app.clientId)) ?? seeded.app;
    assert.deepEqual(
      { name, contactEmail, scopes, sharesCost, redirectUris },
      {
        name: '雲の在庫',
        contactEmail: 'developer@app.example',
        scopes: ['openid', 'inventory:read'],
        sharesCost: false,
        redirectUris: seeded.app.redirectUris,
      },
    );
    assert.equal((await change({ name: '雲の在庫' })).kind, 'unchanged');
    assert.equal((await change({ contactEmail: null, sharesCost: true })).kind, 'changed');
    assert.equal((await findApp(base.db, seeded.app.clientId))?.contactEmail, null);
  });

  it('a changed app must follow the rules of a new app, and only its shop can change it', async () => {
    const before = await findApp(base.db, seeded.app.clientId);
    for (const wrong of [
      { name: '' },
      { name: 'x'.repeat(201) },
      { scopes: [] },
      { contactEmail: 'x' },
    ]) {
      assert.equal((await change(wrong)).kind, 'invalid', JSON.stringify(wrong));
    }
    const other = await seedShop(base);
    assert.equal((await change({ name: 'Taken over' }, other.shop.id)).kind, 'unknown');
    assert.deepEqual(await findApp(base.db, seeded.app.clientId), before);
  });

  it('apps are listed page by page, each once', async () => {
    const { shop } = await seedShop(base);
    await base.db.transaction(async (tx) => {
      for (let i = 0; i < 4; i++) {
        const { name, contactEmail, redirectUris, scopes, sharesCost } = seeded.app;
        const app = { name: `${name} ${i}`, contactEmail, redirectUris, scopes, sharesCost };
        await registerApp(tx, shop.id, app, NOW, OPERATOR);
      }
    });
    const seen: string[] = [];
    for (let page = await listApps(base.db, shop.id, 2); page.length > 0;) {
      seen.push(...page.map(({ clientId }) => clientId));
      page = await listApps(base.db, shop.id, 2, seen.at(-1));
    }
    const all = (await listApps(base.db, shop.id, 100)).map(({ clientId }) => clientId);
    assert.deepEqual(seen, all);
    assert.equal(all.length, 5);
  });
});
