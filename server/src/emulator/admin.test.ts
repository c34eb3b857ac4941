import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { useEmulator, type EmulatorProcess } from '../../test/emulator.ts';
import { exchangeRaw, readResponses } from '../../test/raw-socket.ts';

let emulator: EmulatorProcess;

const VERIFIER = 'a-verifier-that-is-long-enough-to-be-one-by-RFC-7636';

function authorizationUrl(changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'app_emulated',
    redirect_uri: 'http://127.0.0.1:4321/callback',
    scope: 'offline_access inventory:read',
    state: 'the state',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    resource: emulator.baseUrl,
    ...changes,
  });
  return `${emulator.authUrl}/oauth2/authorize?${query.toString()}`;
}

async function read(path: string, token: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${String(token)}` };
  return await fetch(`${emulator.baseUrl}${path}`, { headers });
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends headers that `fetch` does not allow: another Host or Origin. */
async function send({
  method = 'POST',
  path = '/emulator/stock',
  headers = {},
  body = '',
}: Sent): Promise<number> {
  const { hostname, port, host } = new URL(emulator.url);
  return await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { host, ...headers } });
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function unitsChanged(): Promise<number> {
  const key = emulator.exports['SHOP_KEY'];
  const id = emulator.known['unitWithPhotos'];
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${emulator.shopApiUrl}/units/${id}`, { headers });
  const unit = (await answer.json()) as { priceMinor: number };
  return unit.priceMinor - 270_000;
}

