import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase } from '../../../test/test-database.ts';

describe('a search of stock within one card', () => {
  it('finds that card if it matches, and nothing if another does', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const mine = await desk.makeUnit();
    const other = await desk.makeUnit({ item: { kind: 'card', cardId: desk.otherCardId } });
    const shown = async (path: string): Promise<readonly boolean[]> => {
      const { status, text } = await desk.owner.visit(path);
      assert.equal(status, 200);
      return [text.includes(mine), text.includes(other)];
    };
    const [alba, guard] = ['Alba', '月の番人'].map(encodeURIComponent);
    assert.deepEqual(await shown(`/stock?q=${guard}`), [false, true]);
    assert.deepEqual(await shown(`/stock?card=${desk.cardId}`), [true, false]);
    assert.deepEqual(await shown(`/stock?card=${desk.cardId}&q=${alba}`), [true, false]);
    assert.deepEqual(await shown(`/stock?card=${desk.cardId}&q=${guard}`), [false, false]);
    assert.deepEqual(await shown(`/stock?product=${desk.cardId}&q=${alba}`), [false, false]);
  });
});
