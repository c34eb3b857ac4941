import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT } from '../../test/stock.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { newId } from '../base/secrets.ts';
import { StockValues } from './stock-value.ts';
import { putUnits } from './unit.ts';

describe('the value of the stock', () => {
  const base = useTestDatabase();

  it('is exact, except that the value of a stock over 100,000 units is kept for a minute', async () => {
    const { shop, siteId, cardId } = await seedStock(base.db);
    const stockValues = new StockValues(base.db);
    const priceAfter = async (units: number, ms: number): Promise<number | undefined> => {
      const at = new Date(STOCK_MADE_AT.getTime() + ms);
      return (await stockValues.read(shop.id, units, at))[0]?.priceMinor;
    };
    const receive = async (): Promise<void> => {
      const unit = {
        id: newId(),
        siteId,
        item: { kind: 'card', cardId },
        priceMinor: 100,
      } as const;
      await base.db.transaction(async (tx) => await putUnits(tx, shop, [unit], STOCK_MADE_AT));
    };
    await receive();
    assert.equal(await priceAfter(100_000, 0), 100);
    assert.equal(await priceAfter(100_001, 0), 100);
    await receive();
    assert.equal(await priceAfter(100_001, 59_999), 100);
    assert.equal(await priceAfter(100_000, 59_999), 200);
    assert.equal(await priceAfter(100_001, 60_000), 200);
  });
});