describe('the admin API of an emulator', () => {
  useEmulator((started) => (emulator = started));

  describe('GET /emulator', () => {
    it('GET /emulator shows shops, apps, secrets and ids that are the same in every emulator', async () => {
      const answer = await fetch(emulator.adminUrl);
      const report = (await answer.json()) as Record<string, unknown>;
      const [shop, second] = emulator.shops;
      assert.equal(shop?.slug, 'emulated');
      assert.equal(shop?.shopKey, `csk_emulated${'0'.repeat(35)}`);
      assert.deepEqual(
        shop?.members.map(({ email }) => email),
        ['owner@emulated.example', 'clerk@emulated.example'],
      );
      assert.deepEqual(
        [...(shop?.apps ?? []), ...(second?.apps ?? [])].map((app) => [
          app.clientId,
          app.clientSecret,
        ]),
        [
          ['app_emulated', 'cps_emulated'],
          ['app_emulatedboosts', 'cps_emulatedboosts'],
          ['app_emulatedtwo', 'cps_emulatedtwo'],
          ['app_second', 'cps_second'],
        ],
      );
      assert.equal(shop?.seeded['units'], 60);
      assert.equal(emulator.known['unitWithPhotos'], '1498525a-b207-871d-8354-fdd42bd73713');
      assert.deepEqual(report['connections'], []);
      assert.deepEqual(report['faults'], []);
      assert.equal(
        emulator.exports['REDIRECT_URI'],
        'http://127.0.0.1:4321/callback',
        'its own one',
      );
      assert.deepEqual(shop?.apps[0]?.redirectUris, [
        'http://127.0.0.1:4321/callback',
        'http://127.0.0.1:8090/callback',
        'http://localhost:3000/callback',
        'http://127.0.0.1:3000/callback',
      ]);
    });

    it('each name in the list of ids describes its object correctly', async () => {
      const { access_token: token } = await emulator.admin('tokens');
      const pages: { kind: string; id: string; data: Record<string, unknown> }[] = [];
      let cursor = '';
      do {
        const page = await read(`/inventory/changes?limit=100${cursor}`, token);
        const { changes, nextCursor, hasMore } = (await page.json()) as {
          changes: typeof pages;
          nextCursor: string;
          hasMore: boolean;
        };
        pages.push(...changes);
        cursor = hasMore ? `&cursor=${nextCursor}` : '';
      } while (cursor !== '');
      const units = new Map(pages.map(({ id, data }) => [id, data]));
      const unit = (name: string): Record<string, unknown> | undefined =>
        units.get(emulator.known[name] ?? '');
      assert.equal(pages.filter(({ kind }) => kind === 'unit').length, 60);
      const photos = unit('unitWithPhotos')?.['photos'];
      assert.ok(Array.isArray(photos) && photos.length === 2);
      assert.deepEqual(unit('unitWithoutPhotos')?.['photos'], []);
      assert.equal(unit('unitSold')?.['status'], 'sold');
      assert.equal(unit('unitReserved')?.['status'], 'reserved');
      assert.equal(unit('unitConsigned')?.['ownership'], 'consigned');
      assert.equal(unit('inactiveSite')?.['isActive'], false);
      assert.equal(unit('inactiveLocation')?.['isActive'], false);
      const photo = await read(
        `/inventory/items/${emulator.known['unitWithPhotos']}/photos/back?size=small`,
        token,
      );
      assert.equal(photo.status, 200);
      assert.ok((await photo.arrayBuffer()).byteLength > 1_000);
      assert.equal((await read(`/cards/${emulator.known['inactiveCard']}`, token)).status, 200);
      const found = await read(`/cards?search=${emulator.known['inactiveCard']}`, token);
      assert.deepEqual(await found.json(), { cards: [] });
      const boosts = await read('/purchase-boosts?include=filled', token);
      const list = ((await boosts.json()) as { boosts: { id: string; status: string }[] }).boosts;
      const statusOf = (name: string): string | undefined =>
        list.find(({ id }) => id === emulator.known[name])?.status;
      assert.deepEqual([statusOf('boostOpen'), statusOf('boostFilled')], ['open', 'filled']);
      for (const name of ['boostScheduled', 'boostPaused', 'boostExpired', 'boostEnded']) {
        assert.equal(statusOf(name), undefined, name);
      }
    });
  });

  describe('tokens and approvals', () => {
    it('tokens are created with the requested scopes, and connect the app', async () => {
      const issued = await emulator.admin('tokens', { scopes: ['purchase-boosts:read'] });
      assert.equal(issued['refresh_token'], undefined);
      assert.deepEqual([issued['expires_in'], issued['token_type']], [900, 'Bearer']);
      const connection = (await (
        await read('/connection', issued['access_token'])
      ).json()) as object;
      assert.equal(Reflect.get(connection, 'id'), issued['connectionId']);
      assert.equal((await read('/inventory/sites', issued['access_token'])).status, 403);
      const clerk = await emulator.admin('tokens', { email: 'clerk@emulated.example' });
      const refused = await read('/purchase-boosts', clerk['access_token']);
      assert.equal(await refused.text(), '{"error":"forbidden"}');
      const second = await emulator.admin('tokens', { clientId: 'app_second' });
      const other = (await (await read('/connection', second['access_token'])).json()) as {
        tenant: { slug: string };
      };
      assert.equal(other.tenant.slug, 'second');
    });

    it('tokens for an unknown app, member or scope are refused with a message', async () => {
      const cases: [object, number, RegExp][] = [
        [{ clientId: 'app_unknown' }, 422, /no app "app_unknown"/],
        [{ email: 'owner@second.example' }, 422, /no member/],
        [{ clientId: 'app_emulatedboosts', scopes: ['inventory:read'] }, 422, /has not allowed/],
        [{ scopes: ['everything'] }, 400, /scopes must be an array/],
        [{ scopes: [] }, 400, /scopes must be an array/],
        [{ client: 'app_emulated' }, 400, /"client" is not a known field/],
      ];
      for (const [body, status, detail] of cases) {
        const answer = await emulator.tryAdmin('tokens', body);
        assert.equal(answer.status, status, JSON.stringify(body));
        assert.match(String(answer.body['detail']), detail);
      }
      const { connections } = (await (await fetch(emulator.adminUrl)).json()) as {
        connections: unknown[];
      };
      assert.deepEqual(connections, []);
    });

    it('an approval uses the real pages, which can allow, deny or refuse the password', async () => {
      const allowed = await emulator.admin('approvals', { authorizationUrl: authorizationUrl() });
      const target = new URL(String(allowed['redirectUrl']));
      assert.equal(target.searchParams.get('state'), 'the state');
      assert.equal(target.searchParams.get('iss'), emulator.authUrl);
      const answer = await fetch(`${emulator.authUrl}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('app_emulated:cps_emulated')}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: String(allowed['code']),
          redirect_uri: 'http://127.0.0.1:4321/callback',
          code_verifier: VERIFIER,
          resource: emulator.baseUrl,
        }),
      });
      assert.equal(answer.status, 200, await answer.text());
      const denial = { authorizationUrl: authorizationUrl(), decision: 'deny' };
      const denied = await emulator.admin('approvals', denial);
      assert.equal(denied['code'], null);
      assert.match(String(denied['redirectUrl']), /error=access_denied/);
      const unasked = { authorizationUrl: authorizationUrl({ scope: 'everything' }) };
      const refused = await emulator.admin('approvals', unasked);
      assert.match(String(refused['redirectUrl']), /error=invalid_scope/);
      const stranger = { authorizationUrl: authorizationUrl(), password: 'a wrong password' };
      const wrong = await emulator.tryAdmin('approvals', stranger);
      assert.equal(wrong.status, 422);
      assert.match(String(wrong.body['detail']), /responded with 4\d\d: Sign in.* password/);
      const unregistered = authorizationUrl({ redirect_uri: 'http://127.0.0.1:4322/callback' });
      const lost = await emulator.tryAdmin('approvals', { authorizationUrl: unregistered });
      assert.match(
        String(lost.body['detail']),
        /responded with 400: This request cannot be completed · Cardport\. The shop has not registered.* invalid_redirect_uri: /,
      );
      const unknown = authorizationUrl({ client_id: 'app_unknown' });
      const nobody = await emulator.tryAdmin('approvals', { authorizationUrl: unknown });
      assert.match(String(nobody.body['detail']), / invalid_client: /);
      const elsewhere = await emulator.tryAdmin('approvals', {
        authorizationUrl: 'https://cards.example/auth/oauth2/authorize',
      });
      assert.equal(elsewhere.status, 422);
      assert.match(String(elsewhere.body['detail']), /must begin with/);
    });

    it('tokens can be printed as shell variables', async () => {
      const answer = await fetch(`${emulator.adminUrl}/exports`, { method: 'POST' });
      const lines = (await answer.text()).trimEnd().split('\n');
      assert.ok(lines.includes("export CLIENT_ID='app_emulated'"));
      assert.ok(lines.includes(`export BASE_URL='${emulator.baseUrl}'`));
      const token = /^export ACCESS_TOKEN='(cpa_\w+)'$/m.exec(lines.join('\n'))?.[1];
      assert.equal((await read('/connection', token)).status, 200);
    });
  });

  describe('stock and reset', () => {
    it('a call changes the requested number of units, and each call changes different units', async () => {
      const { access_token: token } = await emulator.admin('tokens');
      const { cursor } = (await (await read('/connection', token)).json()) as { cursor: string };
      const first = await emulator.admin('stock', { changes: 2 });
      const second = await emulator.admin('stock');
      const ids = [...(first['unitIds'] as string[]), ...(second['unitIds'] as string[])];
      assert.equal(new Set(ids).size, 3);
      const page = await read(`/inventory/changes?cursor=${cursor}`, token);
      const { changes } = (await page.json()) as { changes: { id: string }[] };
      assert.deepEqual(changes.map(({ id }) => id).toSorted(), ids.toSorted());
      await emulator.admin('stock', { changes: 60 });
      assert.equal(await unitsChanged(), 20, 'all had their turn, the first one twice');
      assert.equal((await emulator.tryAdmin('stock', { changes: 61 })).status, 422);
      const other = await emulator.admin('stock', { shop: 'second' });
      assert.ok(!ids.includes((other['unitIds'] as string[])[0] ?? ''));
    });

    it('a reset restores tokens, faults, stock, cursors and the clock', async () => {
      const { access_token: token } = await emulator.admin('tokens');
      await emulator.admin('stock');
      const { cursor } = (await (await read('/connection', token)).json()) as { cursor: string };
      await emulator.admin('faults/rate-limit', { seconds: 60, path: '/docs' });
      await emulator.admin('faults/disable-app');
      await emulator.admin('clock', { advanceSeconds: 86_400 });
      assert.equal(await unitsChanged(), 10);
      await emulator.admin('reset');
      const report = (await (await fetch(emulator.adminUrl)).json()) as Record<string, unknown>;
      assert.deepEqual([report['faults'], report['connections']], [[], []]);
      assert.deepEqual(report['requests'], { total: 0, faulted: 0 });
      assert.equal(Reflect.get(Object(report['clock']), 'aheadSeconds'), 0);
      assert.equal((await read('/connection', token)).status, 401);
      assert.equal(await unitsChanged(), 0);
      const { access_token: fresh } = await emulator.admin('tokens');
      assert.equal((await read(`/inventory/changes?cursor=${cursor}`, fresh)).status, 410);
    });
  });

  describe('the admin API', () => {
    it('the admin API refuses requests from web pages: another host name, another origin, a form', async () => {
      const json = { 'content-type': 'application/json' };
      assert.equal(await send({ headers: { ...json, host: 'evil.example' } }), 403);
      assert.equal(await send({ headers: { ...json, host: 'evil.example:80' } }), 403);
      assert.equal(await send({ headers: { ...json, origin: 'https://evil.example' } }), 403);
      assert.equal(await send({ headers: { ...json, origin: 'null' } }), 403);
      assert.equal(await send({ headers: { ...json, 'sec-fetch-site': 'cross-site' } }), 403);
      assert.equal(
        await send({ method: 'GET', path: '/emulator', headers: { host: 'a.example' } }),
        403,
      );
      const form = { 'content-type': 'text/plain' };
      assert.equal(await send({ headers: form, body: '{"changes": 1}' }), 415);
      assert.equal(await send({ body: '{"changes": 1}' }), 415);
      assert.equal(await unitsChanged(), 0, 'none of them changed anything');
      assert.equal(await send({}), 200, 'nothing at all is an empty object');
      assert.equal(await send({ headers: { ...json, origin: emulator.url }, body: '{}' }), 200);
    });

    it('the admin API refuses an unknown call, and says where all calls are listed', async () => {
      const json = { 'content-type': 'application/json' };
      assert.equal(await send({ path: '/emulator/unknown', headers: json }), 404);
      assert.equal(await send({ method: 'GET', headers: json }), 405);
      assert.equal(await send({ path: '/emulator', headers: json }), 405);
      assert.equal(await send({ headers: json, body: '[]' }), 400);
      assert.equal(await send({ headers: json, body: '{' }), 400);
      assert.equal(await send({ headers: json, body: '{"changes": 0}' }), 400);
      assert.equal(await send({ headers: json, body: '{"changes": 1, "changes": 1}' }), 400);
      assert.equal(await send({ headers: json, body: '{"changes": 501}' }), 400);
      assert.equal(await send({ headers: json, body: `"${'x'.repeat(16_384)}"` }), 413);
      assert.equal((await emulator.tryAdmin('faults/rate-limit')).status, 400);
      assert.equal((await emulator.tryAdmin('faults/fail-answers', { status: 200 })).status, 400);
      assert.equal((await emulator.tryAdmin('clock', { advanceSeconds: -1 })).status, 400);
      assert.equal(await unitsChanged(), 0);
    });
  });

  describe('the proxy', () => {
    it('the proxy responds exactly as the service does, including to HEAD, with 304 and to invalid HTTP', async () => {
      const { access_token: token } = await emulator.admin('tokens');
      const path = `/inventory/items/${emulator.known['unitWithPhotos']}/photos/front`;
      const whole = await read(path, token);
      const bytes = Buffer.from(await whole.arrayBuffer());
      assert.equal(whole.headers.get('content-length'), String(bytes.length));
      assert.equal(whole.headers.get('cache-control'), 'no-store');
      const headers = { authorization: `Bearer ${String(token)}` };
      const head = await fetch(`${emulator.baseUrl}${path}`, { method: 'HEAD', headers });
      assert.equal(head.headers.get('content-length'), String(bytes.length));
      const etag = whole.headers.get('etag') ?? '';
      const unchanged = await fetch(`${emulator.baseUrl}${path}`, {
        headers: { ...headers, 'if-none-match': etag },
      });
      assert.equal(unchanged.status, 304);
      const long = await fetch(`${emulator.baseUrl}/webhook`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/json' },
        body: 'x'.repeat(1_000_000),
      });
      assert.equal(long.status, 413);
      const port = Number(new URL(emulator.url).port);
      for (const probe of ['no HTTP at all\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
        const [answer] = readResponses(await exchangeRaw(port, probe));
        assert.match(answer?.body ?? '', /^\{"error":"(invalid_request|method_not_allowed)"\}$/);
        assert.equal(answer?.headers.get('cache-control'), 'no-store');
      }
    });
  });
});
