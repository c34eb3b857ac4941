import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { newId } from '../base/secrets.ts';
import { isObject } from '../base/field.ts';
import { putPlace, seedCatalog, useShopApi } from '../../test/shop-api.ts';
import { BOOST_FIELDS } from '../boosts/boost-fields.ts';
import { SHOP_GRADE_FIELDS } from '../catalog/shop-grade.ts';
import { LOCATION_FIELDS, SITE_FIELDS } from '../inventory/place-field.ts';
import { UNIT_FIELDS } from '../inventory/unit-fields.ts';
import { shopApiDocument } from './openapi.ts';

const MEMBERS = [
  SITE_FIELDS,
  LOCATION_FIELDS,
  SHOP_GRADE_FIELDS,
  UNIT_FIELDS,
  BOOST_FIELDS,
].flatMap((fields) => Object.keys(fields));
const PATHS = ['sites', 'locations', 'grades', 'units', 'boosts'];

describe('a random body', () => {
  const openShopApi = useShopApi();

  it('a random body gets a documented error code, never 5xx, and never damages existing objects', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId, locationId } = await putPlace(shopApi);
    const unitId = newId();
    const item = { kind: 'card', cardId };
    await shopApi.call('PUT', `/units/${unitId}`, { body: { siteId, locationId, item } });
    const head = await shopApi.head();
    const strange = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('\u0000', '\ud800', '1e400', -0, 1e21, [[]], { kind: 'card' }),
      fc.string({ unit: anyCharacter, maxLength: 30 }),
    );
    const body = fc.oneof(
      fc.dictionary(fc.constantFrom(...MEMBERS), strange, { minKeys: 1, maxKeys: 4 }),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const target = fc.constantFrom(...PATHS);
    await fc.assert(
      fc.asyncProperty(target, body, async (path, sent) => {
        const text = JSON.stringify(sent);
        const answer = await shopApi.call('PUT', `/${path}/${newId()}`, { body: text });
        assert.ok([400, 422].includes(answer.status), `${path} ${text} ${answer.text}`);
        assert.deepEqual(
          [Object.keys(answer.body), answer.body['error']],
          [['error', 'detail'], 'invalid_request'],
        );
        assert.ok(String(answer.body['detail']).length < 300);
      }),
      { numRuns: 250 },
    );
    const lines = fc.array(
      fc.oneof(
        strange.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      {
        maxLength: 20,
      },
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    await fc.assert(
      fc.asyncProperty(lines, async (sent) => {
        const text = sent.join('\n');
        const answer = await shopApi.call('POST', '/units/batch', { body: text, headers });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body['accepted'], 0);
      }),
      { numRuns: 50 },
    );
    assert.equal(await shopApi.head(), head);
  });

  it('a random body gets a status that the OpenAPI document lists for the operation', async () => {
    const shopApi = await openShopApi();
    const { paths } = shopApiDocument('http://127.0.0.1:8080');
    const sent = [
      { body: 'x', headers: { 'content-type': 'application/json' } },
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      { body: '[1]', headers: { 'content-type': 'application/json' } },
    ];
    for (const [path, operations] of entriesOf(paths)) {
      const address = path.replace('{side}', 'front').replaceAll(/\{\w+\}/g, newId);
      for (const [method, operation] of entriesOf(operations)) {
        if (method === 'get') continue;
        const named = entriesOf(operation).find(([name]) => name === 'responses');
        const statuses = entriesOf(named?.[1]).map(([status]) => Number(status));
        for (const load of sent) {
          const { status } = await shopApi.call(method.toUpperCase(), address, load);
          const what = `${method} ${path} ${load.headers['content-type']}: ${status}`;
          assert.ok(statuses.includes(status), what);
        }
      }
    }
  });
});

function entriesOf(value: unknown): [string, unknown][] {
  assert.ok(isObject(value));
  return Object.entries(value);
}
