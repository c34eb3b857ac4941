import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';
import { type Database, StaleRead } from '../database/database.ts';
import { listMigrations } from '../database/migrate.ts';
import { statement } from '../database/statement.ts';
import { type Actor, OPERATOR } from '../shops/audit.ts';
import { putSite } from './site.ts';
import { setUnitStatus } from './status-change.ts';
import {
  readStockCounts,
  readStockMovements,
  recountStock,
  removeOldMovements,
} from './stock-figures.ts';
import { stockEffectsOf } from './stock-effects.ts';
import { findStockUnit } from './stock-unit.ts';
import { putUnits, type UnitChange, type UnitShop } from './unit.ts';
import {
  canChangeStatus,
  IN_STOCK_STATUSES,
  UNIT_STATUSES,
  type UnitStatus,
} from './unit-status.ts';

const QUARTER_MS = 900_000;
const FIRST_QUARTER = new Date('2026-03-01T09:00:00.000Z');

export const countTestUnits = statement<{ siteId: string; status: UnitStatus; units: number }>(
  'test_count_units',
  `select site_id as "siteId", status, count(*) as units from unit where shop_id = $1
  group by 1, 2 order by 1, 2`,
);
export const countTestChanges = statement<{ changes: number }>(
  'test_count_changes',
  `select count(*) as changes from unit_status_change where shop_id = $1`,
);
export const corruptTestCounts = statement(
  'test_spoil_counts',
  `update stock_count set units = units + 7 where shop_id = $1`,
);

export const addTestCount = statement(
  'test_add_count',
  `insert into stock_count (shop_id, site_id, status, units) values ($1, $2, 'voided', 1)`,
);

/** Asserts that the maintained figures equal a count of all units. */
async function assertExact(db: Database, shopId: string): Promise<void> {
  const counts = await readStockCounts(db, shopId);
  assert.deepEqual(counts, await db.query(countTestUnits, [shopId]));
  const level = counts
    .filter(({ status }) => IN_STOCK_STATUSES.has(status))
    .reduce((sum, { units }) => sum + units, 0);
  const moved = await readStockMovements(db, shopId, new Date(0));
  assert.equal(
    moved.reduce((sum, { delta }) => sum + delta, 0),
    level,
  );
}

/** Fills the figures from the existing units, as the migration did. */
async function fillAsMigrated(db: Database): Promise<void> {
  const migration = listMigrations().find(({ name }) => name === 'stock_figures');
  const fillings = migration?.text.match(/^insert into [^;]+;/gm) ?? [];
  assert.equal(fillings.length, 2);
  await db.runScript(`truncate stock_count, stock_movement; ${fillings.join(' ')}`);
}

async function write(
  db: Database,
  shop: UnitShop,
  units: readonly UnitChange[],
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => await putUnits(tx, shop, units, now));
}

function cardUnit({ siteId, cardId }: TestStock, more: Partial<UnitChange> = {}): UnitChange {
  return { id: newId(), siteId, item: { kind: 'card', cardId }, ...more };
}

async function makeSite(db: Database, shopId: string): Promise<string> {
  const siteId = newId();
  const site = { code: siteId, name: '倉庫', kind: 'warehouse' as const };
  await db.transaction(async (tx) => {
    await putSite(
      tx,
      shopId,
      siteId,
      { ...site, countryCode: 'JP', timezone: 'Asia/Tokyo' },
      STOCK_MADE_AT,
    );
  });
  return siteId;
}

/**
 * Returns a reproducible generator of integers from 0 to `below` - 1, the linear congruential
 * generator of Numerical Recipes.
 */
function chanceOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

