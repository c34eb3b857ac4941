import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import type { TestDatabase } from '../../test/test-database.ts';
import { hashSecret, newId, shopOfSecret } from '../base/secrets.ts';
import { removeApp } from '../connections/connection.ts';
import type { Queryable } from '../database/database.ts';
import { OPERATOR } from '../shops/audit.ts';
import {
  findApp,
  findAppWithSecrets,
  insertApp,
  insertAppSecret,
  setAppEnabled,
  setRedirectUris,
} from './app.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const URIS = ['https://emulated.example/cb'];

function newEmulatedId(): string {
  return `app_emulated${newId().slice(0, 8)}`;
}

/** Adds an app with a client id of the emulator, which does not contain the shop id. */
async function addApp({ db }: TestDatabase, { shop }: SeededShop, clientId: string): Promise<void> {
  const scopes = ['inventory:read'];
  await db.query(insertApp, [shop.id, clientId, 'Emulated', null, URIS, scopes, false, NOW]);
  await db.query(insertAppSecret, [shop.id, clientId, newId(), hashSecret('cps_emulated'), NOW]);
}

/** Returns the names of the statements that `work` sends. */
async function namesOf(
  db: Queryable,
  work: (counted: Queryable) => Promise<unknown>,
): Promise<readonly string[]> {
  const names: string[] = [];
  await work({
    query: async (one, values) => await db.query(one, values),
    one: async (one, values) => {
      names.push(one.name);
      return await db.one(one, values);
    },
    count: async (one, values) => await db.count(one, values),
    isDistributed: async () => await db.isDistributed(),
  });
  return names;
}

describe('a client id', () => {
  const base = useTestDatabase();

  it('a client id contains its shop, and is looked up only there', async () => {
    const { app, shop } = await seedShop(base);
    assert.equal(shopOfSecret(app.clientId), shop.id);
    const names = await namesOf(base.db, async (db) => {
      assert.deepEqual(await findApp(db, app.clientId), app);
      assert.equal((await findAppWithSecrets(db, app.clientId))?.secretHashes.length, 1);
    });
    assert.deepEqual(names, ['select_app', 'select_app_with_secrets']);
  });

  it('a client id without a shop is looked up among all shops', async () => {
    const seeded = await seedShop(base);
    const clientId = newEmulatedId();
    await addApp(base, seeded, clientId);
    const names = await namesOf(base.db, async (db) => {
      assert.equal((await findApp(db, clientId))?.shopId, seeded.shop.id);
    });
    assert.deepEqual(names, ['select_shop_of_app', 'select_app']);
    const found = await findAppWithSecrets(base.db, clientId);
    assert.deepEqual(found?.secretHashes, [hashSecret('cps_emulated')]);
    assert.equal(await findApp(base.db, newEmulatedId()), undefined);
  });

  it('a client id without a shop can be used to change, disable and remove its app', async () => {
    const seeded = await seedShop(base);
    const clientId = newEmulatedId();
    await addApp(base, seeded, clientId);
    await base.db.transaction(async (tx) => {
      const disabled = await setAppEnabled(tx, clientId, false, NOW, OPERATOR);
      assert.deepEqual([disabled?.shopId, disabled?.isEnabled], [seeded.shop.id, false]);
      const uris = ['https://newer.example/cb'];
      const set = await setRedirectUris(tx, clientId, uris, NOW, OPERATOR);
      assert.deepEqual(set.kind === 'set' && set.app.redirectUris, uris);
      assert.equal((await findApp(tx, clientId))?.isEnabled, false);
      assert.equal(await removeApp(tx, clientId, NOW, OPERATOR), true);
      assert.equal(await setAppEnabled(tx, clientId, true, NOW, OPERATOR), undefined);
      const again = await setRedirectUris(tx, clientId, URIS, NOW, OPERATOR);
      assert.equal(again.kind, 'unknown');
    });
    assert.equal((await findApp(base.db, clientId))?.removedAt?.getTime(), NOW.getTime());
  });
});
