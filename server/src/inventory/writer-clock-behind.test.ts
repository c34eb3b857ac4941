import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';
import { addPurchase } from '../boosts/purchase.ts';
import { endBoost, pauseBoost } from '../boosts/change-boost-state.ts';
import { putBoost } from '../boosts/put-boost.ts';
import { raiseBoost } from '../boosts/raise-boost.ts';
import type { Transaction } from '../database/database.ts';
import { putLocation } from './location.ts';
import { putSite } from './site.ts';
import { putUnits } from './unit.ts';

/** The time of the node that writes second. Its clock is 7 ms behind that of the first node. */
const EARLIER = new Date(STOCK_MADE_AT.getTime() - 7);

describe('a writer whose clock is behind', () => {
  it('a writer whose clock is behind does not move updatedAt back, but still changes it', async () => {
    await using base = await openTestDatabase();
    const { shop, siteId, locationId, cardId } = await seedStock(base.db);
    const [unitId, boostId] = [newId(), newId()];
    const target = { kind: 'card' as const, cardId };
    const boost = { target, priceMinor: 5, remainingQuantity: 9 };
    await base.db.transaction(async (tx) => {
      await putUnits(tx, shop, [{ id: unitId, siteId, item: target }], STOCK_MADE_AT);
      await putBoost(tx, shop, boostId, boost, STOCK_MADE_AT);
    });
    const boostText = (result: object): object =>
      JSON.parse('boostText' in result ? String(result.boostText) : JSON.stringify(result));
    const writes: readonly ((tx: Transaction) => Promise<object>)[] = [
      async (tx) => {
        const result = await putSite(tx, shop.id, siteId, { name: '支店' }, EARLIER);
        return 'text' in result ? JSON.parse(result.text) : result;
      },
      async (tx) => {
        const result = await putLocation(tx, shop.id, locationId, { name: '棚' }, EARLIER);
        return 'text' in result ? JSON.parse(result.text) : result;
      },
      async (tx) => {
        const change = { id: unitId, status: 'sold' as const };
        const [result] = await putUnits(tx, shop, [change], EARLIER);
        const unit = JSON.parse(
          result !== undefined && 'unitText' in result ? result.unitText : '',
        );
        assert.equal(Date.parse(unit.statusChangedAt) > STOCK_MADE_AT.getTime(), true);
        return unit;
      },
      async (tx) => boostText(await putBoost(tx, shop, boostId, { priceMinor: 6 }, EARLIER)),
      async (tx) =>
        boostText(await addPurchase(tx, shop.id, boostId, { id: newId(), quantity: 1 }, EARLIER)),
      async (tx) => boostText(await pauseBoost(tx, shop.id, boostId, EARLIER)),
      async (tx) => {
        await raiseBoost(tx, shop.id, boostId, { by: 1, shownQuantity: 9 }, EARLIER);
        return boostText(await endBoost(tx, shop.id, boostId, EARLIER));
      },
    ];
    for (const [index, write] of writes.entries()) {
      const shown = await base.db.transaction(write);
      const updatedAt = Date.parse(String(Reflect.get(shown, 'updatedAt')));
      assert.ok(updatedAt > STOCK_MADE_AT.getTime(), `${index}: ${JSON.stringify(shown)}`);
      const boostWrites = Math.max(index - 2, 1);
      assert.ok(updatedAt >= STOCK_MADE_AT.getTime() + boostWrites, `${index}: ${updatedAt}`);
    }
  });
});
