import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { listShopKeys, removeShopKey } from '../shops/shop-key.ts';
import { putPlace, seedCatalog, TEST_SITE, startShopApi, useShopApi } from '../../test/shop-api.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { OPERATOR } from '../shops/audit.ts';

describe('the Shop API (decision 0009)', () => {
  const openShopApi = useShopApi();

  it('a request without a key, with another scheme or with an unknown key gets 401', async () => {
    const shopApi = await openShopApi();
    const none = await shopApi.call('GET', '/sites', { key: null });
    assert.equal(none.status, 401);
    assert.equal(none.body['error'], 'invalid_token');
    assert.equal(typeof none.body['detail'], 'string');
    assert.deepEqual(Object.keys(none.body), ['error', 'detail']);
    assert.equal(none.headers.get('www-authenticate'), 'Bearer');
    assert.equal(none.headers.get('cache-control'), 'no-store');
    assert.ok(none.headers.get('x-request-id'));
    const unknown = await shopApi.call('GET', '/sites', { key: `csk_${'a'.repeat(43)}` });
    assert.equal(unknown.status, 401);
    assert.equal(unknown.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    const basic = { authorization: `Basic ${shopApi.key}` };
    assert.equal((await shopApi.call('GET', '/sites', { key: null, headers: basic })).status, 401);
    const lower = { authorization: `bearer ${shopApi.key}` };
    assert.equal((await shopApi.call('GET', '/sites', { key: null, headers: lower })).status, 200);
    const id = newId();
    const write = await shopApi.call('PUT', `/sites/${id}`, { key: null, body: TEST_SITE });
    assert.equal(write.status, 401);
    assert.equal((await shopApi.call('GET', `/sites/${id}`)).status, 404);
  });

  it('a key is refused as soon as it is removed', async () => {
    const shopApi = await openShopApi();
    assert.equal((await shopApi.call('GET', '/sites')).status, 200);
    await shopApi.db.transaction(async (tx) => {
      for (const { id } of await listShopKeys(tx, shopApi.shop.id)) {
        assert.equal(await removeShopKey(tx, shopApi.shop.id, id, new Date(), OPERATOR), true);
      }
    });
    const id = newId();
    assert.equal((await shopApi.call('PUT', `/sites/${id}`, { body: TEST_SITE })).status, 401);
    assert.equal(await shopApi.head(), 0);
    assert.equal((await shopApi.call('GET', '/sites', { key: shopApi.otherKey })).status, 200);
  });

  it('requests get 503 with Retry-After during a database outage', async () => {
    await using base = await openTestDatabase();
    await using shopApi = await startShopApi(base);
    await shopApi.db.close();
    const headers = { 'content-type': 'application/x-ndjson' };
    for (const answer of [
      await shopApi.call('GET', '/sites'),
      await shopApi.call('PUT', `/sites/${newId()}`, { body: TEST_SITE }),
      await shopApi.call('POST', '/units/batch', { body: '{}', headers }),
    ]) {
      assert.deepEqual([answer.status, answer.body['error']], [503, 'temporarily_unavailable']);
      assert.match(String(answer.body['detail']), /can be repeated/);
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
    }
  });

  it('the number of wrong keys per address is limited (429), but valid keys from it are still accepted', async () => {
    await using base = await openTestDatabase();
    const limits = {
      failures: { perMinute: 60, burst: 3 },
      shop: { perMinute: 60, burst: 5 },
    };
    await using shopApi = await startShopApi(base, limits);
    const bad = { key: `csk_${'b'.repeat(43)}` };
    for (let n = 0; n < 3; n++) {
      assert.equal((await shopApi.call('GET', '/sites', bad)).status, 401);
    }
    const fourth = await shopApi.call('GET', '/sites', bad);
    assert.equal(fourth.status, 429);
    assert.equal(fourth.body['error'], 'rate_limited');
    assert.equal(fourth.headers.get('retry-after'), '1');
    for (let n = 0; n < 5; n++) {
      const good = await shopApi.call('GET', '/sites');
      assert.equal(good.status, 200);
      assert.equal(good.headers.get('ratelimit'), `"shop-burst";r=${4 - n};t=${n + 1}`);
      assert.ok(good.headers.get('ratelimit-policy')?.includes('q=60;w=60'));
    }
    const id = newId();
    const refused = await shopApi.call('PUT', `/sites/${id}`, { body: TEST_SITE });
    assert.equal(refused.status, 429);
    assert.ok(refused.headers.get('ratelimit-policy'));
    assert.equal((await shopApi.call('GET', '/sites', { key: shopApi.otherKey })).status, 200);
    shopApi.clock.advance(1_000);
    assert.equal((await shopApi.call('GET', `/sites/${id}`)).status, 404);
  });

  it('404, 405 with Allow, 413 and 415 have the error body of the Shop API', async () => {
    const shopApi = await openShopApi();
    const nowhere = await shopApi.call('GET', '/nowhere');
    assert.deepEqual([nowhere.status, nowhere.body['error']], [404, 'not_found']);
    assert.equal(typeof nowhere.body['detail'], 'string');
    const id = newId();
    const gone = await shopApi.call('DELETE', `/sites/${id}`);
    assert.deepEqual([gone.status, gone.body['error']], [405, 'method_not_allowed']);
    assert.equal(gone.headers.get('allow'), 'GET, HEAD, PUT');
    const batch = await shopApi.call('PUT', '/units/batch', { body: {} });
    assert.deepEqual([batch.status, batch.body['error']], [404, 'not_found']);
    const text = { body: JSON.stringify(TEST_SITE), headers: { 'content-type': 'text/plain' } };
    const wrongType = await shopApi.call('PUT', `/sites/${id}`, text);
    assert.deepEqual([wrongType.status, wrongType.body['error']], [415, 'unsupported_media_type']);
    assert.equal((await shopApi.call('GET', `/sites/${id}`)).status, 404);
  });

  it('a body of 16,384 bytes is accepted, and one of 16,385 is refused (413)', async () => {
    const shopApi = await openShopApi();
    const id = newId();
    const json = JSON.stringify(TEST_SITE);
    const fits = `${json}${' '.repeat(16_384 - Buffer.byteLength(json))}`;
    const over = await shopApi.call('PUT', `/sites/${id}`, { body: `${fits} ` });
    assert.deepEqual([over.status, over.body['error']], [413, 'payload_too_large']);
    assert.equal((await shopApi.call('GET', `/sites/${id}`)).status, 404);
    assert.equal((await shopApi.call('PUT', `/sites/${id}`, { body: fits })).status, 201);
  });

  it('an id in the path that is not a uuid gets 404, and a uuid may be in upper or lower case', async () => {
    const shopApi = await openShopApi();
    const upper = newId().toUpperCase();
    assert.equal((await shopApi.call('PUT', `/sites/${upper}`, { body: TEST_SITE })).status, 201);
    assert.equal((await shopApi.call('GET', `/sites/${upper.toLowerCase()}`)).status, 200);
    for (const id of ['x', '1', `${upper}0`, '%00', upper.replaceAll('-', '')]) {
      assert.equal(
        (await shopApi.call('PUT', `/sites/${id}`, { body: TEST_SITE })).status,
        404,
        id,
      );
      assert.equal((await shopApi.call('GET', `/sites/${id}`)).status, 404, id);
    }
  });

  it('a body that is not a JSON object is refused', async () => {
    const shopApi = await openShopApi();
    const id = newId();
    const bodies = ['', 'null', '[]', '"x"', '1', '{', '{"code":"a"', '\ufeff{}', '{"a":1}x'];
    for (const body of bodies) {
      const answer = await shopApi.call('PUT', `/sites/${id}`, { body });
      assert.deepEqual([answer.status, answer.body['error']], [400, 'invalid_request'], body);
    }
    const latin = Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]);
    assert.equal((await shopApi.call('PUT', `/sites/${id}`, { body: latin })).status, 400);
    assert.equal((await shopApi.call('GET', `/sites/${id}`)).status, 404);
  });

  it('a member that a body has twice is named and refused by every call, and nothing is written', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId, locationId } = await putPlace(shopApi);
    const id = newId();
    const unit = { siteId, locationId, item: { kind: 'card', cardId }, priceMinor: 1 };
    assert.equal((await shopApi.call('PUT', `/units/${id}`, { body: unit })).status, 201);
    const head = await shopApi.head();
    const item = `"item":{"kind":"card","cardId":"${cardId}","\\u0063ardId":"${newId()}"}`;
    for (const [method, path, body, name] of [
      ['PUT', `/units/${id}`, '{"priceMinor":1,"priceMinor":99}', 'priceMinor'],
      ['PUT', `/units/${id}`, `{"siteId":"${siteId}",${item}}`, 'cardId'],
      ['PUT', `/sites/${siteId}`, '{"name":"A","n\\u0061me" : "B"}', 'name'],
      ['PUT', `/locations/${locationId}`, '{"name":"A","name":"A"}', 'name'],
      ['PUT', `/grades/${newId()}`, '{"name":"A","name":"A"}', 'name'],
      ['PUT', `/boosts/${newId()}`, '{"priceMinor":1,"priceMinor":2}', 'priceMinor'],
      ['POST', `/units/${id}/status`, '{"status":"sold","status":"reserved"}', 'status'],
      ['POST', `/boosts/${newId()}/purchases`, '{"quantity":1,"quantity":2}', 'quantity'],
    ] as const) {
      const answer = await shopApi.call(method, path, { body });
      const detail = `The body has the member "${name}" twice in an object.`;
      assert.deepEqual(
        [answer.status, answer.body],
        [400, { error: 'invalid_request', detail }],
        `${path} ${body}`,
      );
    }
    assert.equal(await shopApi.head(), head);
  });

  it('objects are listed by id, page by page', async () => {
    const shopApi = await openShopApi();
    const ids = Array.from({ length: 5 }, () => newId()).toSorted();
    for (const id of ids.toReversed()) {
      await shopApi.call('PUT', `/sites/${id}`, { body: TEST_SITE });
    }
    await shopApi.call('PUT', `/sites/${newId()}`, { body: TEST_SITE, key: shopApi.otherKey });
    const seen: unknown[] = [];
    let cursor: unknown = null;
    for (let page = 0; page < 3; page++) {
      const query: string = typeof cursor === 'string' ? `&cursor=${cursor}` : '';
      const { body } = await shopApi.call('GET', `/sites?limit=2${query}`);
      const sites = body['sites'] as readonly { id: string }[];
      seen.push(...sites.map((site) => site.id));
      cursor = body['nextCursor'];
      assert.equal(body['hasMore'], page < 2);
      assert.equal(cursor === null, page === 2);
    }
    assert.deepEqual(seen, ids);
    const all = await shopApi.call('GET', '/sites');
    assert.equal((all.body['sites'] as readonly unknown[]).length, 5);
  });

  it('a limit from 1 to 1,000 is accepted, and an invented or repeated cursor is refused', async () => {
    const shopApi = await openShopApi();
    for (const query of ['limit=1', 'limit=1000', 'unknown=1', '']) {
      assert.equal((await shopApi.call('GET', `/units?${query}`)).status, 200, query);
    }
    const bad = [
      'limit=0',
      'limit=1001',
      'limit=0x10',
      'limit=',
      'limit=1.0',
      'limit=-1',
      'limit=01',
    ];
    bad.push('limit=1&limit=1', 'cursor=', 'cursor=x', `cursor=${'A'.repeat(23)}`, 'cursor=%00');
    bad.push(`cursor=${'A'.repeat(21)}B`, `cursor=${'A'.repeat(22)}&cursor=${'A'.repeat(22)}`);
    for (const query of bad) {
      const answer = await shopApi.call('GET', `/units?${query}`);
      assert.deepEqual([answer.status, answer.body['error']], [400, 'invalid_request'], query);
    }
  });

  it('the same id is a different object in each shop, and another shop’s objects are 404', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId, locationId } = await putPlace(shopApi);
    const unitId = newId();
    const unit = { siteId, item: { kind: 'card', cardId: catalog.cardId }, priceMinor: 100 };
    assert.equal((await shopApi.call('PUT', `/units/${unitId}`, { body: unit })).status, 201);
    const before = await shopApi.call('GET', `/units/${unitId}`);
    const head = await shopApi.head();
    const key = shopApi.otherKey;
    for (const path of [`/sites/${siteId}`, `/locations/${locationId}`, `/units/${unitId}`]) {
      assert.equal((await shopApi.call('GET', path, { key })).status, 404, path);
    }
    const sold = { key, body: { status: 'sold' } };
    const status = await shopApi.call('POST', `/units/${unitId}/status`, sold);
    assert.deepEqual([status.status, status.body['error']], [404, 'not_found']);
    const stolen = await shopApi.call('PUT', `/units/${unitId}`, { key, body: { priceMinor: 1 } });
    assert.equal(stolen.status, 400, 'a new unit of the other shop needs its members');
    const foreignSite = await shopApi.call('PUT', `/units/${unitId}`, { key, body: unit });
    assert.equal(foreignSite.status, 422, 'the site is the first shop’s');
    const renamed = await shopApi.call('PUT', `/sites/${siteId}`, {
      key,
      body: { ...TEST_SITE, name: 'x' },
    });
    assert.equal(renamed.status, 201, 'the same uuid in another shop is another site');
    assert.equal((await shopApi.call('GET', `/units/${unitId}`)).text, before.text);
    assert.equal((await shopApi.call('GET', `/sites/${siteId}`)).body['name'], TEST_SITE.name);
    assert.equal(await shopApi.head(), head);
  });

  it('a request is checked in this order: route, key, rate, body, members, object', async () => {
    await using base = await openTestDatabase();
    const limits = { failures: { perMinute: 60, burst: 60 }, shop: { perMinute: 60, burst: 4 } };
    await using shopApi = await startShopApi(base, limits);
    const path = `/sites/${newId()}`;
    const large = 'x'.repeat(20_000);
    const calls: readonly (readonly [string, string, object, number])[] = [
      ['PUT', '/nowhere', { key: null, body: large }, 404],
      ['DELETE', path, { key: null, body: large }, 405],
      ['PUT', path, { key: null, body: large }, 401],
      ['PUT', path, { key: null, body: '{' }, 401],
      ['PUT', path, { body: large, headers: { 'content-type': 'text/plain' } }, 413],
      ['PUT', '/sites/x', { body: '{' }, 400],
      ['PUT', '/sites/x', { body: { color: 'red' } }, 404],
      ['PUT', path, { body: { color: 'red' } }, 400],
      ['PUT', path, { body: large, headers: { 'content-type': 'text/plain' } }, 429],
      ['PUT', '/sites/x', { body: '{' }, 429],
      ['PUT', path, { key: null, body: TEST_SITE }, 401],
      ['GET', '/nowhere', {}, 404],
    ];
    for (const [method, target, call, status] of calls) {
      const answer = await shopApi.call(method, target, call);
      assert.equal(answer.status, status, `${method} ${target} ${answer.text}`);
      assert.deepEqual(Object.keys(answer.body), ['error', 'detail']);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
    shopApi.clock.advance(1_000);
    assert.equal((await shopApi.call('GET', path)).status, 404);
  });

  it('the OpenAPI 3.1 document can be read without a key', async () => {
    const shopApi = await openShopApi();
    const response = await fetch(`http://127.0.0.1:${shopApi.port}/openapi/shop-v1.json`);
    assert.equal(response.status, 200);
    const document = (await response.json()) as { openapi: string; paths: object };
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(Object.keys(document.paths), [
      '/sites',
      '/sites/{id}',
      '/locations',
      '/locations/{id}',
      '/grades',
      '/grades/{id}',
      '/units',
      '/units/{id}',
      '/units/batch',
      '/units/{id}/status',
      '/units/{id}/photos/{side}',
      '/boosts',
      '/boosts/{id}',
      '/boosts/{id}/pause',
      '/boosts/{id}/resume',
      '/boosts/{id}/end',
      '/boosts/{id}/purchases',
      '/boosts/{id}/purchases/{purchaseId}',
      '/connections',
      '/connections/{id}',
      '/connections/{id}/attempts',
      '/connections/{id}/notice',
    ]);
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"#\/components\/(?:schemas|headers)\/([\w-]+)"/g)) {
      assert.ok(text.includes(`"${name}":{`), name);
    }
    const operations = Object.values(document.paths).flatMap((path: object) =>
      Object.values(path).map((operation) => JSON.stringify(operation)),
    );
    for (const operation of operations) {
      assert.match(operation, /"500":\{"description":"The service failed/);
      assert.match(operation, /"429":\{[^}]*"headers":\{.*"RateLimit-Policy".*"Retry-After"/);
    }
  });
});
