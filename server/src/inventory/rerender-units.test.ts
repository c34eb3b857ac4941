import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import { recordCatalogChanges } from '../catalog/catalog-change.ts';
import { putShopGrade } from '../catalog/shop-grade.ts';
import { lockCatalogExclusive } from '../catalog/catalog-lock.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { statement } from '../database/statement.ts';
import { readChanges, readHead } from './feed.ts';
import { claimRerender, finishRerendering, rerenderUnits } from './rerender-units.ts';
import { putUnits } from './unit.ts';

export const renameTestCard = statement(
  'test_rename_card',
  `update card set name = $2 where card_id = $1`,
);

async function rename(db: Database, cardId: string, name: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockCatalogExclusive(tx);
    await tx.query(renameTestCard, [cardId, name]);
    await recordCatalogChanges(tx, 'card', [cardId]);
  });
}

async function addUnits(db: Database, stock: TestStock, count: number): Promise<void> {
  const item = { kind: 'card' as const, cardId: stock.cardId };
  const units = Array.from({ length: count }, () => ({ id: newId(), siteId: stock.siteId, item }));
  await db.transaction(async (tx) => await putUnits(tx, stock.shop, units, STOCK_MADE_AT));
}

async function namesInFeed(db: Database, shopId: string): Promise<string[]> {
  const page = await readChanges(db, shopId, null, { limit: 1000, canSeeCost: false });
  assert.equal(page.kind, 'page');
  const records: { kind: string; data: { item: { card: { name: string } } } }[] = JSON.parse(
    `[${page.recordBytes.toString()}]`,
  );
  return records
    .filter((record) => record.kind === 'unit')
    .map((record) => record.data.item.card.name);
}

describe('a catalog change', () => {
  it('a catalog change reaches the units that show the card, in every shop, and no others', async () => {
    await using base = await openTestDatabase();
    const clock = new ManualClock(STOCK_MADE_AT);
    const stock = await seedStock(base.db);
    const other = await seedStock(base.db);
    await addUnits(base.db, stock, 3);
    const far = { kind: 'card' as const, cardId: stock.cardId };
    const own = { kind: 'card' as const, cardId: other.cardId };
    const units = [far, own].map((item) => ({ id: newId(), siteId: other.siteId, item }));
    await base.db.transaction(async (tx) => await putUnits(tx, other.shop, units, STOCK_MADE_AT));
    const before = await readHead(base.db, other.shop.id);
    await rename(base.db, stock.cardId, '新しい名');
    assert.equal(await rerenderUnits(base.db, clock), 4);
    assert.deepEqual(new Set(await namesInFeed(base.db, stock.shop.id)), new Set(['新しい名']));
    assert.deepEqual((await namesInFeed(base.db, other.shop.id)).toSorted(), [
      '新しい名',
      '蒼天竜アルバ',
    ]);
    assert.equal((await readHead(base.db, other.shop.id)).seq, before.seq + 1);
    assert.equal(await rerenderUnits(base.db, clock), 0, 'nothing is left to do');
  });

  it('a catalog change reaches more units than one transaction updates', async () => {
    await using base = await openTestDatabase();
    const stock = await seedStock(base.db);
    for (let batch = 0; batch < 3; batch++) await addUnits(base.db, stock, 400);
    await rename(base.db, stock.cardId, 'x');
    assert.equal(await rerenderUnits(base.db, new ManualClock(STOCK_MADE_AT)), 1200);
  });

  it('a change of a shop’s grade changes no unit of another shop with a grade of the same id', async () => {
    await using base = await openTestDatabase();
    const clock = new ManualClock(STOCK_MADE_AT);
    const shops = [await seedStock(base.db), await seedStock(base.db)] as const;
    const gradeId = newId();
    for (const stock of shops) {
      const names = { code: 'S', label: 'S', serviceCode: 'own', serviceName: 'own' };
      const item = { kind: 'card' as const, cardId: stock.cardId, gradeId };
      const unit = { id: newId(), siteId: stock.siteId, item };
      await base.db.transaction(
        async (tx) => await putShopGrade(tx, stock.shop.id, gradeId, names, STOCK_MADE_AT),
      );
      await base.db.transaction(
        async (tx) => await putUnits(tx, stock.shop, [unit], STOCK_MADE_AT),
      );
    }
    await rerenderUnits(base.db, clock);
    const [mine, others] = shops;
    const before = await readHead(base.db, others.shop.id);
    await base.db.transaction(
      async (tx) => await putShopGrade(tx, mine.shop.id, gradeId, { label: '美品' }, STOCK_MADE_AT),
    );
    assert.equal(await rerenderUnits(base.db, clock), 1);
    assert.deepEqual(await readHead(base.db, others.shop.id), before);
    assert.equal(await rerenderUnits(base.db, clock), 0);
  });

  it('rendering stops between two transactions when requested, and continues at the next call', async () => {
    await using base = await openTestDatabase();
    const clock = new ManualClock(STOCK_MADE_AT);
    const stock = await seedStock(base.db);
    for (let batch = 0; batch < 3; batch++) await addUnits(base.db, stock, 400);
    await rename(base.db, stock.cardId, 'x');
    const stopping = new AbortController();
    const stoppingClock = {
      now: (): Date => {
        stopping.abort();
        return STOCK_MADE_AT;
      },
    };
    const stamped = await rerenderUnits(base.db, stoppingClock, stopping.signal);
    assert.equal(stamped, 500, 'one transaction');
    assert.equal(await finishRerendering(base.db, clock, stopping.signal), false);
    assert.equal(await rerenderUnits(base.db, clock), 700);
  });

  it('rendering waits while another process renders the units', async () => {
    await using base = await openTestDatabase();
    const clock = new ManualClock(STOCK_MADE_AT);
    const stock = await seedStock(base.db);
    await addUnits(base.db, stock, 1);
    await rename(base.db, stock.cardId, 'x');
    const other = openDatabase(base.engine, { onFault: (error) => assert.ifError(error) });
    const finished = await other.transaction(async (tx) => {
      await tx.query(claimRerender);
      assert.equal(await rerenderUnits(base.db, clock), 0, 'the claim is held elsewhere');
      return [finishRerendering(base.db, clock, AbortSignal.timeout(30_000))];
    });
    assert.deepEqual(await Promise.all(finished), [true]);
    assert.deepEqual(await namesInFeed(base.db, stock.shop.id), ['x']);
    await other.close();
  });

  it('a catalog change does not miss units written at the same moment', async () => {
    await using base = await openTestDatabase();
    const clock = new ManualClock(STOCK_MADE_AT);
    const stock = await seedStock(base.db);
    let isWriting = true;
    const restamping = (async (): Promise<void> => {
      while (isWriting) await rerenderUnits(base.db, clock);
    })();
    const names = Array.from({ length: 10 }, (_, index) => `名${index}`);
    await Promise.all([
      ...Array.from({ length: 4 }, async () => {
        for (let turn = 0; turn < 10; turn++) await addUnits(base.db, stock, 2);
      }),
      (async (): Promise<void> => {
        for (const name of names) await rename(base.db, stock.cardId, name);
      })(),
    ]);
    isWriting = false;
    await restamping;
    await rerenderUnits(base.db, clock);
    const shown = await namesInFeed(base.db, stock.shop.id);
    assert.equal(shown.length, 80);
    assert.deepEqual(new Set(shown), new Set([names.at(-1)]));
  });
});
