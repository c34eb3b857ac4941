import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import type { Transaction } from '../database/database.ts';
import { removeApp } from '../connections/connection.ts';
import { hashSecret } from '../base/secrets.ts';
import { OPERATOR } from '../shops/audit.ts';
import { findAppWithSecrets } from './app.ts';
import { addAppSecret, listAppSecrets, removeAppSecret } from './app-secret.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

describe('the secrets of an app (decision 0003)', () => {
  const base = useTestDatabase();
  let seeded: SeededShop;

  async function run<T>(
    work: (tx: Transaction, shopId: string, id: string) => Promise<T>,
  ): Promise<T> {
    const { shop, app } = seeded;
    return await base.db.transaction(async (tx) => await work(tx, shop.id, app.clientId));
  }

  async function hashes(): Promise<readonly string[]> {
    return (await findAppWithSecrets(base.db, seeded.app.clientId))?.secretHashes ?? [];
  }

  it('an app has at most two secrets, and its only secret cannot be removed', async () => {
    seeded = await seedShop(base);
    const [first] = await run(listAppSecrets);
    assert.ok(first);
    const last = await run(
      async (tx, shopId, id) => await removeAppSecret(tx, shopId, id, first.id, NOW, OPERATOR),
    );
    assert.equal(last, 'last');
    const added = await run(
      async (tx, shopId, id) => await addAppSecret(tx, shopId, id, NOW, OPERATOR),
    );
    assert.ok(added.kind === 'added');
    assert.match(added.secret, /^cps_[A-Za-z0-9]{43}$/);
    const both = await hashes();
    assert.deepEqual(
      both.toSorted(),
      [hashSecret(seeded.clientSecret), hashSecret(added.secret)].toSorted(),
    );
    const third = await run(
      async (tx, shopId, id) => await addAppSecret(tx, shopId, id, NOW, OPERATOR),
    );
    assert.equal(third.kind, 'too_many');
    const gone = await run(
      async (tx, shopId, id) => await removeAppSecret(tx, shopId, id, first.id, NOW, OPERATOR),
    );
    assert.equal(gone, 'removed');
    assert.deepEqual(await hashes(), [hashSecret(added.secret)]);
    const listed = await run(listAppSecrets);
    assert.deepEqual(listed, [{ id: added.secretId, createdAt: NOW }]);
  });

  it('an app has at most two secrets after concurrent additions', async () => {
    seeded = await seedShop(base);
    const kinds = await Promise.all(
      [1, 2].map(
        async () =>
          (await run(async (tx, shopId, id) => await addAppSecret(tx, shopId, id, NOW, OPERATOR)))
            .kind,
      ),
    );
    assert.deepEqual(kinds.toSorted(), ['added', 'too_many']);
    assert.equal((await hashes()).length, 2);
  });

  it('secrets cannot be changed with the id of another shop, app or secret, or of a removed app', async () => {
    seeded = await seedShop(base);
    const other = await seedShop(base);
    const { id } = (await run(listAppSecrets))[0] ?? { id: '' };
    await base.db.transaction(async (tx) => {
      const { clientId } = seeded.app;
      await addAppSecret(tx, seeded.shop.id, clientId, NOW, OPERATOR);
      const wrong = [
        await removeAppSecret(tx, other.shop.id, clientId, id, NOW, OPERATOR),
        await removeAppSecret(tx, other.shop.id, other.app.clientId, id, NOW, OPERATOR),
        await removeAppSecret(tx, seeded.shop.id, clientId, randomUUID(), NOW, OPERATOR),
      ];
      assert.deepEqual(wrong, ['unknown', 'unknown', 'unknown']);
      const stranger = await addAppSecret(tx, other.shop.id, clientId, NOW, OPERATOR);
      assert.equal(stranger.kind, 'unknown');
      assert.deepEqual(await listAppSecrets(tx, other.shop.id, clientId), []);
    });
    assert.equal((await hashes()).length, 2, 'nothing was changed');
    await run(async (tx, _shopId, clientId) => await removeApp(tx, clientId, NOW, OPERATOR));
    const late = await run(
      async (tx, shopId, clientId) => await addAppSecret(tx, shopId, clientId, NOW, OPERATOR),
    );
    assert.equal(late.kind, 'unknown');
  });
});