describe('the stock figures (decision 0184)', () => {
  const base = useTestDatabase();

  it('the figures are exact after any writes, including refused and repeated writes and moves', async () => {
    const stock = await seedStock(base.db);
    const sites = [stock.siteId, await makeSite(base.db, stock.shop.id)];
    const chance = chanceOf(7);
    const ids = Array.from({ length: 40 }, () => newId());
    let now = STOCK_MADE_AT;
    let refused = 0;
    for (let turn = 0; turn < 30; turn++) {
      now = new Date(now.getTime() + chance(20) * 60_000);
      const picked = ids.filter(() => chance(3) === 0);
      const units = picked.map((id): UnitChange => {
        const status = UNIT_STATUSES[chance(UNIT_STATUSES.length)];
        const kept = chance(2) === 0 ? {} : { status };
        return { ...cardUnit(stock), id, siteId: sites[chance(2)], ...kept, priceMinor: chance(3) };
      });
      await base.db.transaction(async (tx) => {
        const results = await putUnits(tx, stock.shop, units, now);
        refused += results.filter(({ kind }) => kind === 'forbidden_transition').length;
      });
      if (turn % 10 === 9) await assertExact(base.db, stock.shop.id);
    }
    assert.ok(refused > 0, 'some were refused');
    await fillAsMigrated(base.db);
    await assertExact(base.db, stock.shop.id);
    assert.ok((await readStockCounts(base.db, stock.shop.id)).length > 6);
  });

  it('the figures are exact after concurrent writes of the same units, and after a rollback', async () => {
    const stock = await seedStock(base.db);
    const sites = [stock.siteId, await makeSite(base.db, stock.shop.id)];
    const ids = Array.from({ length: 12 }, () => newId());
    const writers = Array.from({ length: 8 }, async (_, n) => {
      const order = n % 2 === 0 ? ids : ids.toReversed();
      const units = order.map((id, k) =>
        cardUnit(stock, { id, siteId: sites[(n + k) % 2], priceMinor: n }),
      );
      await write(base.db, stock.shop, units, STOCK_MADE_AT);
      await write(base.db, stock.shop, [{ id: ids[n] ?? '', status: 'sold' }], STOCK_MADE_AT);
    });
    let tries = 0;
    const stale = base.db.transaction(async (tx) => {
      await putUnits(
        tx,
        stock.shop,
        [cardUnit(stock), { id: newId(), siteId: stock.siteId }],
        STOCK_MADE_AT,
      );
      tries += 1;
      if (tries < 3) throw new StaleRead('a test runs it again');
    });
    const failing = base.db.transaction(async (tx) => {
      await putUnits(tx, stock.shop, [cardUnit(stock)], STOCK_MADE_AT);
      throw new Error('nothing of it stays');
    });
    await assert.rejects(failing, /nothing of it stays/);
    await Promise.all([...writers, stale]);
    await assertExact(base.db, stock.shop.id);
    const counts = await readStockCounts(base.db, stock.shop.id);
    assert.equal(
      counts.reduce((sum, { units }) => sum + units, 0),
      ids.length + 1,
    );
    assert.equal((await base.db.one(countTestChanges, [stock.shop.id]))?.changes, 8);
  });

  it('movements are stored per quarter of an hour, in UTC, and deleted after 400 days', async () => {
    await using base = await openTestDatabase();
    const stock = await seedStock(base.db);
    const at = (ms: number): Date => new Date(FIRST_QUARTER.getTime() + ms);
    const first = cardUnit(stock);
    await write(base.db, stock.shop, [first, cardUnit(stock)], at(0));
    await write(base.db, stock.shop, [{ id: first.id, status: 'sold' }], at(QUARTER_MS - 1));
    await write(base.db, stock.shop, [cardUnit(stock, { status: 'sold' })], at(QUARTER_MS - 1));
    await write(base.db, stock.shop, [cardUnit(stock, { status: 'grading' })], at(QUARTER_MS));
    const read = async (since: Date): Promise<number[]> =>
      (await readStockMovements(base.db, stock.shop.id, since)).map(({ delta }) => delta);
    assert.deepEqual(await readStockMovements(base.db, stock.shop.id, at(0)), [
      { quarter: at(0), delta: 1 },
      { quarter: at(QUARTER_MS), delta: 1 },
    ]);
    assert.deepEqual(await read(at(QUARTER_MS - 1)), [1, 1]);
    assert.deepEqual(await read(at(QUARTER_MS)), [1]);
    const day = 86_400_000;
    await removeOldMovements(base.db, at(400 * day));
    assert.deepEqual(await read(at(0)), [1, 1], '400 days to the millisecond');
    await removeOldMovements(base.db, at(400 * day + 1));
    assert.deepEqual(await read(at(0)), [1]);
  });

  it('a recount corrects the figures', async () => {
    await using base = await openTestDatabase();
    const stock = await seedStock(base.db);
    await write(base.db, stock.shop, [cardUnit(stock), cardUnit(stock)], STOCK_MADE_AT);
    await base.db.query(corruptTestCounts, [stock.shop.id]);
    await base.db.query(addTestCount, [stock.shop.id, stock.siteId]);
    const recount = async (): Promise<number> =>
      await base.db.transaction(async (tx) => await recountStock(tx, stock.shop.id));
    assert.equal(await recount(), 2, 'one with too many, one of none');
    await assertExact(base.db, stock.shop.id);
    assert.equal(await recount(), 0);
  });
});

