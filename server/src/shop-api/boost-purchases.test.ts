import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { statement } from '../database/statement.ts';
import { countBoostAnnouncements, putTestBoost, errorOf } from '../../test/shop-api-boosts.ts';
import {
  SHOP_API_NOW,
  type ShopApiResponse,
  seedCatalog,
  type TestShopApi,
  useShopApi,
} from '../../test/shop-api.ts';

const NOW = SHOP_API_NOW.toISOString();

export const countTestPurchases = statement<{ count: number }>(
  'test_count_purchases',
  `select count(*)::int as count from boost_purchase where shop_id = $1`,
);

async function remainingOf(shopApi: TestShopApi, id: string): Promise<unknown> {
  return (await shopApi.call('GET', `/boosts/${id}`)).body['remainingQuantity'];
}

describe('purchases on a boost (decision 0070)', () => {
  const openShopApi = useShopApi();

  it('purchases reduce the remaining quantity once per id, however often and concurrently they are sent', async () => {
    const shopApi = await openShopApi();
    const id = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock), {
      remainingQuantity: 9,
    });
    const path = `/boosts/${id}/purchases`;
    const body = { id: newId(), quantity: 2 };
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await shopApi.call('POST', path, { body })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((x, y) => x - y);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
    for (const answer of answers) assert.equal(answer.body['remainingQuantity'], 7);
    const other = await shopApi.call('POST', path, { body: { ...body, quantity: 3 } });
    const detail = 'This purchase was already recorded with the quantity 2.';
    assert.deepEqual(errorOf(other), [409, 'conflict', detail]);
    assert.equal(await remainingOf(shopApi, id), 7);
    const upper = { id: body.id.toUpperCase(), quantity: 2 };
    assert.equal((await shopApi.call('POST', path, { body: upper })).status, 200);
    assert.equal((await shopApi.db.one(countTestPurchases, [shopApi.shop.id]))?.count, 1);
  });

  it('purchases beyond the remaining quantity are refused, and the quantity stays unchanged', async () => {
    const shopApi = await openShopApi();
    const id = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock), {
      remainingQuantity: 3,
    });
    const path = `/boosts/${id}/purchases`;
    const buy = async (quantity: number): Promise<ShopApiResponse> =>
      await shopApi.call('POST', path, { body: { id: newId(), quantity } });
    const before = await shopApi.call('GET', `/boosts/${id}`);
    shopApi.clock.advance(1);
    const detail = 'The boost has 3 left, fewer than 4.';
    assert.deepEqual(errorOf(await buy(4)), [409, 'conflict', detail]);
    assert.equal((await shopApi.call('GET', `/boosts/${id}`)).text, before.text);
    const last = await buy(3);
    assert.deepEqual(
      [last.status, last.body['status'], last.body['remainingQuantity']],
      [201, 'filled', 0],
    );
    assert.equal(last.body['updatedAt'], shopApi.clock.now().toISOString());
    assert.equal((await buy(1)).status, 409);
    const raised = await shopApi.call('PUT', `/boosts/${id}`, { body: { remainingQuantity: 1 } });
    assert.equal(raised.body['status'], 'open', 'the shop raises it');
    const [one, two] = await Promise.all([buy(1), buy(1)]);
    assert.deepEqual(new Set([one.status, two.status]), new Set([201, 409]));
    assert.equal((await shopApi.db.one(countTestPurchases, [shopApi.shop.id]))?.count, 2);
  });

  it('purchases and their cancellation do not change a boost without a limit', async () => {
    const shopApi = await openShopApi();
    const id = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock));
    const path = `/boosts/${id}/purchases`;
    const before = await shopApi.call('GET', `/boosts/${id}`);
    const [early, late] = [newId(), newId()];
    shopApi.clock.advance(1);
    const news = await countBoostAnnouncements(shopApi, async () => {
      const bought = await shopApi.call('POST', path, { body: { id: early, quantity: 1_000_000 } });
      assert.deepEqual([bought.status, bought.text], [201, before.text]);
    });
    assert.equal(news, 0, 'the boost is as it was');
    await shopApi.call('PUT', `/boosts/${id}`, { body: { remainingQuantity: 5 } });
    await shopApi.call('POST', path, { body: { id: late, quantity: 2 } });
    await shopApi.call('DELETE', `${path}/${early}`);
    assert.equal(await remainingOf(shopApi, id), 3, 'it was bought before there was a limit');
    await shopApi.call('PUT', `/boosts/${id}`, { body: { remainingQuantity: null } });
    await shopApi.call('DELETE', `${path}/${late}`);
    assert.equal(await remainingOf(shopApi, id), null);
  });

  it('a purchase is cancelled once, which restores the quantity, and its id cannot be used again', async () => {
    const shopApi = await openShopApi();
    const id = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock), {
      remainingQuantity: 4,
    });
    const path = `/boosts/${id}/purchases`;
    const body = { id: newId(), quantity: 4 };
    assert.equal((await shopApi.call('POST', path, { body })).body['status'], 'filled');
    shopApi.clock.advance(10);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await shopApi.call('DELETE', `${path}/${body.id}`)),
    );
    for (const { status, body: boost } of answers) {
      const updatedAt = shopApi.clock.now().toISOString();
      assert.deepEqual(
        [status, boost['remainingQuantity'], boost['status'], boost['updatedAt']],
        [200, 4, 'open', updatedAt],
      );
    }
    const detail = 'This purchase was cancelled. Use a new id for a new purchase.';
    const late = await shopApi.call('POST', path, { body });
    assert.deepEqual(errorOf(late), [409, 'conflict', detail]);
    assert.equal(await remainingOf(shopApi, id), 4);
    for (const purchaseId of [newId(), 'x']) {
      const unknown = await shopApi.call('DELETE', `${path}/${purchaseId}`);
      assert.deepEqual([unknown.status, unknown.body['error']], [404, 'not_found']);
      assert.match(String(unknown.body['detail']), /purchase with this id\.$/);
    }
  });

  it('purchases are accepted while the boost is scheduled, paused or expired', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    for (const [members, move, status] of [
      [{ startsAt: '2026-06-02T00:00:00Z' }, null, 'scheduled'],
      [{}, 'pause', 'paused'],
      [{ endsAt: NOW }, null, 'expired'],
    ] as const) {
      const id = await putTestBoost(shopApi, catalog, { remainingQuantity: 2, ...members });
      if (move !== null) await shopApi.call('POST', `/boosts/${id}/${move}`);
      const body = { id: newId(), quantity: 2 };
      const answer = await shopApi.call('POST', `/boosts/${id}/purchases`, { body });
      assert.deepEqual(
        [answer.status, answer.body['status'], answer.body['remainingQuantity']],
        [201, status, 0],
      );
      const cancelled = await shopApi.call('DELETE', `/boosts/${id}/purchases/${body.id}`);
      assert.deepEqual([cancelled.status, cancelled.body['remainingQuantity']], [200, 2]);
    }
  });

  it('purchases can be read by id and page by page', async () => {
    const shopApi = await openShopApi();
    const id = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock), {
      remainingQuantity: 9,
    });
    const other = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock));
    const path = `/boosts/${id}/purchases`;
    const nothing = { purchases: [], nextCursor: null, hasMore: false };
    assert.deepEqual((await shopApi.call('GET', path)).body, nothing);
    const bought = [newId(), newId(), newId()].toSorted();
    for (const [index, purchaseId] of bought.entries()) {
      await shopApi.call('POST', path, { body: { id: purchaseId, quantity: index + 1 } });
    }
    shopApi.clock.advance(1);
    await shopApi.call('DELETE', `${path}/${bought[1]}`);
    const cancelledAt = shopApi.clock.now().toISOString();
    const expected = bought.map((purchaseId, index) => ({
      id: purchaseId,
      quantity: index + 1,
      createdAt: NOW,
      cancelledAt: index === 1 ? cancelledAt : null,
    }));
    const boost = await shopApi.call('GET', `/boosts/${id}`);
    for (const each of expected) {
      const shown = await shopApi.call('GET', `${path}/${each.id.toUpperCase()}`);
      assert.deepEqual([shown.status, shown.body], [200, each]);
    }
    const first = await shopApi.call('GET', `${path}?limit=2`);
    assert.deepEqual(first.body['purchases'], expected.slice(0, 2));
    assert.equal(first.body['hasMore'], true);
    const cursor = String(first.body['nextCursor']);
    const last = await shopApi.call('GET', `${path}?limit=2&cursor=${cursor}`);
    assert.deepEqual(last.body, { ...nothing, purchases: expected.slice(2) });
    assert.equal((await shopApi.call('GET', `${path}?limit=0`)).status, 400);
    assert.equal((await shopApi.call('GET', `${path}?cursor=x`)).status, 400);

    const unknown = 'The boost has no purchase with this id.';
    const missing = 'The shop has no boost with this id.';
    for (const [address, detail] of [
      [`${path}/${newId()}`, unknown],
      [`${path}/x`, 'The shop has no purchase with this id.'],
      [`/boosts/${other}/purchases/${bought[0]}`, unknown],
      [`/boosts/${newId()}/purchases/${bought[0]}`, missing],
      [`/boosts/${newId()}/purchases`, missing],
    ] as const) {
      const answer = await shopApi.call('GET', address);
      assert.deepEqual(errorOf(answer), [404, 'not_found', detail]);
    }
    for (const address of [path, `${path}/${bought[0]}`]) {
      const foreign = await shopApi.call('GET', address, { key: shopApi.otherKey });
      assert.deepEqual(errorOf(foreign), [404, 'not_found', missing]);
    }
    assert.equal(
      (await shopApi.call('GET', `/boosts/${id}`)).text,
      boost.text,
      'reading moves none',
    );
  });

  it('a purchase must have an id and a quantity from 1 to 1,000,000', async () => {
    const shopApi = await openShopApi();
    const id = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock));
    for (const [members, detail] of [
      [{ quantity: 0 }, /^quantity must be a whole number from 1 to 1000000\.$/],
      [{ quantity: 1_000_001 }, /^quantity/],
      [{ quantity: 1.5 }, /^quantity/],
      [{ quantity: null }, /^quantity/],
      [{ id: 'x' }, /^id must be a UUID\.$/],
      [{ price: 1 }, /^"price" is not a known field\.$/],
    ] as const) {
      const body = { id: newId(), quantity: 1, ...members };
      const answer = await shopApi.call('POST', `/boosts/${id}/purchases`, { body });
      assert.equal(answer.status, 400, answer.text);
      assert.match(String(answer.body['detail']), detail);
    }
    for (const body of [{ id: newId() }, { quantity: 1 }, [], '']) {
      const answer = await shopApi.call('POST', `/boosts/${id}/purchases`, { body });
      assert.equal(answer.status, 400);
    }
    assert.equal((await shopApi.db.one(countTestPurchases, [shopApi.shop.id]))?.count, 0);
  });
});
