import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { countBoostAnnouncements, putTestBoost, errorOf } from '../../test/shop-api-boosts.ts';
import { seedCatalog, useShopApi } from '../../test/shop-api.ts';

describe('the actions of a boost (decision 0070)', () => {
  const openShopApi = useShopApi();

  it('the actions pause, resume and end a boost, and repeating an action changes and announces nothing', async () => {
    const shopApi = await openShopApi();
    const id = await putTestBoost(shopApi, await seedCatalog(shopApi.db, shopApi.clock));
    for (const [move, status] of [
      ['resume', 'open'],
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'open'],
      ['pause', 'paused'],
      ['end', 'ended'],
      ['end', 'ended'],
    ] as const) {
      const before = await shopApi.call('GET', `/boosts/${id}`);
      shopApi.clock.advance(1);
      const news = await countBoostAnnouncements(shopApi, async () => {
        const answer = await shopApi.call('POST', `/boosts/${id}/${move}`);
        assert.deepEqual([answer.status, answer.body['status']], [200, status]);
      });
      const isChange = before.body['status'] !== status;
      assert.equal(news, isChange ? 1 : 0, move);
      const { updatedAt } = (await shopApi.call('GET', `/boosts/${id}`)).body;
      assert.equal(updatedAt === shopApi.clock.now().toISOString(), isChange, move);
    }
  });

  it('actions are refused on an ended boost (409), and an identical PUT stays 200', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const body = { target: { kind: 'card', cardId: catalog.cardId }, priceMinor: 100 };
    const id = await putTestBoost(shopApi, catalog, { remainingQuantity: 5 });
    const [known, cancelled] = [newId(), newId()];
    const path = `/boosts/${id}/purchases`;
    for (const purchaseId of [known, cancelled]) {
      await shopApi.call('POST', path, { body: { id: purchaseId, quantity: 1 } });
    }
    await shopApi.call('DELETE', `${path}/${cancelled}`);
    const ended = await shopApi.call('POST', `/boosts/${id}/end`);
    const final = [409, 'conflict', 'The boost has ended and cannot be changed.'];
    const news = await countBoostAnnouncements(shopApi, async () => {
      for (const answer of [
        await shopApi.call('POST', `/boosts/${id}/pause`),
        await shopApi.call('POST', `/boosts/${id}/resume`),
        await shopApi.call('PUT', `/boosts/${id}`, { body: { priceMinor: 101 } }),
        await shopApi.call('PUT', `/boosts/${id}`, { body: { remainingQuantity: 5 } }),
        await shopApi.call('POST', path, { body: { id: newId(), quantity: 1 } }),
        await shopApi.call('DELETE', `${path}/${known}`),
      ]) {
        assert.deepEqual(errorOf(answer), final);
      }
      for (const answer of [
        await shopApi.call('PUT', `/boosts/${id}`, { body }),
        await shopApi.call('PUT', `/boosts/${id}`, { body: { ...body, remainingQuantity: 4 } }),
        await shopApi.call('POST', `/boosts/${id}/end`),
        await shopApi.call('POST', path, { body: { id: known, quantity: 1 } }),
        await shopApi.call('DELETE', `${path}/${cancelled}`),
      ]) {
        assert.deepEqual([answer.status, answer.text], [200, ended.text]);
      }
    });
    assert.equal(news, 0);
    assert.equal((await shopApi.call('GET', `/boosts/${id}`)).text, ended.text);
  });

  it('actions return 404 for another shop’s or an unknown boost, and accept no fields in the body', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const id = await putTestBoost(shopApi, catalog, { remainingQuantity: 3 });
    const purchase = { id: newId(), quantity: 1 };
    await shopApi.call('POST', `/boosts/${id}/purchases`, { body: purchase });
    const before = await shopApi.call('GET', `/boosts/${id}`);
    const key = shopApi.otherKey;
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '/pause', undefined],
      ['POST', '/resume', undefined],
      ['POST', '/end', undefined],
      ['POST', '/purchases', purchase],
      ['DELETE', `/purchases/${purchase.id}`, undefined],
    ] as const) {
      const call = body === undefined ? {} : { body };
      for (const [boostId, caller] of [
        [id, { ...call, key }],
        [newId(), call],
        ['x', call],
      ] as const) {
        const answer = await shopApi.call(method, `/boosts/${boostId}${path}`, caller);
        const detail = 'The shop has no boost with this id.';
        assert.deepEqual(errorOf(answer), [404, 'not_found', detail], `${method} ${path}`);
      }
    }
    assert.equal(
      (await shopApi.call('POST', `/boosts/${id}/pause`, { body: { x: 1 } })).status,
      400,
    );
    assert.equal((await shopApi.call('POST', `/boosts/${id}/pause`, { body: [] })).status, 400);
    assert.equal((await shopApi.call('GET', `/boosts/${id}`)).text, before.text);
    assert.equal((await shopApi.call('POST', `/boosts/${id}/pause`, { body: {} })).status, 200);
  });
});
