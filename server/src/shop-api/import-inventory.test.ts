import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImportResult } from '../import/import-report.ts';
import { readNdjson } from '../import/ndjson.ts';
import { newId } from '../base/secrets.ts';
import { seedCatalog, type TestShopApi, TEST_SITE, useShopApi } from '../../test/shop-api.ts';
import { OPERATOR } from '../shops/audit.ts';
import { importInventory, type InventoryProgress } from './import-inventory.ts';

async function importLines(
  shopApi: TestShopApi,
  lines: readonly (object | string)[],
  onProgress?: (progress: InventoryProgress) => void,
): Promise<ImportResult> {
  const text = lines
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const { clock } = shopApi;
  const shop = { ...shopApi.shop, by: OPERATOR };
  return await importInventory(shopApi.db, shop, readNdjson(bytes()), { clock, onProgress });
}

describe('inventory import (decision 0009)', () => {
  const openShopApi = useShopApi();

  it('an import writes sites, locations, grades and units in order, and repeating it writes nothing', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const [siteId, locationId, gradeId] = [newId(), newId(), newId()];
    const shelf = { siteId, code: 'A', name: '棚', kind: 'shelf' };
    const grade = { code: 'A', label: '美品', serviceCode: 'shop', serviceName: '当店' };
    const item = { kind: 'card', cardId, gradeId };
    const units = Array.from({ length: 1_200 }, () => ({
      kind: 'unit',
      id: newId(),
      data: { siteId, locationId, item },
    }));
    const lines = [
      { kind: 'site', id: siteId, data: TEST_SITE },
      { kind: 'location', id: locationId, data: shelf },
      { kind: 'grade', id: gradeId, data: grade },
      ...units,
      { kind: 'site', id: siteId, data: { name: '新本店' } },
    ];
    const progress: InventoryProgress[] = [];
    const result = await importLines(shopApi, lines, (each) => progress.push(each));
    assert.deepEqual(result, { accepted: lines.length, rejected: [], rejectedCount: 0 });
    assert.deepEqual(progress.at(-1), { lines: 1_204, accepted: 1_204, rejectedCount: 0 });
    assert.ok(progress.length > 1);
    assert.equal((await shopApi.call('GET', `/sites/${siteId}`)).body['name'], '新本店');
    const last = await shopApi.call('GET', `/units/${units.at(-1)?.id}`);
    assert.equal((last.body['item'] as { grade: { id: string } }).grade.id, gradeId);
    const head = await shopApi.head();
    const again = await importLines(shopApi, lines.slice(1, -1));
    assert.deepEqual(again, { accepted: lines.length - 2, rejected: [], rejectedCount: 0 });
    assert.equal(await shopApi.head(), head);
  });

  it('an import reports invalid lines with number, code and message, and writes the valid ones', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const [siteId, unitId] = [newId(), newId()];
    const item = { kind: 'card', cardId };
    const result = await importLines(shopApi, [
      { kind: 'site', id: siteId, data: TEST_SITE },
      '{',
      { kind: 'shelf', id: newId(), data: {} },
      { kind: 'site', id: 'x', data: TEST_SITE },
      { kind: 'site', id: newId(), data: [] },
      { kind: 'site', id: newId() },
      { kind: 'site', id: newId(), data: { ...TEST_SITE, kind: 'moon' } },
      { kind: 'unit', id: newId(), data: { siteId: newId(), item } },
      { kind: 'unit', id: unitId, data: { siteId, item, status: 'returned' } },
      { kind: 'unit', id: unitId, data: { status: 'in_stock' } },
      { kind: 'unit', id: unitId, data: { id: newId() } },
      { kind: 'unit', id: unitId, data: { note: 'x' } },
      { kind: 'unit', id: unitId, data: {}, shop: 'x' },
    ]);
    assert.equal(result.accepted, 2);
    const rejected = result.rejected.map((each) => `${each.line} ${each.error}: ${each.detail}`);
    const expected = [
      /^2 invalid_request: The line is not valid JSON\.$/,
      /^3 invalid_request: kind must be one of site, location, grade, unit, boost\.$/,
      /^4 invalid_request: id must be a UUID\.$/,
      /^5 invalid_request: data must be a JSON object\.$/,
      /^6 invalid_request: The line must contain data\.$/,
      /^7 invalid_request: kind must be one of store/,
      /^8 invalid_request: siteId: /,
      /^10 conflict: The status of a unit cannot change from returned to in_stock\.$/,
      /^11 invalid_request: "id" is not a known field of data\.$/,
      /^12 invalid_request: "note" is not a known field\.$/,
      /^13 invalid_request: "shop" is not a known field\.$/,
    ];
    assert.equal(rejected.length, expected.length, rejected.join('\n'));
    for (const [index, pattern] of expected.entries()) assert.match(rejected[index] ?? '', pattern);
    assert.equal((await shopApi.call('GET', `/units/${unitId}`)).body['status'], 'returned');
    const other = await shopApi.call('GET', `/units/${unitId}`, { key: shopApi.otherKey });
    assert.equal(other.status, 404);
  });
});
