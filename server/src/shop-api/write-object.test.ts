import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import {
  putPlace,
  seedCatalog,
  type TestShopApi,
  TEST_SITE,
  useShopApi,
} from '../../test/shop-api.ts';

const NOW = '2026-06-01T12:00:00.000Z';
const GRADE = { code: 'A-', label: '美品', serviceCode: 'shop', serviceName: '当店基準' };

/**
 * Sends each bad property together with good ones. Each request must be refused and write nothing.
 */
async function refuseEach(
  shopApi: TestShopApi,
  path: string,
  good: object,
  bad: readonly (readonly [object, RegExp, number?])[],
): Promise<void> {
  const head = await shopApi.head();
  const id = newId();
  for (const [members, detail, status = 400] of bad) {
    const body = { ...good, ...members };
    const answer = await shopApi.call('PUT', `/${path}/${id}`, { body });
    const shown = JSON.stringify(members).slice(0, 80);
    assert.equal(answer.status, status, `${shown} ${answer.text}`);
    assert.equal(answer.body['error'], 'invalid_request', shown);
    assert.match(String(answer.body['detail']), detail);
  }
  assert.equal((await shopApi.call('GET', `/${path}/${id}`)).status, 404);
  assert.equal(await shopApi.head(), head);
}

describe('PUT /sites/{id} and /locations/{id}', () => {
  const openShopApi = useShopApi();

  it('a new site gets 201 and is returned as in the Partner API (2.4), and a repeated PUT gets 200', async () => {
    const shopApi = await openShopApi();
    const id = newId();
    const created = await shopApi.call('PUT', `/sites/${id}`, { body: TEST_SITE });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get('content-type'), 'application/json; charset=utf-8');
    const site = {
      id,
      ...TEST_SITE,
      isActive: true,
      createdAt: NOW,
      updatedAt: NOW,
      locations: [],
    };
    assert.deepEqual(created.body, site);
    assert.equal((await shopApi.call('GET', `/sites/${id}`)).text, created.text);

    const head = await shopApi.head();
    shopApi.clock.advance(1_000);
    const same = await shopApi.call('PUT', `/sites/${id}`, { body: TEST_SITE });
    assert.deepEqual([same.status, same.text], [200, created.text]);
    assert.equal(await shopApi.head(), head, 'an identical write stamps nothing');

    const changed = await shopApi.call('PUT', `/sites/${id}`, { body: { isActive: false } });
    assert.equal(changed.status, 200);
    const updatedAt = '2026-06-01T12:00:01.000Z';
    assert.deepEqual(changed.body, { ...site, isActive: false, updatedAt });
    assert.equal(await shopApi.head(), head + 1);
    const kept = await shopApi.call('PUT', `/sites/${id}`, { body: TEST_SITE });
    assert.equal(kept.body['isActive'], false, 'a default applies on creation only');
  });

  it('the error names the missing members of a new site', async () => {
    const shopApi = await openShopApi();
    const answer = await shopApi.call('PUT', `/sites/${newId()}`, {
      body: { code: 'a', kind: 'store' },
    });
    assert.deepEqual(
      [answer.status, answer.body],
      [
        400,
        { error: 'invalid_request', detail: 'A new site must have name, countryCode, timezone.' },
      ],
    );
    assert.equal(await shopApi.head(), 0);
  });

  it('codes may have 64 characters and names 200, counted in code points', async () => {
    const shopApi = await openShopApi();
    const good = { ...TEST_SITE, code: '𠮷'.repeat(64), name: '𠮷'.repeat(200) };
    const answer = await shopApi.call('PUT', `/sites/${newId()}`, { body: good });
    assert.deepEqual([answer.status, answer.body['name']], [201, good.name]);
    await refuseEach(shopApi, 'sites', TEST_SITE, [
      [{ code: '𠮷'.repeat(65) }, /^code must have at most 64 characters\.$/],
      [{ name: '𠮷'.repeat(201) }, /^name must have at most 200 characters\.$/],
    ]);
  });

  it('an invalid site is refused with a message that names the member', async () => {
    const shopApi = await openShopApi();
    await refuseEach(shopApi, 'sites', TEST_SITE, [
      [{ code: '' }, /^code must not be empty\.$/],
      [{ code: '  ' }, /^code must not be empty\.$/],
      [{ code: 5 }, /^code must be a string\.$/],
      [{ name: null }, /^name must be a string\.$/],
      [{ name: 'a\u0000b' }, /^name must not contain control characters\.$/],
      [{ name: 'Kanda \u202e' }, /^name must not contain invisible characters\.$/],
      [{ code: 'A\u200b' }, /^code must not contain invisible characters\.$/],
      [{ name: 'a\nb' }, /^name must not contain control characters\.$/],
      [{ name: 'a\ud800' }, /^name must not contain an unpaired surrogate\.$/],
      [{ kind: 'shop' }, /^kind must be one of store, warehouse, event, online, other\.$/],
      [{ kind: 'STORE' }, /^kind must be one of/],
      [{ countryCode: 'XX' }, /^countryCode must be an ISO 3166-1 alpha-2 country code/],
      [{ countryCode: 'jp' }, /^countryCode/],
      [{ countryCode: 'JPN' }, /^countryCode/],
      [{ timezone: 'Asia/Nowhere' }, /^timezone must be an IANA time zone/],
      [{ timezone: '+09:00' }, /^timezone/],
      [{ timezone: 'asia/tokyo' }, /^timezone/],
      [{ isActive: 'true' }, /^isActive must be true or false\.$/],
      [{ isActive: null }, /^isActive/],
      [{ color: 'red' }, /^"color" is not a known field\.$/],
      [{ id: newId() }, /^"id" is not a known field\.$/],
      [{ createdAt: NOW }, /^"createdAt" is not a known field\.$/],
    ]);
    const poisoned = JSON.stringify(TEST_SITE).replace('{', '{"__proto__":{"isActive":false},');
    const answer = await shopApi.call('PUT', `/sites/${newId()}`, { body: poisoned });
    assert.deepEqual([answer.status, answer.body['error']], [400, 'invalid_request']);
    for (const timezone of ['UTC', 'America/Port-au-Prince', 'Etc/GMT-9', 'Asia/Calcutta']) {
      const body = { ...TEST_SITE, timezone };
      const taken = await shopApi.call('PUT', `/sites/${newId()}`, { body });
      assert.deepEqual([taken.status, taken.body['timezone']], [201, timezone]);
    }
  });

  it('a changed location changes its site too, and an unknown site is refused (422)', async () => {
    const shopApi = await openShopApi();
    const { siteId, locationId } = await putPlace(shopApi);
    const location = await shopApi.call('GET', `/locations/${locationId}`);
    const site = await shopApi.call('GET', `/sites/${siteId}`);
    assert.deepEqual(site.body['locations'], [location.body]);
    const shelf = { siteId, code: 'A-1', name: '棚', kind: 'shelf' };
    assert.deepEqual(location.body, {
      id: locationId,
      ...shelf,
      isActive: true,
      createdAt: NOW,
      updatedAt: NOW,
    });
    await refuseEach(shopApi, 'locations', shelf, [
      [{ siteId: newId() }, /^siteId: .*\.$/, 422],
      [{ siteId: 'x' }, /^siteId must be a UUID\.$/],
      [{ kind: 'store' }, /^kind must be one of showcase/],
    ]);
    const head = await shopApi.head();
    const moved = await shopApi.call('PUT', `/locations/${locationId}`, {
      body: { isActive: false },
    });
    assert.deepEqual([moved.status, moved.body['isActive']], [200, false]);
    assert.equal(await shopApi.head(), head + 2, 'the location and its site');
  });
});

