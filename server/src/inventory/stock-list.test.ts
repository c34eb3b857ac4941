import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { listStock, type StockFilter, type StockPage } from './stock-list.ts';
import { putLocation } from './location.ts';
import { countMatchingStock } from './stock-match-counts.ts';
import { splitAvailableFirst, listStockSequence, type SequencePosition } from './stock-sequence.ts';
import { clearStockCounts, recountStock } from './stock-figures.ts';
import { putUnits, type UnitChange } from './unit.ts';

describe('the list of stock', () => {
  let base: TestDatabase;
  let stock: TestStock;
  let other: TestStock;
  let shelfId: string;
  const ids = Array.from({ length: 12 }, () => newId());
  const certified = ids[3] ?? '';

  before(async () => {
    base = await openTestDatabase();
    stock = await seedStock(base.db);
    other = await seedStock(base.db);
    shelfId = newId();
    const shelf = { siteId: stock.siteId, code: 'B-1', name: '棚B-1', kind: 'shelf' as const };
    await base.db.transaction(async (tx) => {
      await putLocation(tx, stock.shop.id, shelfId, shelf, STOCK_MADE_AT);
    });
    const { siteId, locationId, cardId, otherCardId, productId, gradeId } = stock;
    const units = ids.map((id, n): UnitChange => {
      const card = { kind: 'card' as const, cardId: n % 2 === 0 ? cardId : otherCardId };
      return {
        id,
        siteId,
        locationId: n < 4 ? locationId : n < 6 ? shelfId : null,
        item:
          n === 11
            ? { kind: 'product', productId }
            : { ...card, gradeId: n === 8 ? gradeId : null },
        certNumber: n === 3 ? 'KGS 77' : n === 4 ? '55' : null,
        serialNumber: n === 5 ? '55' : n === 4 ? '55' : null,
        status: n === 7 ? 'sold' : n === 10 ? 'reserved' : 'in_stock',
        priceMinor: n * 100,
      };
    });
    await write(stock, units);
    const foreign = { siteId: other.siteId, item: { kind: 'card' as const, cardId: other.cardId } };
    await write(other, [{ id: newId(), ...foreign, certNumber: 'KGS 77' }]);
  });
  after(async () => await base.close());

  async function write(of: TestStock, units: readonly UnitChange[]): Promise<void> {
    await base.db.transaction(async (tx) => await putUnits(tx, of.shop, units, STOCK_MADE_AT));
  }

  async function list(
    filter: StockFilter,
    limit = 50,
    beforeSeq: number | null = null,
    lookedAtMax?: number,
  ): Promise<StockPage> {
    return await listStock(base.db, stock.shop.id, filter, { beforeSeq, limit }, lookedAtMax);
  }

  /** Returns the numbers of the units that a list shows, in order, from all its pages. */
  async function walk(filter: StockFilter, limit = 50, lookedAtMax?: number): Promise<number[]> {
    const shown: number[] = [];
    let beforeSeq: number | null = null;
    do {
      const page = await list(filter, limit, beforeSeq, lookedAtMax);
      assert.ok(page.units.length <= limit);
      shown.push(...page.units.map(({ id }) => ids.indexOf(id)));
      beforeSeq = page.nextBeforeSeq;
    } while (beforeSeq !== null);
    return shown;
  }

  it('the list shows the newest change first, with the names of site, location and item', async () => {
    const { units, nextBeforeSeq } = await list({});
    assert.equal(nextBeforeSeq, null);
    assert.deepEqual(
      units.map(({ id }) => ids.indexOf(id)),
      [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    );
    const [box, reserved] = units;
    assert.equal(box?.item.kind, 'product');
    assert.equal(box?.location, null);
    assert.equal(reserved?.status, 'reserved');
    assert.equal(reserved?.priceMinor, 1000);
    assert.deepEqual(reserved?.site, { id: stock.siteId, code: 'main', name: '本店' });
    assert.deepEqual(units[7]?.location, { id: shelfId, code: 'B-1', name: '棚B-1' });
    const alba = units[11]?.item;
    assert.ok(alba?.kind === 'card');
    assert.equal(alba.card.name, '蒼天竜アルバ');
    assert.equal(alba.card.localizedNames['en'], 'Alba');
  });

  const cases: readonly (readonly [string, (s: TestStock) => StockFilter, readonly number[]])[] = [
    ['a rare status', () => ({ statuses: ['sold'] }), [7]],
    ['two statuses', () => ({ statuses: ['sold', 'reserved'] }), [10, 7]],
    ['a status that no unit has', () => ({ statuses: ['grading'] }), []],
    ['an empty list of statuses', () => ({ statuses: [] }), []],
    ['a site', (s) => ({ siteId: s.siteId }), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
    ['a location', (s) => ({ locationId: s.locationId }), [3, 2, 1, 0]],
    ['a card', (s) => ({ cardIds: [s.otherCardId] }), [9, 7, 5, 3, 1]],
    ['a card and a status', (s) => ({ cardIds: [s.otherCardId], statuses: ['sold'] }), [7]],
    [
      'a card and a product',
      (s) => ({ cardIds: [s.cardId], productIds: [s.productId] }),
      [11, 10, 8, 6, 4, 2, 0],
    ],
    ['cards that a search did not find', () => ({ cardIds: [] }), []],
    ['a card in a location', (s) => ({ cardIds: [s.cardId], locationId: s.locationId }), [2, 0]],
    ['a grade', (s) => ({ gradeId: s.gradeId }), [8]],
    ['a grade and a status', (s) => ({ gradeId: s.gradeId, statuses: ['sold'] }), []],
    ['a grade in a location', (s) => ({ gradeId: s.gradeId, locationId: s.locationId }), []],
    ['a card of a grade', (s) => ({ gradeId: s.gradeId, cardIds: [s.cardId] }), [8]],
    ['a grade at a site', (s) => ({ gradeId: s.gradeId, siteId: s.siteId }), [8]],
    ['a certificate number, without units of another shop', () => ({ exact: 'KGS 77' }), [3]],
    [
      'a number that is a certificate number of one unit and a serial number of another',
      () => ({ exact: '55' }),
      [5, 4],
    ],
    ['an id', () => ({ exact: certified }), [3]],
    ['an id in capitals', () => ({ exact: certified.toUpperCase() }), [3]],
    ['a text that matches nothing', () => ({ exact: "' or 1=1" }), []],
    ['an id with another filter', () => ({ exact: certified, statuses: ['sold'] }), []],
  ];
  for (const [name, filter, expected] of cases) {
    it(`the list can be filtered by ${name}`, async () => {
      assert.deepEqual(await walk(filter(stock)), expected);
    });
  }

  it('the pages of a list show each unit exactly once', async () => {
    for (const [name, filter, expected] of cases) {
      for (const limit of [1, 2]) {
        assert.deepEqual(await walk(filter(stock), limit), expected, name);
        assert.deepEqual(await walk(filter(stock), limit, 1), expected, `${name}, cut short`);
      }
    }
  });

  it('a page ends where a scan stopped early, and the next page has the rest', async () => {
    // The five newest units of this card are at other locations, so a scan of two units finds none.
    const filter = { cardIds: [stock.otherCardId], locationId: stock.locationId };
    assert.deepEqual(await walk(filter, 1, 1), [3, 1]);
    const first = await list({ ...filter, statuses: ['in_stock'] }, 1, null, 2);
    assert.deepEqual(
      first.units.map(({ id }) => ids.indexOf(id)),
      [3],
    );
    assert.deepEqual(await walk({ ...filter, statuses: ['sold', 'in_stock'] }, 1, 2), [3, 1]);
  });

  it('a page with exactly the remaining units has no next page', async () => {
    const { units, nextBeforeSeq } = await list({ statuses: ['sold', 'reserved'] }, 2);
    assert.deepEqual([units.length, nextBeforeSeq], [2, null]);
    const less = await list({ statuses: ['sold', 'reserved'] }, 1);
    assert.equal(less.nextBeforeSeq, less.units[0]?.seq);
  });

  it('several lists are shown one after the other, each unit once over all pages', async () => {
    const items = { cardIds: [stock.cardId, stock.otherCardId], productIds: [] };
    const lists = [
      ...splitAvailableFirst({ exact: '55' }),
      ...splitAvailableFirst({ ...items, exceptExact: '55' }),
    ];
    const expected = [5, 4, 9, 8, 6, 3, 2, 1, 0, 10, 7];
    for (const limit of [1, 2, 5, 11, 12]) {
      const shown: number[] = [];
      let from: SequencePosition | null = null;
      do {
        const page = await listStockSequence(base.db, stock.shop.id, lists, { from, limit });
        assert.ok(page.units.length > 0, 'no empty page at the end');
        shown.push(...page.units.map(({ id }) => ids.indexOf(id)));
        from = page.next;
      } while (from !== null);
      assert.deepEqual(shown, expected, `pages of ${limit}`);
    }
  });

  it('the matches of a filter are counted by status, and exact matches are counted only once', async () => {
    const count = async (filter: StockFilter): Promise<unknown> =>
      (await countMatchingStock(base.db, stock.shop.id, filter))
        ?.filter(({ units }) => units > 0)
        .map(({ status, units, isPartial }) => [status, units, isPartial])
        .toSorted();
    assert.deepEqual(await count({ cardIds: [stock.otherCardId], exact: '55' }), [
      ['in_stock', 5, false],
      ['sold', 1, false],
    ]);
    assert.deepEqual(await count({ exact: certified }), [['in_stock', 1, false]]);
    const here = { locationId: stock.locationId };
    assert.deepEqual(await count({ cardIds: [stock.cardId], ...here }), [['in_stock', 2, false]]);
    assert.deepEqual(await count(here), [['in_stock', 4, false]]);
    assert.deepEqual(await count({ ...here, gradeId: stock.gradeId }), []);
    assert.deepEqual(await count({ gradeId: stock.gradeId }), [['in_stock', 1, false]]);
    assert.deepEqual(await count({ cardIds: [] }), []);
    assert.equal(await countMatchingStock(base.db, stock.shop.id, {}), null);
    assert.equal(await countMatchingStock(base.db, stock.shop.id, { siteId: stock.siteId }), null);
    const few = await countMatchingStock(base.db, stock.shop.id, here, 3);
    const inStock = few?.find(({ status }) => status === 'in_stock');
    assert.deepEqual([inStock?.units, inStock?.isPartial], [3, true]);
  });

  it('units are found even if the stored counts are wrong', async () => {
    await base.db.transaction(async (tx) => {
      await tx.query(clearStockCounts, [stock.shop.id]);
    });
    assert.deepEqual(await walk({ statuses: ['sold'] }), [7]);
    assert.equal((await walk({ siteId: stock.siteId })).length, ids.length);
    await base.db.transaction(async (tx) => await recountStock(tx, stock.shop.id));
  });
});
