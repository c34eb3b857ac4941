import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { putLocation } from './location.ts';
import { startNewEpoch } from './feed-epoch.ts';
import { putSite } from './site.ts';
import { setUnitStatus } from './status-change.ts';
import { putUnits } from './unit.ts';

export const selectTestHead = statement<{
  readonly seq: number;
  readonly changedAt: Date;
}>(
  'test_select_head_instant',
  `select seq, changed_at as "changedAt" from feed_head where shop_id = $1`,
);

export const resetTestHead = statement(
  'test_reset_head_instant',
  `update feed_head set changed_at = $2 where shop_id = $1`,
);

const NEWEST = new Date(STOCK_MADE_AT.getTime() + 60_000);
/**
 * The time of a writer that read its clock before the newest writer but commits later, or whose
 * clock is behind.
 */
const BEFORE = new Date(NEWEST.getTime() - 1);
const AFTER = new Date(NEWEST.getTime() + 1);

describe('the time of a shop’s newest change', () => {
  it('the time never goes back when a writer’s clock is behind, and advances with each newer change', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const { shop, siteId, locationId, cardId } = await seedStock(db);
    const unit = { id: newId(), siteId, item: { kind: 'card' as const, cardId } };
    const head = async (): Promise<{ seq: number; changedAt: Date } | undefined> =>
      await db.one(selectTestHead, [shop.id]);
    await db.transaction(async (tx) => await putUnits(tx, shop, [unit], NEWEST));
    assert.deepEqual((await head())?.changedAt, NEWEST);
    const writes: readonly ((tx: Transaction, now: Date) => Promise<unknown>)[] = [
      (tx, now) => putSite(tx, shop.id, siteId, { name: `${now.getTime()}` }, now),
      (tx, now) => putLocation(tx, shop.id, locationId, { name: `${now.getTime()}` }, now),
      (tx, now) => putUnits(tx, shop, [{ ...unit, priceMinor: now === BEFORE ? 1 : 2 }], now),
      (tx, now) => setUnitStatus(tx, shop, unit.id, now === BEFORE ? 'reserved' : 'sold', now),
    ];
    for (const write of writes) {
      const { seq = 0 } = (await head()) ?? {};
      await db.transaction(async (tx) => await write(tx, BEFORE));
      const after = await head();
      assert.ok(after !== undefined && after.seq > seq, 'the write is a change');
      assert.deepEqual(after.changedAt, NEWEST);
    }
    for (const write of writes) {
      await db.query(resetTestHead, [shop.id, NEWEST]);
      await db.transaction(async (tx) => await write(tx, AFTER));
      assert.deepEqual((await head())?.changedAt, AFTER);
    }
    await db.query(resetTestHead, [shop.id, NEWEST]);
    await db.transaction(async (tx) => await startNewEpoch(tx, BEFORE));
    assert.deepEqual((await head())?.changedAt, NEWEST);
    await db.transaction(async (tx) => await startNewEpoch(tx, AFTER));
    assert.deepEqual((await head())?.changedAt, AFTER);
  });
});