describe('PUT /grades/{id}', () => {
  const openShopApi = useShopApi();

  it('a PUT creates an internal grade of the shop, and the list has third-party grades too', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const id = newId();
    const created = await shopApi.call('PUT', `/grades/${id}`, { body: GRADE });
    assert.deepEqual(
      [created.status, created.body],
      [201, { id, ...GRADE, serviceKind: 'internal' }],
    );
    const same = await shopApi.call('PUT', `/grades/${id}`, { body: GRADE });
    assert.deepEqual([same.status, same.text], [200, created.text]);
    const listed = (await shopApi.call('GET', '/grades')).body['grades'] as readonly {
      id: string;
    }[];
    const expected = [id, catalog.gradeId].toSorted();
    assert.deepEqual(
      listed.map((grade) => grade.id),
      expected,
    );
    const shared = await shopApi.call('GET', `/grades/${catalog.gradeId}`);
    assert.equal(shared.body['serviceKind'], 'third_party');
    const other = await shopApi.call('GET', `/grades/${id}`, { key: shopApi.otherKey });
    assert.equal(other.status, 404);
  });

  it('a third-party grade’s id (409), another kind and missing members are refused', async () => {
    const shopApi = await openShopApi();
    const { gradeId } = await seedCatalog(shopApi.db, shopApi.clock);
    const taken = await shopApi.call('PUT', `/grades/${gradeId}`, { body: GRADE });
    assert.deepEqual([taken.status, taken.body['error']], [409, 'conflict']);
    const partly = await shopApi.call('PUT', `/grades/${gradeId}`, { body: { label: 'x' } });
    assert.deepEqual([partly.status, partly.body['error']], [409, 'conflict']);
    await refuseEach(shopApi, 'grades', GRADE, [
      [{ label: '美品\u202e' }, /^label must not contain invisible characters\.$/],
      [{ serviceName: 'a\u2028b' }, /^serviceName must not contain invisible characters\.$/],
      [{ serviceKind: 'internal' }, /^"serviceKind" is not a known field\.$/],
      [{ label: '' }, /^label must not be empty/],
      [{ serviceCode: 'x'.repeat(65) }, /^serviceCode must have at most 64/],
    ]);
    const lacking = await shopApi.call('PUT', `/grades/${newId()}`, { body: { code: 'A' } });
    const detail = 'A new grade must have label, serviceCode, serviceName.';
    assert.deepEqual([lacking.status, lacking.body['detail']], [400, detail]);
  });
});

