import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { putLocation } from '../inventory/location.ts';
import { putSite } from '../inventory/site.ts';
import { putUnits, UNIT_BATCH_MAX } from '../inventory/unit.ts';
import { setMember } from '../shops/member.ts';
import {
  type PartnerNode,
  type SeedPartyOptions,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
  type TestResponse,
  type TestParty,
} from '../../test/partner.ts';
import { insertTestCard, insertTestGame } from '../../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { OPERATOR } from '../shops/audit.ts';

interface Record {
  readonly kind: string;
  readonly id: string;
  readonly data: { readonly costMinor?: number | null };
}

interface Page {
  readonly changes: readonly Record[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

function parse(answer: TestResponse): Page {
  assert.equal(answer.status, 200, answer.text);
  const page: Page = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(page), ['changes', 'nextCursor', 'hasMore']);
  assert.match(page.nextCursor, /^[A-Za-z0-9_-]{1,200}$/);
  return page;
}

const BAD_REQUEST = '{"error":"invalid_request"}';

describe('sites and changes (4.5, 4.6)', () => {
  let base: TestDatabase;
  let node: PartnerNode;
  const gameId = newId();
  const cardId = newId();
  before(async () => {
    base = await openTestDatabase();
    node = await startPartnerNode(base);
    await base.db.query(insertTestGame, [gameId]);
    await base.db.query(insertTestCard, [cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  interface Connected {
    readonly party: TestParty;
    readonly token: string;
    readonly siteId: string;
  }

  /** Connects an app to a shop with one site, one location and `units` units. */
  async function connect(units: number, options: SeedPartyOptions = {}): Promise<Connected> {
    const party = await seedParty(base.db, options);
    const { token } = await seedGrant(base.db, party);
    await node.call('POST', '/connection', { token });
    const siteId = newId();
    await base.db.transaction(async (tx) => {
      const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
      const site = { code: 'main', name: '本店', kind: 'store' as const, ...place };
      await putSite(tx, party.shop.id, siteId, site, TEST_NOW);
      const shelf = { siteId, code: 'A', name: '棚', kind: 'shelf' as const };
      await putLocation(tx, party.shop.id, newId(), shelf, TEST_NOW);
      const item = { kind: 'card' as const, cardId };
      const made = Array.from({ length: units }, () => ({
        id: newId(),
        siteId,
        item,
        costMinor: 5,
      }));
      for (let start = 0; start < units; start += UNIT_BATCH_MAX) {
        await putUnits(tx, party.shop, made.slice(start, start + UNIT_BATCH_MAX), TEST_NOW);
      }
    });
    return { party, token, siteId };
  }

  async function read(token: string, query: string): Promise<TestResponse> {
    return await node.call('GET', `/inventory/changes${query}`, { token });
  }

  it('a shop without stock gets an empty list and an empty page', async () => {
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    await node.call('POST', '/connection', { token });
    // The list of sites ignores all parameters, including those of the feed.
    for (const query of ['', '?limit=0&cursor=x&cursor=y']) {
      const answer = await node.call('GET', `/inventory/sites${query}`, { token });
      assert.equal(answer.text, '{"sites":[]}', query);
    }
    const page = parse(await read(token, ''));
    assert.deepEqual(page.changes, []);
    assert.equal(page.hasMore, false);
    assert.deepEqual(parse(await read(token, `?cursor=${page.nextCursor}`)), page);
  });

  it('the limit applies to every page until the end', async () => {
    const { token } = await connect(5);
    const found: string[] = [];
    let query = '?limit=2';
    for (let pages = 1; ; pages++) {
      const page = parse(await read(token, query));
      assert.ok(page.changes.length <= 2);
      found.push(...page.changes.map((record) => record.id));
      if (!page.hasMore) {
        assert.equal(pages, 4);
        break;
      }
      query = `?limit=2&cursor=${page.nextCursor}`;
    }
    assert.equal(new Set(found).size, 7);
  });

  it('a limit must be a plain decimal number, and is 500 by default', async () => {
    const { token } = await connect(510);
    for (const [query, count] of [
      ['', 500],
      ['?limit=1', 1],
      ['?limit=511', 511],
      ['?limit=1000', 512],
      ['?unknown=1&unknown=2&limit=3', 3],
      ['?LIMIT=2', 500],
    ] as const) {
      const page = parse(await read(token, query));
      assert.equal(page.changes.length, count, query);
      assert.equal(page.hasMore, count < 512, query);
    }
    const bad = ['10000', '0x10', '1.0', '%2B5', '%205', '5%20', '1e2', '05'];
    const odd = ['١', '5%00', '%ff', '1&limit=2', 'NaN', '9'.repeat(400), '5;6'];
    for (const value of [...bad, ...odd, '+5', '%zz']) {
      const answer = await read(token, `?limit=${value}`);
      assert.equal(answer.status, 400, value);
      assert.equal(answer.text, BAD_REQUEST);
    }
  });

  it('a cursor that is altered at its end, cut at its beginning, too long or repeated is refused', async () => {
    const { token } = await connect(1);
    const { nextCursor } = parse(await read(token, ''));
    const last = nextCursor.endsWith('A') ? 'B' : 'A';
    for (const cursor of [
      `${nextCursor.slice(0, -1)}${last}`,
      `${nextCursor}=`,
      nextCursor.slice(1),
      `%00${nextCursor.slice(1)}`,
      `${nextCursor}&cursor=${nextCursor}`,
      'A'.repeat(201),
      'A'.repeat(12_000),
      '%F0%9F%8E%B4',
      '%ff',
    ]) {
      const answer = await read(token, `?cursor=${cursor}`);
      assert.equal(answer.status, 400, cursor);
      assert.equal(answer.text, BAD_REQUEST);
    }
    assert.equal((await read(token, `?cursor=${nextCursor}`)).status, 200);
  });

  it('a genuine cursor past the head gets 410, after the parameters are checked', async () => {
    const { party, token } = await connect(1);
    const past = node.cursors.encode(party.shop.id, { epoch: 1, seq: 1_000_000 });
    const expired = await read(token, `?cursor=${past}`);
    assert.equal(expired.status, 410);
    assert.equal(expired.text, '{"error":"cursor_expired"}');
    assert.equal((await read(token, `?cursor=${past}&limit=0`)).status, 400);
  });

  it('the cost is shown only if the shop shares it and the approving member may see it', async () => {
    for (const [sharesCost, permissions, cost] of [
      [false, ['inventory.cost'], null],
      [true, ['purchases.read'], null],
      [true, ['inventory.cost'], 5],
    ] as const) {
      const { party, token } = await connect(1, { sharesCost, permissions });
      const units = (page: Page): (number | null | undefined)[] =>
        page.changes.filter(({ kind }) => kind === 'unit').map(({ data }) => data.costMinor);
      assert.deepEqual(units(parse(await read(token, ''))), [cost]);
      await base.db.transaction(
        async (tx) =>
          await setMember(
            tx,
            party.shop.id,
            party.accountId,
            { permissions: [] },
            TEST_NOW,
            OPERATOR,
          ),
      );
      // Simulate the notification of a change on another node.
      node.accesses.dropShop(party.shop.id);
      assert.deepEqual(units(parse(await read(token, ''))), [null]);
    }
  });

  it('other paths get 404, and other methods get 405', async () => {
    const { token } = await connect(0);
    for (const path of ['/purchase-boosts/1', '/cards/', `/cards/${cardId}/photo`, '/webhook/1']) {
      const answer = await node.call('GET', path, { token });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.text, '{"error":"not_found"}');
    }
    for (const [method, path, allow] of [
      ['PUT', '/connection', 'GET, HEAD, POST, DELETE'],
      ['PATCH', '/connection', 'GET, HEAD, POST, DELETE'],
      ['OPTIONS', '/connection', 'GET, HEAD, POST, DELETE'],
      ['POST', '/inventory/sites', 'GET, HEAD'],
      ['DELETE', '/inventory/changes', 'GET, HEAD'],
      ['POST', '/cards', 'GET, HEAD'],
      ['PUT', `/cards/${cardId}`, 'GET, HEAD'],
      ['POST', '/purchase-boosts', 'GET, HEAD'],
      ['GET', '/webhook', 'PUT, DELETE'],
    ] as const) {
      const answer = await node.call(method, path);
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(answer.headers.get('allow'), allow);
      assert.equal(answer.text, '{"error":"method_not_allowed"}');
    }
  });
});