describe('the history of a unit (decision 0184)', () => {
  it('the history of a unit contains every change of its status, who made it, and its position in the feed', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const stock = await seedStock(db);
    const unit = cardUnit(stock, { priceMinor: 5, costMinor: 3 });
    await write(db, stock.shop, [unit], STOCK_MADE_AT);
    const later = new Date(STOCK_MADE_AT.getTime() + 1);
    const key: Actor = { kind: 'shop_key', keyId: newId() };
    const set = async (status: UnitStatus, by?: Actor): Promise<void> => {
      const shop = by === undefined ? stock.shop : { ...stock.shop, by };
      await db.transaction(async (tx) => await setUnitStatus(tx, shop, unit.id, status, later));
    };
    await set('reserved', key);
    await set('reserved', key);
    await write(db, stock.shop, [{ id: unit.id, priceMinor: 6 }], later);
    await set('sold', OPERATOR);
    await set('in_stock');
    await write(db, stock.shop, [cardUnit(stock)], later);
    const found = await findStockUnit(db, stock.shop.id, unit.id);
    assert.ok(found !== undefined);
    const { history, firstStatus, head, seq, costMinor, priceMinor } = found;
    assert.deepEqual(
      history.map(({ from, to, by, changedAt }) => [from, to, by.kind, by.id, changedAt]),
      [
        ['sold', 'in_stock', 'service', null, later],
        ['reserved', 'sold', 'operator', null, later],
        ['in_stock', 'reserved', 'shop_key', key.keyId, later],
      ],
    );
    assert.equal(history[0]?.number, seq);
    assert.equal(history[0]?.by.name, null);
    assert.deepEqual(
      { firstStatus, costMinor, priceMinor },
      { firstStatus: 'in_stock', costMinor: 3, priceMinor: 6 },
    );
    const newest = await findStockUnit(db, stock.shop.id, unit.id, 2);
    assert.deepEqual([newest?.history.length, newest?.history.at(-1)?.from], [2, 'reserved']);
    assert.equal(newest?.firstStatus, 'in_stock');
    assert.equal(head.seq, seq + 1);
    const other = await seedStock(db);
    assert.equal(await findStockUnit(db, other.shop.id, unit.id), undefined);
  });
});

describe('the stock movements of a batch', () => {
  const row = (
    siteId: string,
    status: UnitStatus,
  ): { id: string; siteId: string; status: UnitStatus } => {
    return { id: 'u', siteId, status };
  };

  it('the movements are null if no unit changes its site or status', () => {
    assert.equal(stockEffectsOf([]), null);
    assert.equal(stockEffectsOf([{ before: row('a', 'sold'), row: row('a', 'sold') }]), null);
  });

  it('the movements omit counts that increase and decrease equally', () => {
    const moves = stockEffectsOf([
      { before: row('a', 'in_stock'), row: row('b', 'in_stock') },
      { before: row('b', 'in_stock'), row: row('a', 'in_stock') },
    ]);
    assert.deepEqual(moves, { counts: [], inStockDelta: 0, changes: [] });
  });

  it('a movement changes the stock level if and only if exactly one of its two statuses is in stock', () => {
    for (const from of UNIT_STATUSES) {
      for (const to of UNIT_STATUSES.filter(
        (each) => each !== from && canChangeStatus(from, each),
      )) {
        const moves = stockEffectsOf([{ before: row('a', from), row: row('a', to) }]);
        const isIn = (status: UnitStatus): number => (IN_STOCK_STATUSES.has(status) ? 1 : 0);
        assert.equal(moves?.inStockDelta, isIn(to) - isIn(from), `${from} to ${to}`);
        assert.deepEqual(moves.changes, [{ unitId: 'u', position: 1, from, to }]);
      }
    }
  });
});