describe('PUT /units/{id} and POST /units/{id}/status', () => {
  const openShopApi = useShopApi();

  it('a PUT creates a unit with its defaults and returns it with its cost', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId } = await putPlace(shopApi);
    const id = newId();
    const body = { siteId, item: { kind: 'card', cardId }, costMinor: 1_200 };
    const created = await shopApi.call('PUT', `/units/${id}`, { body });
    assert.equal(created.status, 201);
    const { item, ...unit } = created.body;
    assert.deepEqual(unit, {
      id,
      status: 'in_stock',
      siteId,
      locationId: null,
      certNumber: null,
      serialNumber: null,
      ownership: 'owned',
      priceMinor: null,
      currency: 'JPY',
      photos: [],
      acquiredAt: null,
      statusChangedAt: NOW,
      createdAt: NOW,
      updatedAt: NOW,
      costMinor: 1_200,
    });
    const shown = item as { kind: string; card: { id: string }; grade: unknown };
    assert.deepEqual([shown.kind, shown.card.id, shown.grade], ['card', cardId, null]);
    assert.equal((await shopApi.call('GET', `/units/${id}`)).text, created.text);
  });

  it('a PUT keeps omitted members and clears members that are null, and an identical PUT changes nothing', async () => {
    const shopApi = await openShopApi();
    const { cardId, gradeId, productId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId, locationId } = await putPlace(shopApi);
    const id = newId();
    const whole = {
      siteId,
      locationId,
      item: { kind: 'card', cardId, gradeId },
      certNumber: '12345678',
      serialNumber: '025/100',
      ownership: 'consigned',
      priceMinor: 1_000_000_000_000,
      costMinor: 0,
      currency: 'USD',
      acquiredAt: '2026-05-31T09:30:00.1239+09:00',
      status: 'grading',
    };
    const created = await shopApi.call('PUT', `/units/${id}`, { body: whole });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body['acquiredAt'], '2026-05-31T00:30:00.123Z');
    const head = await shopApi.head();
    for (const body of [whole, {}, { priceMinor: 1_000_000_000_000 }, { status: 'grading' }]) {
      shopApi.clock.advance(1_000);
      const same = await shopApi.call('PUT', `/units/${id}`, { body });
      assert.deepEqual([same.status, same.text], [200, created.text]);
    }
    assert.equal(await shopApi.head(), head);
    const cleared = {
      locationId: null,
      certNumber: null,
      serialNumber: null,
      priceMinor: null,
      costMinor: null,
      acquiredAt: null,
    };
    const after = await shopApi.call('PUT', `/units/${id}`, { body: cleared });
    assert.equal(after.status, 200);
    for (const name of Object.keys(cleared)) assert.equal(after.body[name], null, name);
    assert.deepEqual([after.body['ownership'], after.body['currency']], ['consigned', 'USD']);
    assert.equal(await shopApi.head(), head + 1);
    const item = { kind: 'product', productId };
    const product = await shopApi.call('PUT', `/units/${id}`, { body: { item } });
    assert.deepEqual(Object.keys(product.body['item'] as object), ['kind', 'product']);
  });

  it('unknown references get 422, and malformed values get 400', async () => {
    const shopApi = await openShopApi();
    const { cardId, productId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId, locationId } = await putPlace(shopApi);
    const other = await putPlace(shopApi);
    const good = { siteId, item: { kind: 'card', cardId } };
    await refuseEach(shopApi, 'units', good, [
      [{ siteId: newId() }, /^siteId: .*\.$/, 422],
      [{ locationId: newId() }, /^locationId: /, 422],
      [{ locationId: other.locationId }, /^locationId: /, 422],
      [{ item: { kind: 'card', cardId: newId() } }, /^item.cardId: /, 422],
      [{ item: { kind: 'card', cardId: productId } }, /^item.cardId: /, 422],
      [{ item: { kind: 'card', cardId, gradeId: newId() } }, /^item.gradeId: /, 422],
      [{ item: { kind: 'product', productId: cardId } }, /^item.productId: /, 422],
      [{ currency: 'XYZ' }, /^currency: ISO 4217 has no currency XYZ\.$/, 422],
      [{ currency: 'jpy' }, /^currency must be/],
      [{ currency: null }, /^currency must be/],
      [{ siteId: null }, /^siteId must be a UUID/],
      [{ item: null }, /^item must be \{"kind": "card"/],
      [{ item: { kind: 'box', productId } }, /^item must be/],
      [{ item: { kind: 'card' } }, /^item must contain cardId\.$/],
      [{ item: { kind: 'card', cardId, productId } }, /^item: "productId" is not a known field/],
      [{ item: { kind: 'product' } }, /^item must contain productId\.$/],
      [{ item: { kind: 'product', productId, gradeId: null } }, /^item: "gradeId"/],
      [{ priceMinor: -1 }, /^priceMinor must be a whole number from 0 to 1000000000000\.$/],
      [{ priceMinor: 1_000_000_000_001 }, /^priceMinor/],
      [{ priceMinor: 1.5 }, /^priceMinor/],
      [{ priceMinor: '100' }, /^priceMinor/],
      [{ costMinor: true }, /^costMinor/],
      [{ certNumber: '' }, /^certNumber must not be empty/],
      [{ certNumber: 'x'.repeat(65) }, /^certNumber must have at most 64/],
      [{ ownership: null }, /^ownership must be one of owned, consigned/],
      [{ status: 'lost' }, /^status must be one of in_stock/],
      [{ acquiredAt: '2026-05-31' }, /^acquiredAt must be an RFC 3339 date-time/],
      [{ acquiredAt: '2026-05-31T09:30:00' }, /^acquiredAt/],
      [{ acquiredAt: '2026-02-30T09:30:00Z' }, /^acquiredAt/],
      [{ acquiredAt: '2026-05-31T24:00:00Z' }, /^acquiredAt/],
      [{ acquiredAt: '1899-12-31T23:59:59Z' }, /^acquiredAt/],
      [{ acquiredAt: 1_700_000_000 }, /^acquiredAt/],
      [{ quantity: 2 }, /^"quantity" is not a known field/],
      [{ ['x'.repeat(5_000)]: 1 }, /^"x{64}…" is not a known field/],
    ]);
    const lacking = await shopApi.call('PUT', `/units/${newId()}`, { body: { locationId } });
    assert.deepEqual(
      [lacking.status, lacking.body['detail']],
      [400, 'A new unit must have siteId, item.'],
    );
  });

  it('allowed status transitions of a unit are made, and others get 409', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId } = await putPlace(shopApi);
    const id = newId();
    await shopApi.call('PUT', `/units/${id}`, { body: { siteId, item: { kind: 'card', cardId } } });
    shopApi.clock.advance(60_000);
    const path = `/units/${id}/status`;
    const sold = await shopApi.call('POST', path, { body: { status: 'sold' } });
    assert.deepEqual([sold.status, sold.body['status']], [200, 'sold']);
    assert.equal(sold.body['statusChangedAt'], '2026-06-01T12:01:00.000Z');
    const head = await shopApi.head();
    const again = await shopApi.call('POST', path, { body: { status: 'sold' } });
    assert.deepEqual([again.status, again.text], [200, sold.text]);
    const refused = await shopApi.call('POST', path, { body: { status: 'reserved' } });
    assert.deepEqual(
      [refused.status, refused.body],
      [
        409,
        { error: 'conflict', detail: 'The status of a unit cannot change from sold to reserved.' },
      ],
    );
    const put = await shopApi.call('PUT', `/units/${id}`, {
      body: { status: 'written_off', priceMinor: 5 },
    });
    assert.deepEqual([put.status, put.body['error']], [409, 'conflict']);
    assert.equal((await shopApi.call('GET', `/units/${id}`)).text, sold.text);
    assert.equal(await shopApi.head(), head);
    const unknown = await shopApi.call('POST', `/units/${newId()}/status`, {
      body: { status: 'sold' },
    });
    assert.equal(unknown.status, 404);
    const bodies: unknown[] = [
      {},
      { status: null },
      { status: 'gone' },
      { status: 'sold', x: 1 },
      [],
    ];
    for (const body of bodies) {
      const answer = await shopApi.call('POST', path, { body });
      assert.equal(answer.status, 400, JSON.stringify(body));
    }
    assert.equal((await shopApi.call('POST', path)).status, 400, 'no body');
  });
});
