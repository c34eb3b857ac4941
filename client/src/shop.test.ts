import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { changeOf } from '../test/model-feed.ts';
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from '../test/scripted-server.ts';
import { InvalidTokenError, NotFoundError } from './errors.ts';
import { ApprovalNeededError, FeedStuckError, MalformedAnswerError } from './local-errors.ts';
import { openShop, type Shop } from './shop.ts';
import { openTransport } from './transport.ts';
import { isForSale } from './types.ts';

const CONNECTION = { id: 'c', tenant: { id: 't' }, cursor: 'head' };
const UNAUTHORIZED: ScriptedAnswer = { status: 401, body: { error: 'invalid_token' } };

let server: ScriptedServer;

/** The recorded calls to the token source. */
let asked: string[];
/** The access tokens that the token source returns, one after the other. */
let tokens: string[];
let mayLeaveConnection: boolean;

function openTestShop(): Shop {
  const baseUrl = `${server.url}/partner/v1/`;
  const retry = { firstDelayMs: 1, delayMsMax: 2 };
  return openShop({
    baseUrl,
    transport: openTransport({ docsUrl: 'https://cards.example/docs/errors', retry }),
    tokens: {
      accessToken: async () => await Promise.resolve(tokens[0] ?? 'none'),
      replaceRefused: async (token) => {
        asked.push(`refused ${token}`);
        tokens.shift();
        const [next] = tokens;
        if (next === undefined) throw new ApprovalNeededError();
        return await Promise.resolve(next);
      },
      markRevoked: (token) => void asked.push(`revoked ${token}`),
      mayLeaveConnection: async () => await Promise.resolve(mayLeaveConnection),
      remove: async () => await Promise.resolve(void asked.push('remove')),
      revoke: async () => await Promise.resolve(void asked.push('revoke')),
    },
    runExclusively: async (sync) => await sync(),
  });
}

/** Returns the last request of the shop as one line. */
function lastCall(): string {
  const { method, path, body } = server.seen.at(-1) ?? { method: 'none', path: '', body: '' };
  return [method, path, body].filter((part) => part !== '').join(' ');
}

