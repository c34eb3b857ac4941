import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { readCards, selectCards } from '../catalog/read-entries.ts';
import type { Database } from '../database/database.ts';
import { seedStock } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { boostCardOf } from '../catalog/card.ts';
import { TargetCache } from './target-cache.ts';

describe('the cached targets of boosts (decision 0013)', () => {
  it('targets are read once, used only while the channel is live, and not stored if the cache was cleared during the read', async () => {
    await using base = await openTestDatabase();
    const stock = await seedStock(base.db);
    let asked = 0;
    let meanwhile = (): void => undefined;
    const db: Database = new Proxy(base.db, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'query') return typeof member === 'function' ? member.bind(target) : member;
        const query: Database['query'] = async (statement, values) => {
          if (statement.name === selectCards.name) asked++;
          const rows = await target.query(statement, values);
          meanwhile();
          return rows;
        };
        return query;
      },
    });
    const texts = new TargetCache(1);
    const boost = { id: newId(), cardId: stock.cardId, gradeId: null, productId: null };
    const show = async (isTrusted: boolean, shopId = stock.shop.id): Promise<string> =>
      (await texts.find(db, shopId, [boost, { ...boost, id: newId() }], isTrusted))(boost);
    const card = (await readCards(base.db, [stock.cardId])).get(stock.cardId);
    assert.ok(card);
    const wanted = JSON.stringify({ kind: 'card', card: boostCardOf(card), grade: null });
    assert.deepEqual([await show(false), asked], [wanted, 1]);
    assert.deepEqual([await show(true), asked], [wanted, 2], 'what was read untrusted is not kept');
    assert.deepEqual([await show(true, newId()), asked], [wanted, 2], 'another shop’s is the same');
    assert.deepEqual([await show(false), asked], [wanted, 3]);
    texts.clear();
    meanwhile = () => texts.clear();
    assert.deepEqual([await show(true), asked], [wanted, 4]);
    meanwhile = () => undefined;
    assert.deepEqual([await show(true), asked], [wanted, 5]);
    assert.deepEqual([await show(true), asked], [wanted, 5]);
    const unknown = { ...boost, cardId: newId() };
    await assert.rejects(texts.find(db, stock.shop.id, [unknown], true), /there is no card/);
  });
});
