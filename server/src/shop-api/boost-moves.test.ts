import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { countBoostNews, putTestBoost, refusalOf } from '../../test/boost-face.ts';
import { seedCatalog, useShopFace } from '../../test/shop-face.ts';

describe('moves of a boost (decision 0070)', () => {
  const openFace = useShopFace();

  it('pauses, resumes and ends; each again is no change and told to nobody', async () => {
    const face = await openFace();
    const id = await putTestBoost(face, await seedCatalog(face.db, face.clock));
    for (const [move, status] of [
      ['resume', 'open'],
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'open'],
      ['pause', 'paused'],
      ['end', 'ended'],
      ['end', 'ended'],
    ] as const) {
      const before = await face.call('GET', `/boosts/${id}`);
      face.clock.advance(1);
      const news = await countBoostNews(face, async () => {
        const answer = await face.call('POST', `/boosts/${id}/${move}`);
        assert.deepEqual([answer.status, answer.body['status']], [200, status]);
      });
      const isChange = before.body['status'] !== status;
      assert.equal(news, isChange ? 1 : 0, move);
      const { updatedAt } = (await face.call('GET', `/boosts/${id}`)).body;
      assert.equal(updatedAt === face.clock.now().toISOString(), isChange, move);
    }
  });

  it('refuses whatever would change an ended boost (409); an identical PUT stays 200', async () => {
    const face = await openFace();
    const catalog = await seedCatalog(face.db, face.clock);
    const body = { target: { kind: 'card', cardId: catalog.cardId }, priceMinor: 100 };
    const id = await putTestBoost(face, catalog, { remainingQuantity: 5 });
    const [known, cancelled] = [newId(), newId()];
    const path = `/boosts/${id}/purchases`;
    for (const purchaseId of [known, cancelled]) {
      await face.call('POST', path, { body: { id: purchaseId, quantity: 1 } });
    }
    await face.call('DELETE', `${path}/${cancelled}`);
    const ended = await face.call('POST', `/boosts/${id}/end`);
    const final = [409, 'conflict', 'The boost has ended and cannot be changed.'];
    const news = await countBoostNews(face, async () => {
      for (const answer of [
        await face.call('POST', `/boosts/${id}/pause`),
        await face.call('POST', `/boosts/${id}/resume`),
        await face.call('PUT', `/boosts/${id}`, { body: { priceMinor: 101 } }),
        await face.call('PUT', `/boosts/${id}`, { body: { remainingQuantity: 5 } }),
        await face.call('POST', path, { body: { id: newId(), quantity: 1 } }),
        await face.call('DELETE', `${path}/${known}`),
      ]) {
        assert.deepEqual(refusalOf(answer), final);
      }
      for (const answer of [
        await face.call('PUT', `/boosts/${id}`, { body }),
        await face.call('PUT', `/boosts/${id}`, { body: { ...body, remainingQuantity: 4 } }),
        await face.call('POST', `/boosts/${id}/end`),
        await face.call('POST', path, { body: { id: known, quantity: 1 } }),
        await face.call('DELETE', `${path}/${cancelled}`),
      ]) {
        assert.deepEqual([answer.status, answer.text], [200, ended.text]);
      }
    });
    assert.equal(news, 0);
    assert.equal((await face.call('GET', `/boosts/${id}`)).text, ended.text);
  });

  it('knows no boost of another shop, nor one that is not there (404), and takes no members', async () => {
    const face = await openFace();
    const catalog = await seedCatalog(face.db, face.clock);
    const id = await putTestBoost(face, catalog, { remainingQuantity: 3 });
    const purchase = { id: newId(), quantity: 1 };
    await face.call('POST', `/boosts/${id}/purchases`, { body: purchase });
    const before = await face.call('GET', `/boosts/${id}`);
    const key = face.otherKey;
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
        const answer = await face.call(method, `/boosts/${boostId}${path}`, caller);
        const detail = 'The shop has no boost with this id.';
        assert.deepEqual(refusalOf(answer), [404, 'not_found', detail], `${method} ${path}`);
      }
    }
    assert.equal((await face.call('POST', `/boosts/${id}/pause`, { body: { x: 1 } })).status, 400);
    assert.equal((await face.call('POST', `/boosts/${id}/pause`, { body: [] })).status, 400);
    assert.equal((await face.call('GET', `/boosts/${id}`)).text, before.text);
    assert.equal((await face.call('POST', `/boosts/${id}/pause`, { body: {} })).status, 200);
  });
});
