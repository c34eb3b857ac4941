import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedShop, type SeededShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import type { TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { statement } from '../database/statement.ts';
import { hashSecret, newId, newSecret, newSecretOfShop, shopOfSecret } from '../base/secrets.ts';
import { OPERATOR } from './audit.ts';
import {
  findShopKey,
  insertShopKey,
  listShopKeys,
  recordShopKeyUse,
  removeShopKey,
} from './shop-key.ts';

const lockKeys = statement(
  'test_lock_shop_keys',
  'select 1 from shop_key where shop_id = $1 for update',
);

const START = Date.parse('2026-04-01T09:00:00Z');

function at(seconds: number): Date {
  return new Date(START + seconds * 1_000);
}

async function lastUse(base: TestDatabase, { shop }: SeededShop): Promise<Date | null> {
  const [key] = await listShopKeys(base.db, shop.id);
  assert.ok(key);
  return key.lastUsedAt;
}

describe('a Shop API key', () => {
  const base = useTestDatabase();

  it('a key contains the id of its shop, and is looked up only in that shop', async () => {
    const [seeded, other] = [await seedShop(base), await seedShop(base)];
    const { shopKey, shop } = seeded;
    assert.equal(shopOfSecret(shopKey), shop.id);
    assert.equal((await findShopKey(base.db, shopKey, at(0)))?.shopId, shop.id);
    const wrong = newSecretOfShop('csk', other.shop.id);
    await base.db.query(insertShopKey, [shop.id, newId(), '', hashSecret(wrong), at(0), 50]);
    assert.equal(await findShopKey(base.db, wrong, at(0)), undefined);
    assert.equal(await findShopKey(base.db, newSecretOfShop('csk', shop.id), at(0)), undefined);
  });

  it('a key of the emulator, without a shop id, works until it is removed', async () => {
    const { shop } = await seedShop(base);
    const [key, id] = [newSecret('csk'), newId()];
    assert.equal(await findShopKey(base.db, key, at(0)), undefined);
    await base.db.query(insertShopKey, [shop.id, id, 'emulated', hashSecret(key), at(0), 50]);
    for (let call = 0; call < 2; call++) {
      const holder = await findShopKey(base.db, key, at(call));
      assert.deepEqual(holder, { shopId: shop.id, keyId: id, currency: 'JPY' });
    }
    await base.db.transaction(async (tx) => await removeShopKey(tx, shop.id, id, at(2), OPERATOR));
    assert.equal(await findShopKey(base.db, key, at(3)), undefined);
  });
});

describe('the last use of a Shop API key', () => {
  const base = useTestDatabase();

  it('the last use of a key is recorded at most once a minute', async () => {
    const seeded = await seedShop(base);
    const use = async (seconds: number): Promise<void> =>
      void (await findShopKey(base.db, seeded.shopKey, at(seconds)));
    const isLastUse = async (seconds: number): Promise<boolean> =>
      (await lastUse(base, seeded))?.getTime() === at(seconds).getTime();
    assert.equal(await lastUse(base, seeded), null);
    await use(0);
    await waitUntil(async () => await isLastUse(0));
    await use(59.999);
    await use(60);
    await waitUntil(async () => await isLastUse(60));
  });

  it('the last use of a key is written once for many concurrent calls', async () => {
    const seeded = await seedShop(base);
    const [key] = await listShopKeys(base.db, seeded.shop.id);
    const values = [seeded.shop.id, key?.id, at(0), at(-60)];
    const counts = await Promise.all(
      Array.from({ length: 8 }, async () => await base.db.count(recordShopKeyUse, values)),
    );
    assert.deepEqual(
      counts.filter((count) => count > 0),
      [1],
    );
  });

  it('recording the last use does not delay calls while the row of the key is locked', async () => {
    const seeded = await seedShop(base);
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = base.db.transaction(async (tx) => {
      await tx.query(lockKeys, [seeded.shop.id]);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    for (let call = 0; call < 20; call++) {
      const holder = await findShopKey(base.db, seeded.shopKey, at(call));
      assert.equal(holder?.shopId, seeded.shop.id);
    }
    await waitUntil(() => {
      const { clients, idle, waiting } = base.db.poolState();
      return waiting === 0 && clients - idle === 1;
    });
    released.resolve();
    await holding;
    assert.equal(await lastUse(base, seeded), null);
  });
});
