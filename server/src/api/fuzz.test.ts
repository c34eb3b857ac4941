import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { importCards, newCard } from '../../test/catalog.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_PUBLIC_URL,
} from '../../test/partner.ts';
import { exchangeRaw, readResponses } from '../../test/raw-socket.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';

const CODES_BY_STATUS: ReadonlyMap<number, RegExp> = new Map([
  [400, /^\{"error":"invalid_request"\}$/],
  [401, /^\{"error":"invalid_token"\}$/],
  [403, /^\{"error":"forbidden"\}$/],
  [404, /^\{"error":"not_found"\}$/],
  [405, /^\{"error":"method_not_allowed"\}$/],
  [410, /^\{"error":"cursor_expired"\}$/],
  [413, /^\{"error":"payload_too_large"\}$/],
  [415, /^\{"error":"unsupported_media_type"\}$/],
  [417, /^\{"error":"invalid_request"\}$/],
  [422, /^\{"error":"invalid_webhook_url"\}$/],
  [431, /^\{"error":"invalid_request"\}$/],
]);

/** Random requests. fast-check prints the seed and the smallest request that fails. */
const RUNS = 800;

const methods = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
);
const paths = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '/connection',
      '/purchase-boosts',
      '/inventory/sites',
      '/inventory/changes',
      '/cards',
      '/cards/1',
      '/webhook',
    ),
  },
  { weight: 1, arbitrary: fc.webPath() },
);
/** Any characters except those that end a request line or a header. */
const bytes = fc.stringMatching(/^[^\r\n\0]{0,40}$/);
const queries = fc.oneof(
  fc.webQueryParameters(),
  fc
    .record({ name: fc.constantFrom('limit', 'cursor', 'include', 'search'), value: bytes })
    .map(({ name, value }) => `${name}=${encodeURIComponent(value.toWellFormed())}`),
  fc
    .string({ unit: anyCharacter, maxLength: 160 })
    .map((text) => `search=${encodeURIComponent(text.toWellFormed())}`),
  fc.integer({ min: -5, max: 1_005 }).map((limit) => `limit=${limit}`),
  fc.base64String({ maxLength: 220 }).map((text) => `cursor=${text.replaceAll(/[+/=]/g, '-')}`),
);
const headers = fc.dictionary(
  fc.constantFrom('Accept', 'Content-Type', 'Cookie', 'Range', 'If-Match', 'Expect', 'X-Odd', 'TE'),
  bytes,
  { maxKeys: 4 },
);
const bodies = fc.oneof(
  fc.constant(''),
  fc.json(),
  fc
    .oneof(fc.webUrl(), fc.string(), fc.constant('https://app.example/hook'))
    .map((url) => JSON.stringify({ url })),
  fc.string({ maxLength: 200 }),
  fc.constant(' '.repeat(17_000)),
);

describe('random requests of an authorized caller', () => {
  let base: TestDatabase;
  let node: PartnerNode;
  before(async () => {
    base = await openTestDatabase();
    node = await startPartnerNode(base, {
      timeouts: { headersMs: 300, requestMs: 300, checkMs: 50 },
    });
    // Import a card, so that there is a search index and searches reach its thread.
    await importCards(base.db, [newCard('蒼天竜アルバ')]);
    await waitUntil(() => node.search.state.cards === 1);
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  async function connect(): Promise<string> {
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    await node.call('POST', '/connection', { token });
    return token;
  }

  it('random requests never get a 5xx, or an error body that is not in the table of codes', async () => {
    let token = await connect();
    const request = fc.record({
      method: methods,
      path: paths,
      query: queries,
      headers,
      body: bodies,
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, query, headers: sent, body }) => {
        const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `${method} /partner/v1${path}?${query} HTTP/1.1\r\nHost: x\r\n`;
        const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
        const text = `${head}Authorization: Bearer ${token}\r\n${lines.join('')}${length}\r\n${body}`;
        const answer = await exchangeRaw(node.port, Buffer.from(text));
        const responses = readResponses(answer, () => method === 'HEAD');
        const [response] = responses;
        assert.ok(response, 'no answer');
        assert.equal(response.headers.get('cache-control'), 'no-store');
        // Reconnect after a DELETE, or all further responses would be `connection_revoked`.
        if (response.status === 204) token = await connect();
        if (response.status < 300) return;
        const allowed = CODES_BY_STATUS.get(response.status);
        assert.ok(allowed, `${response.status} ${response.body}`);
        if (method === 'HEAD') return;
        assert.match(response.body, allowed);
        const code = /\w+(?="\}$)/.exec(response.body)?.[0];
        const link = `<${TEST_PUBLIC_URL}/docs/errors#${code}>; rel="help"`;
        assert.equal(response.headers.get('link'), link);
      }),
      { numRuns: RUNS },
    );
  });
});
