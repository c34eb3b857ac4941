import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { newId } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { readHead } from './feed.ts';
import { setUnitStatus } from './status-change.ts';
import { putUnits, type PutUnitResult, type UnitChange } from './unit.ts';
import { findUnitText, listUnits } from './unit-text.ts';
import { toWireRefusal } from '../shop-api/refusal.ts';
import { canChangeStatus, UNIT_STATUSES, type UnitStatus } from './unit-status.ts';

const LATER = new Date(STOCK_MADE_AT.getTime() + 60_000);

async function put(
  db: Database,
  stock: TestStock,
  changes: readonly UnitChange[],
  now: Date = STOCK_MADE_AT,
): Promise<PutUnitResult[]> {
  return await db.transaction(async (tx) => await putUnits(tx, stock.shop, changes, now));
}

function card(stock: TestStock, more: Partial<UnitChange> = {}): UnitChange {
  const item = { kind: 'card' as const, cardId: stock.cardId };
  return { id: newId(), siteId: stock.siteId, item, ...more };
}

function kindsOf(results: readonly PutUnitResult[]): string[] {
  return results.map((result) => result.kind);
}

function parsed(text: string | undefined): Record<string, unknown> {
  assert.ok(text !== undefined);
  return JSON.parse(text);
}

describe('stock units (decision 0001)', () => {
  const base = useTestDatabase();

  it('a new unit has its defaults and exactly the members of decision 0001, the cost last', async () => {
    const stock = await seedStock(base.db);
    const change = card(stock);
    assert.deepEqual(kindsOf(await put(base.db, stock, [change])), ['created']);
    const unit = parsed(await findUnitText(base.db, stock.shop.id, change.id));
    assert.deepEqual(Object.keys(unit), [
      'id',
      'status',
      'siteId',
      'locationId',
      'item',
      'certNumber',
      'serialNumber',
      'ownership',
      'priceMinor',
      'currency',
      'acquiredAt',
      'photos',
      'statusChangedAt',
      'createdAt',
      'updatedAt',
      'costMinor',
    ]);
    assert.equal(unit['status'], 'in_stock');
    assert.equal(unit['ownership'], 'owned');
    assert.equal(unit['currency'], 'JPY');
    assert.equal(unit['createdAt'], STOCK_MADE_AT.toISOString());
    assert.deepEqual(unit['photos'], []);
    for (const name of ['locationId', 'certNumber', 'priceMinor', 'costMinor', 'acquiredAt']) {
      assert.equal(unit[name], null, name);
    }
  });

  it('every text of a batch is stored exactly, in column and record (decision 0124)', async () => {
    const stock = await seedStock(base.db);
    const texts = ['NULL', 'null', '{a,b}', '"', '\\', "'", '\\n', ' x ', '\u2028', '版 🂡', null];
    const changes = texts.map((text, n) =>
      card(stock, {
        certNumber: text,
        serialNumber: texts.at(-1 - n) ?? null,
        priceMinor: n % 2 === 0 ? n : null,
        acquiredAt: n % 3 === 0 ? new Date(n) : null,
      }),
    );
    const results = await put(base.db, stock, changes);
    for (const [n, { id, certNumber, serialNumber, priceMinor, acquiredAt }] of changes.entries()) {
      const kept = await findUnitText(base.db, stock.shop.id, id);
      const result = results[n];
      assert.ok(result !== undefined && 'unitText' in result);
      assert.equal(kept, result.unitText);
      const unit = parsed(kept);
      assert.equal(kept, JSON.stringify(unit), 'the JSON has no other form');
      assert.deepEqual(
        [unit['certNumber'], unit['serialNumber'], unit['priceMinor'], unit['acquiredAt']],
        [certNumber, serialNumber, priceMinor, acquiredAt?.toISOString() ?? null],
      );
    }
    const again = new Set(kindsOf(await put(base.db, stock, changes, LATER)));
    assert.deepEqual([...again], ['unchanged'], 'the columns hold what was written');
  });

  it('a write keeps omitted members, clears members that are null, and replaces the item as a whole', async () => {
    const stock = await seedStock(base.db);
    const item = { kind: 'card' as const, cardId: stock.cardId, gradeId: stock.gradeId };
    const full = card(stock, {
      item,
      locationId: stock.locationId,
      certNumber: 'K-1',
      priceMinor: 1_000_000_000_000,
      costMinor: 0,
      acquiredAt: STOCK_MADE_AT,
    });
    await put(base.db, stock, [full]);
    const patch = { id: full.id, certNumber: null, priceMinor: 5 };
    assert.deepEqual(kindsOf(await put(base.db, stock, [patch], LATER)), ['updated']);
    const unit = parsed(await findUnitText(base.db, stock.shop.id, full.id));
    assert.equal(unit['certNumber'], null);
    assert.equal(unit['priceMinor'], 5);
    assert.equal(unit['costMinor'], 0);
    assert.equal(unit['locationId'], stock.locationId);
    assert.equal(unit['createdAt'], STOCK_MADE_AT.toISOString());
    assert.equal(unit['statusChangedAt'], STOCK_MADE_AT.toISOString());
    assert.equal(unit['updatedAt'], LATER.toISOString());
    const product = { kind: 'product' as const, productId: stock.productId };
    await put(base.db, stock, [{ id: full.id, item: product }], LATER);
    const boxed = parsed(await findUnitText(base.db, stock.shop.id, full.id));
    assert.deepEqual(Object.keys(Object(boxed['item'])), ['kind', 'product']);
  });

  it('an identical write assigns no new position', async () => {
    const stock = await seedStock(base.db);
    const change = card(stock, { priceMinor: 300, acquiredAt: STOCK_MADE_AT });
    await put(base.db, stock, [change]);
    const before = await readHead(base.db, stock.shop.id);
    const [again] = await put(base.db, stock, [change], LATER);
    assert.equal(again?.kind, 'unchanged');
    assert.ok(again.unitText.includes(`"updatedAt":"${STOCK_MADE_AT.toISOString()}"`));
    assert.deepEqual(await readHead(base.db, stock.shop.id), before);
  });

  it('a shop with its maximum of units gets no further ones, but its units can be changed', async () => {
    const stock = await seedStock(base.db);
    const full = { ...stock, shop: { ...stock.shop, unitsMax: 3 } };
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => card(stock));
    assert.ok(first && second && third && fourth);
    assert.deepEqual(kindsOf(await put(base.db, full, [first, second])), ['created', 'created']);
    const changed = { id: first.id, priceMinor: 5 };
    const results = await put(base.db, full, [third, fourth, changed]);
    assert.deepEqual(kindsOf(results), ['created', 'shop_full', 'updated']);
    const refused = results.find(({ kind }) => kind === 'shop_full');
    assert.ok(refused !== undefined && !('unitText' in refused));
    assert.equal(toWireRefusal(refused, 'unit').status, 409);
    assert.deepEqual(
      kindsOf(await put(base.db, stock, [fourth])),
      ['created'],
      'without a maximum',
    );
  });

  it('each unit of a batch is validated separately', async () => {
    const stock = await seedStock(base.db);
    const other = await seedStock(base.db);
    const good = card(stock);
    const results = await put(base.db, stock, [
      card(stock, { siteId: other.siteId }),
      good,
      card(stock, { locationId: other.locationId }),
      card(stock, { item: { kind: 'card', cardId: newId() } }),
      card(stock, { item: { kind: 'card', cardId: stock.cardId, gradeId: newId() } }),
      card(stock, { item: { kind: 'product', productId: stock.cardId } }),
      { id: newId(), status: 'sold' },
    ]);
    assert.deepEqual(kindsOf(results), [
      'unknown_reference',
      'created',
      'unknown_reference',
      'unknown_reference',
      'unknown_reference',
      'unknown_reference',
      'incomplete',
    ]);
    const page = { afterId: null, limit: 100 };
    const units = await listUnits(base.db, stock.shop.id, page);
    assert.deepEqual(
      units.map((unit) => unit.id),
      [good.id],
    );
  });

  it('exactly the status transitions of the decision are allowed', async () => {
    const stock = await seedStock(base.db);
    for (const from of UNIT_STATUSES) {
      const units = UNIT_STATUSES.map(() => card(stock, { status: from }));
      await put(base.db, stock, units);
      for (const [index, to] of UNIT_STATUSES.entries()) {
        const id = units[index]?.id ?? '';
        const result = await base.db.transaction(
          async (tx) => await setUnitStatus(tx, stock.shop, id, to, LATER),
        );
        const isAllowed = isDecided(from, to);
        const expected = from === to ? 'unchanged' : isAllowed ? 'updated' : 'forbidden_transition';
        assert.equal(result.kind, expected, `${from} → ${to}`);
        const unit = parsed(await findUnitText(base.db, stock.shop.id, id));
        assert.equal(unit['status'], isAllowed ? to : from);
        const changedAt = isAllowed && from !== to ? LATER : STOCK_MADE_AT;
        assert.equal(unit['statusChangedAt'], changedAt.toISOString());
      }
    }
  });

  it('the status of another shop’s unit cannot be changed', async () => {
    const stock = await seedStock(base.db);
    const other = await seedStock(base.db);
    const change = card(stock);
    await put(base.db, stock, [change]);
    const result = await base.db.transaction(
      async (tx) => await setUnitStatus(tx, other.shop, change.id, 'sold', LATER),
    );
    assert.equal(result.kind, 'not_found');
    const unit = parsed(await findUnitText(base.db, stock.shop.id, change.id));
    assert.equal(unit['status'], 'in_stock');
  });

  it('concurrent writes of a new unit run one after the other: one creates the unit, the others change it', async () => {
    const stock = await seedStock(base.db);
    const change = card(stock);
    const writes = Array.from({ length: 16 }, async (_, index) =>
      put(base.db, stock, [{ ...change, priceMinor: index }], new Date(Date.now() + index)),
    );
    const kinds = (await Promise.all(writes)).flatMap(kindsOf);
    assert.equal(kinds.filter((kind) => kind === 'created').length, 1);
    assert.equal(kinds.filter((kind) => kind === 'updated').length, 15);
  });

  it('overlapping batches do not deadlock', async () => {
    const stock = await seedStock(base.db);
    const units = Array.from({ length: 20 }, () => card(stock));
    await put(base.db, stock, units);
    const writes = Array.from({ length: 12 }, async (_, index) => {
      const mine = units.map((unit) => ({ id: unit.id, priceMinor: index }));
      return await put(base.db, stock, index % 2 === 0 ? mine : mine.toReversed());
    });
    assert.equal((await Promise.all(writes)).flat().length, 240);
  });
});

/** Returns whether the status may change, without use of the tested code. */
function isDecided(from: UnitStatus, to: UnitStatus): boolean {
  if (from === to) return true;
  if (from === 'returned' || from === 'voided') return false;
  if (to === 'voided') return true;
  const pairs = [
    'in_stock reserved',
    'reserved in_stock',
    'in_stock in_transit',
    'in_transit in_stock',
    'in_stock grading',
    'grading in_stock',
    'in_stock sold',
    'reserved sold',
    'sold in_stock',
    'in_stock returned',
    'in_stock written_off',
    'written_off in_stock',
  ];
  assert.equal(canChangeStatus(from, to), pairs.includes(`${from} ${to}`));
  return pairs.includes(`${from} ${to}`);
}
