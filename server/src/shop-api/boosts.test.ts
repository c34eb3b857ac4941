import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { LIVE_BOOSTS_MAX } from '../boosts/boost-row.ts';
import { statement } from '../database/statement.ts';
import { countBoostAnnouncements, putTestBoost, errorOf } from '../../test/shop-api-boosts.ts';
import { SHOP_API_NOW, seedCatalog, useShopApi } from '../../test/shop-api.ts';

const NOW = SHOP_API_NOW.toISOString();

/** Inserts many arbitrary boosts of the first card. */
export const insertTestBoosts = statement(
  'test_insert_boosts',
  `insert into boost (shop_id, boost_id, card_id, price_minor, currency, ends_at, is_paused,
    created_at, updated_at)
  select $1, gen_random_uuid(), $2, 1, 'JPY', $4, false, $5, $5 from generate_series(1, $3::int)`,
);

describe('PUT /boosts/{id} (2.3, decision 0070)', () => {
  const openShopApi = useShopApi();

  it('a PUT creates a boost with defaults and returns all of its fields, and an identical PUT changes nothing', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const { cardId } = catalog;
    const id = newId();
    const body = { target: { kind: 'card', cardId }, priceMinor: 0 };
    const created = await shopApi.call('PUT', `/boosts/${id}`, { body });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get('content-type'), 'application/json; charset=utf-8');
    const { target, ...members } = created.body;
    assert.deepEqual(Object.keys(created.body), [
      'id',
      'target',
      'priceMinor',
      'currency',
      'remainingQuantity',
      'status',
      'startsAt',
      'endsAt',
      'note',
      'updatedAt',
    ]);
    assert.deepEqual(members, {
      id,
      priceMinor: 0,
      currency: 'JPY',
      remainingQuantity: null,
      status: 'open',
      startsAt: null,
      endsAt: null,
      note: null,
      updatedAt: NOW,
    });
    const shown = target as { kind: string; card: { id: string }; grade: unknown };
    assert.deepEqual([shown.kind, shown.card.id, shown.grade], ['card', cardId, null]);
    shopApi.clock.advance(1_000);
    const news = await countBoostAnnouncements(shopApi, async () => {
      const same = await shopApi.call('PUT', `/boosts/${id}`, { body });
      assert.deepEqual([same.status, same.text], [200, created.text]);
      const nothing = await shopApi.call('PUT', `/boosts/${id}`, { body: {} });
      assert.deepEqual([nothing.status, nothing.text], [200, created.text]);
    });
    assert.equal(news, 0);
    assert.equal((await shopApi.call('GET', `/boosts/${id}`)).text, created.text);
    const changed = await shopApi.call('PUT', `/boosts/${id}`, { body: { note: '急募' } });
    assert.equal(changed.body['updatedAt'], '2026-06-01T12:00:01.000Z');
  });

  it('a PUT keeps omitted members, clears members that are null, and changes the remaining quantity only if it is sent', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const whole = {
      currency: 'USD',
      remainingQuantity: 5,
      startsAt: '2026-06-01T00:00:00Z',
      endsAt: '2026-07-01T00:00:00Z',
      note: 'a',
    };
    const id = await putTestBoost(shopApi, catalog, whole);
    const purchase = { body: { id: newId(), quantity: 2 } };
    await shopApi.call('POST', `/boosts/${id}/purchases`, purchase);
    const raised = await shopApi.call('PUT', `/boosts/${id}`, { body: { priceMinor: 7 } });
    assert.deepEqual(
      [raised.body['remainingQuantity'], raised.body['currency'], raised.body['note']],
      [3, 'USD', 'a'],
    );
    const target = { kind: 'product', productId: catalog.productId };
    const cleared = { remainingQuantity: null, startsAt: null, endsAt: null, note: null, target };
    const answer = await shopApi.call('PUT', `/boosts/${id}`, { body: cleared });
    assert.equal(answer.status, 200);
    const { remainingQuantity, startsAt, endsAt, note } = answer.body;
    assert.deepEqual([remainingQuantity, startsAt, endsAt, note], [null, null, null, null]);
    assert.equal((answer.body['target'] as { kind: string }).kind, 'product');
  });

  it('every member is accepted up to its limit, and larger values are refused', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const good = { target: { kind: 'card', cardId: catalog.cardId }, priceMinor: 1 };
    const { cardId, productId, gradeId } = catalog;
    for (const members of [
      { priceMinor: 1_000_000_000_000 },
      { remainingQuantity: 0 },
      { remainingQuantity: 1_000_000_000 },
      { note: '𠮷'.repeat(200) },
      { startsAt: '2026-06-01T00:00:00.000Z', endsAt: '2026-06-01T00:00:00.001Z' },
      { target: { kind: 'card', cardId, gradeId } },
      { target: { kind: 'card', cardId, gradeId: null } },
      { target: { kind: 'product', productId } },
    ]) {
      const answer = await shopApi.call('PUT', `/boosts/${newId()}`, {
        body: { ...good, ...members },
      });
      assert.equal(answer.status, 201, answer.text);
      for (const [name, value] of Object.entries(members)) {
        if (name !== 'target') assert.equal(answer.body[name], value);
      }
    }
    const id = newId();
    const bad: readonly (readonly [object, RegExp, number?])[] = [
      [{ priceMinor: 1_000_000_000_001 }, /^priceMinor must be a whole number from 0 to/],
      [{ priceMinor: -1 }, /^priceMinor/],
      [{ priceMinor: 0.5 }, /^priceMinor/],
      [{ priceMinor: null }, /^priceMinor/],
      [{ priceMinor: '1' }, /^priceMinor/],
      [
        { remainingQuantity: -1 },
        /^remainingQuantity must be a whole number from 0 to 1000000000\.$/,
      ],
      [{ remainingQuantity: 1_000_000_001 }, /^remainingQuantity/],
      [{ note: '𠮷'.repeat(201) }, /^note must have at most 200 characters\.$/],
      [{ note: ' '.repeat(201) }, /^note must not be empty\.$/],
      [{ note: 1 }, /^note must be a string\.$/],
      [{ note: 'a\nb' }, /^note must not contain control characters\.$/],
      [{ currency: 'XYZ' }, /^currency: ISO 4217 has no currency XYZ\.$/, 422],
      [{ currency: 'jpy' }, /^currency must be an ISO 4217 currency code/],
      [{ currency: null }, /^currency must be an ISO 4217 currency code/],
      [{ startsAt: '2026-06-01' }, /^startsAt must be an RFC 3339 date-time/],
      [{ endsAt: 0 }, /^endsAt must be an RFC 3339 date-time/],
      [{ startsAt: NOW, endsAt: NOW }, /^endsAt must be later than startsAt\.$/],
      [{ startsAt: NOW, endsAt: '2026-06-01T11:59:59.999Z' }, /^endsAt must be later/],
      [{ target: { kind: 'card', cardId: newId() } }, /^target\.cardId: there is no card/, 422],
      [{ target: { kind: 'card', cardId: productId } }, /^target\.cardId: there is no card/, 422],
      [{ target: { kind: 'card', cardId, gradeId: newId() } }, /^target\.gradeId: there is/, 422],
      [{ target: { kind: 'product', productId: cardId } }, /^target\.productId: there is no/, 422],
      [{ target: { kind: 'product', productId, gradeId } }, /^target: "gradeId" is not a known/],
      [{ target: { kind: 'card' } }, /^target must contain cardId\.$/],
      [{ target: { kind: 'box', productId } }, /^target must be \{"kind": "card"/],
      [{ target: null }, /^target must be/],
      [{ status: 'paused' }, /^"status" is not a known field\.$/],
      [{ isPaused: true }, /^"isPaused" is not a known field\.$/],
    ];
    const news = await countBoostAnnouncements(shopApi, async () => {
      for (const [members, detail, status = 400] of bad) {
        const answer = await shopApi.call('PUT', `/boosts/${id}`, {
          body: { ...good, ...members },
        });
        assert.equal(answer.status, status, `${JSON.stringify(members)} ${answer.text}`);
        assert.equal(answer.body['error'], 'invalid_request');
        assert.match(String(answer.body['detail']), detail);
      }
    });
    assert.equal(news, 0);
    assert.equal((await shopApi.call('GET', `/boosts/${id}`)).status, 404);
    const lacking = await shopApi.call('PUT', `/boosts/${id}`, { body: {} });
    const detail = 'A new boost must have target, priceMinor.';
    assert.deepEqual(errorOf(lacking), [400, 'invalid_request', detail]);
  });

  it('a note has up to 200 characters, and an empty or blank note is stored as null (2.3)', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const id = await putTestBoost(shopApi, catalog, { note: '' });
    const put = async (given: string | null): Promise<readonly [unknown, unknown]> => {
      const { status, body } = await shopApi.call('PUT', `/boosts/${id}`, {
        body: { note: given },
      });
      return [status, body['note']];
    };
    assert.equal((await shopApi.call('GET', `/boosts/${id}`)).body['note'], null);
    const full = '𠮷'.repeat(200);
    assert.deepEqual(await put('a'), [200, 'a']);
    assert.deepEqual(await put(full), [200, full]);
    assert.deepEqual(await put(`${full}𠮷`), [400, undefined]);
    assert.equal((await shopApi.call('GET', `/boosts/${id}`)).body['note'], full);
    for (const blank of ['', ' ', '\u3000', ' '.repeat(200)]) {
      assert.deepEqual(await put('a'), [200, 'a']);
      assert.deepEqual(await put(blank), [200, null]);
    }
    const news = await countBoostAnnouncements(shopApi, async () => void (await put('')));
    assert.equal(news, 0, 'none again is no change');
  });

  it('a sent start or end is checked against the stored one', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const id = await putTestBoost(shopApi, catalog, { endsAt: '2026-06-02T00:00:00Z' });
    const put = async (body: object): Promise<number> =>
      (await shopApi.call('PUT', `/boosts/${id}`, { body })).status;
    assert.equal(await put({ startsAt: '2026-06-02T00:00:00Z' }), 400);
    assert.equal(await put({ startsAt: '2026-06-01T23:59:59.999Z' }), 200);
    assert.equal(await put({ endsAt: '2026-06-01T23:59:59.999Z' }), 400);
    assert.equal(await put({ startsAt: null, endsAt: '2026-06-01T23:59:59.999Z' }), 200);
  });

  it('a shop has at most 2,000 live boosts, and can create another when one ends', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const { cardId } = catalog;
    const soon = new Date(SHOP_API_NOW.getTime() + 1_000);
    const fill = async (count: number, endsAt: Date | null): Promise<void> => {
      await shopApi.db.query(insertTestBoosts, [
        shopApi.shop.id,
        cardId,
        count,
        endsAt,
        SHOP_API_NOW,
      ]);
    };
    const expired = await putTestBoost(shopApi, catalog, { endsAt: '2026-06-01T11:00:00Z' });
    await fill(LIVE_BOOSTS_MAX - 2, null);
    await fill(1, soon);
    const body = { target: { kind: 'card', cardId }, priceMinor: 1 };
    const answers = await Promise.all(
      Array.from(
        { length: 8 },
        async () => await shopApi.call('PUT', `/boosts/${newId()}`, { body }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 201);
    assert.equal(taken.length, 1);
    const detail = 'A shop can have at most 2000 boosts that have not ended or expired.';
    for (const answer of answers) {
      if (!taken.includes(answer)) assert.deepEqual(errorOf(answer), [409, 'conflict', detail]);
    }
    const id = String(taken[0]?.body['id']);
    assert.equal(
      (await shopApi.call('PUT', `/boosts/${id}`, { body: { priceMinor: 2 } })).status,
      200,
    );
    const revive = { body: { endsAt: null } };
    assert.equal((await shopApi.call('PUT', `/boosts/${expired}`, revive)).status, 409);
    const renamed = await shopApi.call('PUT', `/boosts/${expired}`, { body: { note: 'past' } });
    assert.equal(renamed.status, 200, 'an expired one stays changeable');
    const other = await shopApi.call('PUT', `/boosts/${newId()}`, { body, key: shopApi.otherKey });
    assert.equal(other.status, 201, 'the bound is each shop’s own');
    assert.equal((await shopApi.call('POST', `/boosts/${id}/end`)).status, 200);
    assert.equal((await shopApi.call('PUT', `/boosts/${expired}`, revive)).status, 200);
    assert.equal((await shopApi.call('PUT', `/boosts/${newId()}`, { body })).status, 409);
    shopApi.clock.advance(1_000);
    assert.equal((await shopApi.call('PUT', `/boosts/${newId()}`, { body })).status, 201);
  });

  it('boosts of every status are listed by id, page by page', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const ids: string[] = [];
    for (const members of [
      {},
      { remainingQuantity: 0 },
      { startsAt: '2026-06-02T00:00:00Z' },
      { endsAt: '2026-06-01T12:00:00Z' },
    ]) {
      ids.push(await putTestBoost(shopApi, catalog, members));
    }
    const [first, , scheduled] = ids;
    await shopApi.call('POST', `/boosts/${first}/end`);
    await shopApi.call('POST', `/boosts/${scheduled}/pause`);
    await shopApi.call('PUT', `/boosts/${newId()}`, {
      key: shopApi.otherKey,
      body: { target: { kind: 'card', cardId: catalog.cardId }, priceMinor: 1 },
    });
    const states = new Map([
      [ids[0], 'ended'],
      [ids[1], 'filled'],
      [ids[2], 'scheduled'],
      [ids[3], 'expired'],
    ]);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await shopApi.call('GET', `/boosts?limit=3${cursor}`);
      for (const boost of body['boosts'] as readonly { id: string; status: string }[]) {
        seen.push(boost.id);
        assert.equal(boost.status, states.get(boost.id));
      }
      cursor = body['hasMore'] === true ? `&cursor=${String(body['nextCursor'])}` : '';
    } while (cursor !== '');
    assert.deepEqual(seen, ids.toSorted());
    assert.equal((await shopApi.call('GET', '/boosts?limit=1001')).status, 400);
  });

  it('boosts of one status, at the time of the request, are listed by id', async () => {
    const shopApi = await openShopApi();
    const catalog = await seedCatalog(shopApi.db, shopApi.clock);
    const put = async (members: object, move?: string): Promise<string> => {
      const id = await putTestBoost(shopApi, catalog, members);
      if (move !== undefined) await shopApi.call('POST', `/boosts/${id}/${move}`);
      return id;
    };
    const soon = '2026-06-01T12:00:01Z';
    const ids: Record<string, string[]> = {
      open: [await put({}), await put({ endsAt: soon }), await put({ remainingQuantity: 1 })],
      filled: [await put({ remainingQuantity: 0 })],
      scheduled: [await put({ startsAt: soon }), await put({ startsAt: soon }, 'pause')],
      paused: [await put({}, 'pause'), await put({ remainingQuantity: 0 }, 'pause')],
      expired: [await put({ endsAt: NOW }), await put({ endsAt: NOW }, 'pause')],
      ended: [await put({}, 'end'), await put({ endsAt: NOW }, 'end'), await put({}, 'end')],
    };
    await shopApi.call('PUT', `/boosts/${newId()}`, {
      key: shopApi.otherKey,
      body: { target: { kind: 'card', cardId: catalog.cardId }, priceMinor: 1 },
    });
    const list = async (status: string, limit: number): Promise<string[]> => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const path = `/boosts?status=${status}&limit=${limit}${cursor}`;
        const { body } = await shopApi.call('GET', path);
        const boosts = body['boosts'] as readonly { id: string; status: string }[];
        assert.ok(boosts.length > 0 && boosts.length <= limit);
        for (const boost of boosts) {
          assert.equal(boost.status, status);
          seen.push(boost.id);
        }
        assert.equal(body['hasMore'], body['nextCursor'] !== null);
        const { nextCursor } = body;
        assert.ok(nextCursor === null || typeof nextCursor === 'string');
        cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
      } while (cursor !== '');
      return seen;
    };
    for (const [status, of] of Object.entries(ids)) {
      for (const limit of [1, 2, 3]) assert.deepEqual(await list(status, limit), of.toSorted());
    }
    shopApi.clock.advance(999);
    assert.deepEqual(await list('open', 10), ids['open']?.toSorted(), 'a millisecond before');
    shopApi.clock.advance(1);
    const [always = '', ending = '', limited = ''] = ids['open'] ?? [];
    const [starting = '', paused = ''] = ids['scheduled'] ?? [];
    assert.deepEqual(await list('open', 10), [always, limited, starting].toSorted());
    assert.deepEqual(await list('expired', 10), [...(ids['expired'] ?? []), ending].toSorted());
    assert.deepEqual(await list('paused', 10), [...(ids['paused'] ?? []), paused].toSorted());
    const none = await shopApi.call('GET', '/boosts?status=scheduled');
    assert.deepEqual(none.body, { boosts: [], nextCursor: null, hasMore: false });

    const detail = 'status must be one of open, filled, scheduled, paused, expired, ended.';
    for (const query of ['status=', 'status=Open', 'status=x', 'status=open&status=open']) {
      const answer = await shopApi.call('GET', `/boosts?${query}`);
      assert.deepEqual(errorOf(answer), [400, 'invalid_request', detail]);
    }
  });

  it('the open boosts of a shop at its limit are listed page by page, without expired ones', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const fill = async (count: number, endsAt: Date | null): Promise<void> => {
      await shopApi.db.query(insertTestBoosts, [
        shopApi.shop.id,
        cardId,
        count,
        endsAt,
        SHOP_API_NOW,
      ]);
    };
    await fill(LIVE_BOOSTS_MAX, null);
    await fill(3_000, SHOP_API_NOW);
    for (const [status, count] of [
      ['open', LIVE_BOOSTS_MAX],
      ['expired', 3_000],
    ] as const) {
      const seen = new Set<unknown>();
      let cursor = '';
      for (let pages = 0; pages < 5; pages++) {
        const path = `/boosts?status=${status}&limit=999${cursor}`;
        const { body } = await shopApi.call('GET', path);
        for (const { id } of body['boosts'] as readonly { id: string }[]) seen.add(id);
        cursor = body['hasMore'] === true ? `&cursor=${String(body['nextCursor'])}` : '';
        if (cursor === '') break;
      }
      assert.deepEqual([cursor, seen.size], ['', count]);
    }
  });

  it('a boost is created once, however often it is sent concurrently', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const id = newId();
    const body = { target: { kind: 'card', cardId }, priceMinor: 1 };
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await shopApi.call('PUT', `/boosts/${id}`, { body })),
    );
    const created = answers.filter(({ status }) => status === 201);
    assert.equal(created.length, 1);
    for (const answer of answers) assert.equal(answer.text, created[0]?.text);
  });
});
