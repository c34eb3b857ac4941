import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { createShop } from '../shops/shop.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { readCatalogChanges, recordCatalogChanges } from './catalog-change.ts';
import { lockCatalogExclusive, lockCatalogShared } from './catalog-lock.ts';
import { findGrade, putShopGrade } from './shop-grade.ts';
import { readCatalogPosition, readGrades } from './read-entries.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const GRADE = { code: 'S', label: '極美品', serviceCode: 'shop', serviceName: '当店' };

describe('the catalog lock', () => {
  it('the lock keeps an entry unchanged between reading and rendering', async () => {
    await using base = await openTestDatabase();
    const order: string[] = [];
    let isShared: () => void = () => assert.fail('set below');
    const shared = new Promise<void>((resolve) => {
      isShared = resolve;
    });
    const reader = base.db.transaction(async (tx) => {
      await lockCatalogShared(tx);
      const before = await readCatalogPosition(tx);
      isShared();
      // During these reads, a writer that did not wait for the lock would commit.
      for (let n = 0; n < 20; n++) await readCatalogPosition(tx);
      assert.equal(await readCatalogPosition(tx), before);
      order.push('rendered');
    });
    await shared;
    const writer = base.db.transaction(async (tx) => {
      await lockCatalogExclusive(tx);
      order.push('changed');
      await recordCatalogChanges(tx, 'card', [newId()]);
    });
    await Promise.all([reader, writer]);
    assert.deepEqual(order, ['rendered', 'changed']);
  });

  it('with the lock, concurrent writers assign positions in commit order, one row per entry', async () => {
    await using base = await openTestDatabase();
    const ids = Array.from({ length: 5 }, () => newId());
    const seen: number[] = [];
    const write = async (): Promise<void> => {
      const position = await base.db.transaction(async (tx) => {
        await lockCatalogExclusive(tx);
        await recordCatalogChanges(tx, 'product', ids);
        return await readCatalogPosition(tx);
      });
      seen.push(position);
    };
    await Promise.all(Array.from({ length: 10 }, write));
    assert.equal(new Set(seen).size, 10);
    const changes = await readCatalogChanges(base.db, 0, 100);
    assert.equal(changes.length, 5);
    assert.equal(changes.at(-1)?.position, Math.max(...seen));
    assert.deepEqual(await readCatalogChanges(base.db, Math.max(...seen), 100), []);
    assert.equal((await readCatalogChanges(base.db, 0, 2)).length, 2);
  });
});

describe('a shop’s grades', () => {
  it('a changed grade of a shop is recorded as a catalog change, and is visible only to that shop', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const shopIds = await db.transaction(async (tx) => {
      const made = [];
      for (const slug of ['a', 'b']) {
        made.push(await createShop(tx, { name: slug, slug, currency: 'JPY' }, NOW));
      }
      return made.map((result) => (result.kind === 'created' ? result.shop.id : ''));
    });
    const [shopId = '', otherId = ''] = shopIds;
    const id = newId();
    const put = async (change: object): Promise<string> =>
      await db.transaction(async (tx) => (await putShopGrade(tx, shopId, id, change, NOW)).kind);
    assert.equal(await put({ code: 'S' }), 'incomplete');
    assert.equal(await readCatalogPosition(db), 0);
    assert.equal(await put(GRADE), 'created');
    const created = await readCatalogPosition(db);
    assert.ok(created > 0);
    assert.equal(await put({ label: GRADE.label }), 'unchanged');
    assert.equal(await readCatalogPosition(db), created);
    assert.equal(await put({ label: '新品同様' }), 'updated');
    assert.ok((await readCatalogPosition(db)) > created);
    const grade = { id, ...GRADE, label: '新品同様', serviceKind: 'internal' };
    assert.deepEqual((await readGrades(db, shopId, [id])).get(id), grade);
    assert.equal((await readGrades(db, otherId, [id])).size, 0);
    assert.equal(await findGrade(db, otherId, id), undefined);
  });
});