describe("an app's shop", () => {
  before(async () => {
    server = await startScriptedServer();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    [asked, tokens, mayLeaveConnection] = [[], ['cpa_one', 'cpa_two'], true];
  });

  describe('a shop', () => {
    const cases: readonly (readonly [string, (shop: Shop) => Promise<unknown>, object | null])[] = [
      ['POST /partner/v1/connection', async (shop) => await shop.connect(), CONNECTION],
      ['GET /partner/v1/connection', async (shop) => await shop.connection(), CONNECTION],
      ['DELETE /partner/v1/connection', async (shop) => await shop.disconnect(), null],
      [
        'GET /partner/v1/purchase-boosts',
        async (shop) => await shop.boosts(),
        { boosts: [], generatedAt: 'now' },
      ],
      [
        'GET /partner/v1/purchase-boosts?include=filled',
        async (shop) => await shop.boosts({ include: 'filled' }),
        { boosts: [], generatedAt: 'now' },
      ],
      ['GET /partner/v1/inventory/sites', async (shop) => await shop.sites(), { sites: [] }],
      [
        'GET /partner/v1/inventory/changes',
        async (shop) => await shop.changePage({ cursor: null }),
        { changes: [], nextCursor: 'c', hasMore: false },
      ],
      [
        'GET /partner/v1/inventory/changes?cursor=a_b-1&limit=7',
        async (shop) => await shop.changePage({ cursor: 'a_b-1', limit: 7 }),
        { changes: [], nextCursor: 'c', hasMore: false },
      ],
      [
        'GET /partner/v1/cards?search=%E7%AB%9C+%26+100%25&limit=3',
        async (shop) => await shop.searchCards('竜 & 100%', { limit: 3 }),
        { cards: [] },
      ],
      ['GET /partner/v1/cards/a%2Fb', async (shop) => await shop.card('a/b'), { id: 'a/b' }],
      [
        'PUT /partner/v1/webhook {"url":"https://app.example/hook"}',
        async (shop) => await shop.registerWebhook('https://app.example/hook'),
        { url: 'https://app.example/hook', secret: 'whsec_x', createdAt: 'now' },
      ],
      ['DELETE /partner/v1/webhook', async (shop) => await shop.removeWebhook(), null],
    ];
    for (const [call, make, body] of cases) {
      it(`requests ${call}`, async () => {
        server.script(body === null ? { status: 204 } : { status: 200, body });
        await make(openTestShop());
        assert.equal(lastCall(), call);
        assert.equal(server.seen[0]?.headers['authorization'], 'Bearer cpa_one');
      });
    }

    it('a response keeps the members that this version does not know', async () => {
      server.script({ status: 200, body: { ...CONNECTION, later: [1] } });
      assert.deepEqual(await openTestShop().connection(), { ...CONNECTION, later: [1] });
    });

    it('a successful response without its required members is refused', async () => {
      const pages = [
        [],
        { changes: [], nextCursor: 7, hasMore: false },
        { changes: [], nextCursor: '', hasMore: false },
        { changes: {}, nextCursor: 'c', hasMore: false },
        { changes: [], nextCursor: 'c' },
        { changes: [{ kind: 'unit' }], nextCursor: 'c', hasMore: false },
        { changes: [null], nextCursor: 'c', hasMore: false },
      ];
      for (const body of pages) {
        server.script({ status: 200, body });
        await assert.rejects(
          openTestShop().changePage(),
          MalformedAnswerError,
          JSON.stringify(body),
        );
      }
    });

    it('an id is encoded so that it cannot reach another endpoint', async () => {
      server.script();
      for (const id of ['', '.', '..']) {
        await assert.rejects(openTestShop().card(id), TypeError);
        await assert.rejects(openTestShop().photo(id, 'front'), TypeError);
      }
      assert.equal(server.seen.length, 0);
    });
  });

  describe('a photo', () => {
    it('a photo has bytes, type and etag', async () => {
      const headers = { 'content-type': 'image/webp', etag: '"e1"' };
      server.script({ status: 200, headers, body: new Uint8Array([1, 2, 255]) });
      const photo = await openTestShop().photo('u1', 'front', { size: 'small' });
      assert.deepEqual(photo, {
        bytes: new Uint8Array([1, 2, 255]),
        contentType: 'image/webp',
        etag: '"e1"',
      });
      assert.equal(lastCall(), 'GET /partner/v1/inventory/items/u1/photos/front?size=small');
      assert.equal(server.seen[0]?.headers['if-none-match'], undefined);
    });

    it('a photo is unchanged if the service answers 304 to its etag', async () => {
      server.script({ status: 304 });
      assert.equal(await openTestShop().photo('u1', 'back', { etag: '"e1"' }), 'unchanged');
      assert.equal(server.seen[0]?.headers['if-none-match'], '"e1"');
    });

    it('a photo that does not exist is a NotFoundError', async () => {
      server.script({ status: 404, body: { error: 'not_found' } });
      await assert.rejects(openTestShop().photo('u1', 'left'), NotFoundError);
    });
  });

  describe('a rejected access token', () => {
    it('a rejected access token is replaced once, and the call continues', async () => {
      server.script(UNAUTHORIZED, { status: 200, body: CONNECTION });
      await openTestShop().connection();
      assert.deepEqual(asked, ['refused cpa_one']);
      assert.deepEqual(
        server.seen.map(({ headers }) => headers['authorization']),
        ['Bearer cpa_one', 'Bearer cpa_two'],
      );
    });

    it('a call whose token is rejected twice fails without a third token', async () => {
      server.script(UNAUTHORIZED, UNAUTHORIZED, { status: 200, body: CONNECTION });
      await assert.rejects(openTestShop().connection(), InvalidTokenError);
      assert.deepEqual([asked, server.seen.length], [['refused cpa_one'], 2]);
    });

    it('without a new token, the error says that a member must approve again', async () => {
      tokens = ['cpa_one'];
      server.script(UNAUTHORIZED);
      await assert.rejects(openTestShop().connection(), ApprovalNeededError);
    });

    it('a token rejected in the middle of a sync causes no second copy of a page', async () => {
      const pages = ['a', 'b', 'c'].map((id, index) => ({
        status: 200,
        body: { changes: [changeOf(id, 1)], nextCursor: id, hasMore: index < 2 },
      }));
      const [first, second, third] = pages;
      assert.ok(first && second && third);
      const limited = {
        status: 429,
        headers: { 'retry-after': '0' },
        body: { error: 'rate_limited' },
      };
      server.script(first, UNAUTHORIZED, 'cut', second, limited, 'drop', third);
      const taken: string[] = [];
      const saved: string[] = [];
      const result = await openTestShop().sync({
        load: () => null,
        upsert: (changes) => taken.push(...changes.map(({ id }) => id)),
        save: (cursor) => saved.push(cursor),
      });
      assert.deepEqual(result, { changes: 3, pages: 3, restarts: 0, isCaughtUp: true });
      assert.deepEqual(
        [taken, saved],
        [
          ['a', 'b', 'c'],
          ['a', 'b', 'c'],
        ],
      );
      assert.deepEqual(asked, ['refused cpa_one']);
    });
  });

  describe('an ended connection', () => {
    it('an ended connection is reported to the token manager, with the token that was used', async () => {
      const ended = { status: 403, body: { error: 'connection_revoked' } };
      server.script(UNAUTHORIZED, ended);
      await assert.rejects(openTestShop().connection(), { name: 'ConnectionRevokedError' });
      assert.deepEqual(asked, ['refused cpa_one', 'revoked cpa_two']);
    });
  });

  describe('disconnect', () => {
    it('disconnect removes the tokens when it ends the connection or finds it already ended', async () => {
      server.script('drop', { status: 403, body: { error: 'connection_revoked' } });
      await openTestShop().disconnect();
      assert.deepEqual([asked, server.seen.length], [['revoked cpa_one', 'remove'], 2]);
    });

    it('disconnect without a valid token keeps the tokens only if a connection may remain', async () => {
      for (const [mayRemain, expected] of [
        [false, ['refused cpa_one', 'remove']],
        [true, ['refused cpa_one']],
      ] as const) {
        [asked, tokens, mayLeaveConnection] = [[], ['cpa_one'], mayRemain];
        server.script(UNAUTHORIZED);
        const work = openTestShop().disconnect();
        if (mayRemain) await assert.rejects(work, ApprovalNeededError);
        else await work;
        assert.deepEqual(asked, expected);
      }
    });

    it('disconnect keeps the tokens if it fails', async () => {
      server.script({ status: 403, body: { error: 'client_disabled' } });
      await assert.rejects(openTestShop().disconnect(), /client_disabled/u);
      assert.deepEqual(asked, []);
    });
  });

  describe('an argument of a call', () => {
    const target = { load: () => 'kept', store: () => undefined };
    const untouched = { ...target, load: () => assert.fail('the target was asked') };
    const pageLimit = /limit must be a whole number from 1 to 1000, not /u;
    const cases: readonly (readonly [string, (shop: Shop) => unknown, RegExp])[] = [
      ...[0, -1, 1_001, 1.5, Number.NaN, Infinity, Object('7') as number].flatMap(
        (limit): [string, (shop: Shop) => unknown, RegExp][] => [
          [`sync ${limit}`, async (shop) => await shop.sync(untouched, { limit }), pageLimit],
          [`follow ${limit}`, (shop) => shop.follow(untouched, { limit }), pageLimit],
          [`changePage ${limit}`, async (shop) => await shop.changePage({ limit }), pageLimit],
        ],
      ),
      [
        'cards 26',
        async (shop) => await shop.searchCards('竜', { limit: 26 }),
        /limit must be a whole number from 1 to 25, not 26/u,
      ],
      ['search 0', async (shop) => await shop.searchCards(''), /search must have 1 to 150/u],
      [
        'search 151',
        async (shop) => await shop.searchCards('𠮷'.repeat(151)),
        /1 to 150 characters, not 151/u,
      ],
      [
        'no search',
        async (shop) => await shop.searchCards(Object(7) as string),
        /must be a string/u,
      ],
    ];
    for (const [title, call, message] of cases) {
      it(`the error names an invalid argument, and no request is sent: ${title}`, async () => {
        server.script();
        await assert.rejects(async () => {
          await call(openTestShop());
        }, message);
        assert.equal(server.seen.length, 0);
      });
    }

    it('an argument is accepted at its limits', async () => {
      const [changes, cards] = [
        { changes: [], nextCursor: 'c', hasMore: false },
        { cards: [{ id: 'c' }] },
      ].map((body) => ({ status: 200, body }));
      assert.ok(changes !== undefined && cards !== undefined);
      const shop = openTestShop();
      server.script(changes, changes, cards, cards);
      await shop.changePage({ limit: 1_000 });
      await shop.sync(target, { limit: 1 });
      await shop.searchCards('𠮷'.repeat(150), { limit: 25 });
      await shop.searchCards('竜', { limit: 1 });
      assert.equal(server.seen.length, 4);
    });
  });

  describe('reading the feed', () => {
    function page(id: string, hasMore: boolean): ScriptedAnswer {
      return {
        status: 200,
        body: { changes: [changeOf(`${id}1`, 1), changeOf(`${id}2`, 2)], nextCursor: id, hasMore },
      };
    }

    it('the feed is read lazily to the head, and from the cursor when it is iterated again', async () => {
      server.script(page('a', true), page('b', false), page('c', false));
      const reader = openTestShop().changes({ cursor: 'start', limit: 2 });
      assert.deepEqual([server.seen.length, reader.cursor], [0, 'start']);
      const ids: string[] = [];
      for await (const { id } of reader) ids.push(`${id} ${reader.cursor}`);
      assert.deepEqual(ids, ['a1 start', 'a2 start', 'b1 a', 'b2 a']);
      assert.equal(reader.cursor, 'b');
      for await (const { id } of reader) ids.push(id);
      assert.deepEqual(ids.slice(4), ['c1', 'c2']);
      assert.equal(lastCall(), 'GET /partner/v1/inventory/changes?cursor=b&limit=2');
    });

    it('the cursor stays before a page that was not read to its end', async () => {
      server.script(page('a', true), page('b', true));
      const reader = openTestShop().changes();
      for await (const { id } of reader) if (id === 'b2') break;
      assert.equal(reader.cursor, 'a');
      assert.equal(server.seen.length, 2);
    });

    it('the feed can also be read page by page', async () => {
      server.script(page('a', true), page('b', false));
      const cursors: string[] = [];
      for await (const { nextCursor } of openTestShop().changes().pages()) cursors.push(nextCursor);
      assert.deepEqual(cursors, ['a', 'b']);
    });

    it('reading ends with FeedStuckError if the feed repeats itself', async () => {
      server.script();
      server.otherwise(() => page('a', true));
      await assert.rejects(async () => {
        for await (const _page of openTestShop().changes().pages());
      }, FeedStuckError);
      assert.equal(server.seen.length, 2);
    });
  });

  describe('isForSale', () => {
    it('isForSale is true only for in_stock', () => {
      const all = [
        'in_stock',
        'reserved',
        'in_transit',
        'grading',
        'sold',
        'returned',
        'written_off',
        'voided',
        'new',
        '',
      ];
      assert.deepEqual(
        all.filter((status) => isForSale({ status })),
        ['in_stock'],
      );
    });
  });
});
