import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { registerApp, setAppEnabled } from '../apps/app.ts';
import { openLog } from '../base/log.ts';
import { endConnection, removeApp } from '../connections/connection.ts';
import { statement } from '../database/statement.ts';
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import {
  PARTNER_SECRET_KEY,
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
  type TestResponse,
  type TestParty,
} from '../../test/partner.ts';
import {
  addTestSite,
  failTestWebhook,
  webhookRowOf,
  webhookRowsOf,
} from '../../test/registered-webhook.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { OPERATOR } from '../shops/audit.ts';

const HOOK = 'https://app.example/hook';
const JSON_TYPE = { 'content-type': 'application/json' };
const DAY_MS = 86_400_000;

export const selectTestWebhooksAsText = statement<{ readonly text: string }>(
  'test_everything_of_webhooks',
  `select webhook::text || encode(secret_sealed, 'escape') as text from webhook where shop_id = $1`,
);

interface Registration {
  readonly url: string;
  readonly secret: string;
  readonly createdAt: string;
}

function parse(text: string): Registration {
  const registration: Registration = JSON.parse(text);
  return registration;
}

describe('the webhook (4.10, 4.11)', () => {
  let base: TestDatabase;
  let node: PartnerNode;
  before(async () => {
    base = await openTestDatabase();
    node = await startPartnerNode(base);
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  interface Connected {
    readonly party: TestParty;
    readonly token: string;
  }

  async function connected(): Promise<Connected> {
    const party = await seedParty(base.db);
    return { party, token: await connectAgain(party) };
  }

  async function connectAgain(party: TestParty): Promise<string> {
    const { token } = await seedGrant(base.db, party);
    assert.equal((await node.call('POST', '/connection', { token })).status, 201);
    return token;
  }

  async function put(
    token: string,
    url: unknown = HOOK,
    at: PartnerNode = node,
  ): Promise<TestResponse> {
    const body = JSON.stringify({ url });
    return await at.call('PUT', '/webhook', { token, headers: JSON_TYPE, body });
  }

  async function webhookOf(token: string): Promise<unknown> {
    const answer = await node.call('GET', '/connection', { token });
    assert.equal(answer.status, 200);
    const connection: { readonly webhook: unknown } = JSON.parse(answer.text);
    return connection.webhook;
  }

  /** Decrypts the current signing secret, as a worker does. */
  async function signingSecret(party: TestParty): Promise<string | undefined> {
    const { sealed, keyId, connectionId } = await webhookRowOf(base.db, party);
    assert.ok(sealed !== null && keyId !== null);
    const secrets = new WebhookSecrets(PARTNER_SECRET_KEY, null);
    return secrets.unseal(sealed, keyId, party.shop.id, connectionId);
  }

  it('PUT returns only url, secret and createdAt, GET and POST /connection show the webhook, and its secret signs', async () => {
    const { party, token } = await connected();
    const answer = await put(token);
    const { secret } = parse(answer.text);
    const createdAt = TEST_NOW.toISOString();
    assert.equal(answer.text, JSON.stringify({ url: HOOK, secret, createdAt }));
    for (const method of ['GET', 'POST']) {
      const shown = await node.call(method, '/connection', { token });
      assert.equal(shown.status, 200);
      const connection: { readonly webhook: unknown } = JSON.parse(shown.text);
      assert.deepEqual(connection.webhook, { url: HOOK, createdAt });
    }
    assert.equal(await signingSecret(party), secret);
  });

  it('PUT accepts additional members, and returns the url as it was sent', async () => {
    const { token } = await connected();
    const url = 'HTTPS://APP.example:443/Hook?a=%e3%82%ab';
    const body = `\n{"secret":"mine","url":"${url}","__proto__":{},"createdAt":1}`;
    const answer = await node.call('PUT', '/webhook', { token, headers: JSON_TYPE, body });
    assert.equal(answer.status, 200);
    assert.equal(parse(answer.text).url, url);
    assert.notEqual(parse(answer.text).secret, 'mine');
    assert.deepEqual(await webhookOf(token), { url, createdAt: TEST_NOW.toISOString() });
  });

  it('PUT answers 413, 415 or 400 to a body without a string url, and keeps the current webhook', async () => {
    const { party, token } = await connected();
    await put(token);
    const row = await webhookRowOf(base.db, party);
    const bodies = [
      '',
      '{}',
      '[]',
      'null',
      '1',
      '"https://app.example/hook"',
      '{',
      '{"url":}',
      '{"URL":"x"}',
      `{"url":"${HOOK}","\\u0075rl":"${HOOK}"}`,
      ...['null', '1', 'true', '[]', '{}', '["https://app.example/hook"]'].map(
        (url) => `{"url":${url}}`,
      ),
      '[{"url":"https://app.example/hook"}]',
      '{"__proto__":{"url":"https://app.example/hook"}}',
    ];
    for (const body of bodies) {
      const answer = await node.call('PUT', '/webhook', { token, headers: JSON_TYPE, body });
      assert.deepEqual([answer.status, answer.text], [400, '{"error":"invalid_request"}'], body);
    }
    assert.equal((await node.call('PUT', '/webhook', { token })).status, 400);
    const good = JSON.stringify({ url: HOOK });
    const text = { 'content-type': 'text/plain' };
    const plain = await node.call('PUT', '/webhook', { token, headers: text, body: good });
    assert.deepEqual([plain.status, plain.text], [415, '{"error":"unsupported_media_type"}']);
    const large = good.padEnd(16_385, ' ');
    const over = await node.call('PUT', '/webhook', { token, headers: JSON_TYPE, body: large });
    assert.deepEqual([over.status, over.text], [413, '{"error":"payload_too_large"}']);
    assert.deepEqual(await webhookRowOf(base.db, party), row);
    const fits = large.slice(0, 16_384);
    assert.equal(
      (await node.call('PUT', '/webhook', { token, headers: JSON_TYPE, body: fits })).status,
      200,
    );
  });

  it('PUT answers 422 to a url that is not allowed, and keeps the current webhook', async () => {
    const { party, token } = await connected();
    await put(token);
    const row = await webhookRowOf(base.db, party);
    const urls = [
      '',
      'hook',
      'http://app.example/hook',
      'https://other.example/hook',
      'https://app.example:8443/hook',
      'https://user@app.example/hook',
      'https://@app.example/hook',
      'https://app.example/hook#',
      'https://app.example/hook\u0000',
      'https://app.example/\ud800',
      'https://127.0.0.1/',
      'https://localhost/',
    ];
    for (const url of urls) {
      const answer = await put(token, url);
      assert.deepEqual([answer.status, answer.text], [422, '{"error":"invalid_webhook_url"}'], url);
    }
    assert.deepEqual(await webhookRowOf(base.db, party), row);
  });

  it('the log says why a url was refused, with its origin only, and the response does not', async () => {
    const lines: string[] = [];
    const log = openLog({ level: 'info', write: (text) => lines.push(text) });
    await using told = await startPartnerNode(base, { log });
    const { party, token } = await connected();
    const answer = await put(token, 'https://hidden:hidden@app.example:8443/hidden?hidden', told);
    assert.deepEqual([answer.status, answer.text], [422, '{"error":"invalid_webhook_url"}']);
    log.close();
    const text = lines.join('');
    assert.doesNotMatch(text, /hidden/);
    const line = /.*was refused.*/.exec(text)?.[0] ?? '';
    const ids = [answer.headers.get('x-request-id') ?? '', party.shop.id, party.app.clientId];
    for (const part of [...ids, '"https://app.example:8443"', 'userinfo']) {
      assert.ok(part !== '' && line.includes(part), `${part} in ${line}`);
    }
  });

  it('a webhook must have an origin of the app’s own redirect URIs, not those of another app of the shop', async () => {
    const { party, token } = await connected();
    const other = await base.db.transaction(async (tx) => {
      const app = {
        name: 'Other',
        contactEmail: null,
        redirectUris: ['https://other.example/callback'],
        scopes: ['inventory:read' as const],
        sharesCost: false,
      };
      return await registerApp(tx, party.shop.id, app, TEST_NOW, OPERATOR);
    });
    assert.equal(other.kind, 'registered');
    const otherToken = await connectAgain({ ...party, app: other.app });
    assert.equal((await put(token, 'https://other.example/hook')).status, 422);
    assert.equal((await put(otherToken)).status, 422);
    assert.equal((await put(otherToken, 'https://other.example/hook')).status, 200);
    assert.equal(await webhookOf(token), null);
    assert.equal((await node.call('DELETE', '/webhook', { token })).status, 204);
    assert.notEqual(await webhookOf(otherToken), null);
  });

  it('every PUT sets a new secret and createdAt, and the previous secret signs for 24 more hours', async () => {
    const { party, token } = await connected();
    const first = parse((await put(token)).text);
    const before = await webhookRowOf(base.db, party);
    node.clock.advance(1_500);
    const second = parse((await put(token, `${HOOK}/2`)).text);
    node.clock.advance(-1_500);
    assert.notEqual(first.secret, second.secret);
    const at = new Date(TEST_NOW.getTime() + 1_500);
    assert.deepEqual(await webhookOf(token), { url: `${HOOK}/2`, createdAt: at.toISOString() });
    assert.equal(await signingSecret(party), second.secret);
    const row = await webhookRowOf(base.db, party);
    assert.deepEqual([row.previousSealed, row.previousKeyId], [before.sealed, before.keyId]);
    assert.deepEqual(row.previousUntil, new Date(at.getTime() + DAY_MS));
    assert.notEqual(row.registrationId, before.registrationId);
  });

  it('DELETE removes the webhook and its secrets, and returns 204 even without a webhook', async () => {
    const { party, token } = await connected();
    const never = await node.call('DELETE', '/webhook', { token });
    assert.deepEqual([never.status, never.text], [204, '']);
    assert.equal(never.headers.get('content-type'), null);
    await put(token);
    await put(token);
    const bodies = ['', 'nonsense', '[1', JSON.stringify({ url: HOOK })];
    for (const body of bodies) {
      const answer = await node.call('DELETE', '/webhook', { token, body });
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.equal(await webhookOf(token), null);
    }
    const row = await webhookRowOf(base.db, party);
    assert.deepEqual([row.url, row.removalReason], [HOOK, 'app']);
    assert.deepEqual([row.sealed, row.previousSealed, row.previousUntil], [null, null, null]);
  });

  it('the webhook allows no methods other than PUT and DELETE', async () => {
    const { token } = await connected();
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH']) {
      const answer = await node.call(method, '/webhook', { token });
      assert.equal(answer.status, 405, method);
      assert.deepEqual(answer.headers.get('allow')?.split(', ').toSorted(), ['DELETE', 'PUT']);
      assert.equal(answer.text, method === 'HEAD' ? '' : '{"error":"method_not_allowed"}');
    }
  });

  it('a webhook that is registered again after DELETE starts at the head and without a previous secret', async () => {
    const { party, token } = await connected();
    await put(token);
    await base.db.query(failTestWebhook, [party.shop.id, TEST_NOW]);
    await node.call('DELETE', '/webhook', { token });
    await addTestSite(base.db, party);
    const again = parse((await put(token)).text);
    const row = await webhookRowOf(base.db, party);
    assert.deepEqual(
      [row.acknowledgedSeq, row.failures, row.removalReason, row.previousSealed, row.previousUntil],
      [1, 0, null, null, null],
    );
    assert.notEqual(row.leaseId, null);
    assert.equal(await signingSecret(party), again.secret);
    assert.deepEqual(await webhookOf(token), { url: HOOK, createdAt: again.createdAt });
  });

  it('each of 16 concurrent PUTs returns a different secret, and events are signed with the last one', async () => {
    const { party, token } = await connected();
    await using second = await startPartnerNode(base);
    const answers = await Promise.all(
      Array.from(
        { length: 16 },
        async (_, index) => await put(token, `${HOOK}/${index}`, index % 2 === 0 ? node : second),
      ),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    const put16 = answers.map(({ text }) => parse(text));
    assert.equal(new Set(put16.map(({ secret }) => secret)).size, 16);
    const { url } = await webhookRowOf(base.db, party);
    assert.equal(await signingSecret(party), put16.find((each) => each.url === url)?.secret);
  });

  it('PUT is refused on an ended connection, for a disabled app and for another scope, and changes nothing', async () => {
    const [ended, disabled, removed] = [await connected(), await connected(), await connected()];
    await put(disabled.token);
    await base.db.transaction(async (tx) => {
      const { shop, app } = ended.party;
      await endConnection(tx, shop.id, app.clientId, 'shop', TEST_NOW, OPERATOR);
      await setAppEnabled(tx, disabled.party.app.clientId, false, TEST_NOW, OPERATOR);
      await removeApp(tx, removed.party.app.clientId, TEST_NOW, OPERATOR);
    });
    await waitUntil(async () => (await put(disabled.token)).status === 403);
    const scoped = await connected();
    const { token } = await seedGrant(base.db, scoped.party, { scope: 'purchase-boosts:read' });
    const expected = [
      [ended.token, '{"error":"connection_revoked"}'],
      [removed.token, '{"error":"connection_revoked"}'],
      [disabled.token, '{"error":"client_disabled"}'],
      [token, '{"error":"insufficient_scope","scope":"inventory:read"}'],
      [(await seedGrant(base.db, await seedParty(base.db))).token, '{"error":"forbidden"}'],
    ] as const;
    for (const [who, body] of expected) {
      for (const answer of [
        await put(who),
        await node.call('DELETE', '/webhook', { token: who }),
      ]) {
        assert.deepEqual([answer.status, answer.text], [403, body]);
      }
    }
    for (const { party } of [ended, removed, scoped]) {
      assert.deepEqual(await webhookRowsOf(base.db, party), []);
    }
    assert.equal((await webhookRowOf(base.db, disabled.party)).removalReason, null);
  });

  it('a webhook never belongs to a connection that ends at the same time, or to the next connection', async () => {
    for (let round = 0; round < 5; round++) {
      const { party, token } = await connected();
      const [answer] = await Promise.all([
        put(token),
        base.db.transaction(async (tx) => {
          await endConnection(tx, party.shop.id, party.app.clientId, 'shop', TEST_NOW, OPERATOR);
        }),
      ]);
      const expected = answer.status === 200 ? 1 : 0;
      if (expected === 0) assert.equal(answer.text, '{"error":"connection_revoked"}');
      assert.equal((await webhookRowsOf(base.db, party)).length, expected);
      const again = await connectAgain(party);
      assert.equal(await webhookOf(again), null);
    }
  });

  it('neither the database nor the log contains a webhook’s secret', async () => {
    const lines: string[] = [];
    const log = openLog({ level: 'trace', write: (text) => lines.push(text) });
    await using told = await startPartnerNode(base, { log });
    const { party, token } = await connected();
    const { secret } = parse((await put(token, HOOK, told)).text);
    await told.call('GET', '/connection', { token });
    log.close();
    const [row] = await base.db.query(selectTestWebhooksAsText, [party.shop.id]);
    assert.ok(row);
    const bytes = Buffer.from(secret.slice(6), 'base64').toString('hex');
    const everything = [row.text, lines.join('')];
    assert.match(everything[1] ?? '', /\/webhook/);
    for (const text of everything) {
      for (const part of [secret.slice(6, 18), bytes.slice(0, 16)]) {
        assert.equal(text.includes(part), false);
      }
    }
  });

  it('a webhook may be on loopback if ALLOW_LOOPBACK_WEBHOOKS is set', async () => {
    await using local = await startPartnerNode(base, { allowsLoopbackWebhooks: true });
    const party = await seedParty(base.db, { redirectUris: ['http://127.0.0.1:8090/callback'] });
    const token = await connectAgain(party);
    const url = 'http://127.0.0.1:8090/hook';
    assert.equal((await put(token, url)).status, 422);
    assert.deepEqual(await webhookRowsOf(base.db, party), []);
    assert.equal((await put(token, url, local)).status, 200);
    assert.equal((await put(token, 'http://127.0.0.1:8091/hook', local)).status, 422);
    assert.equal((await put(token, 'http://localhost:8090/hook', local)).status, 422);
  });
});
