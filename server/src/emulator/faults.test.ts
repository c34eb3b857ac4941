import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useEmulator, type EmulatorProcess } from '../../test/emulator.ts';
import { startHookReceiver } from '../../test/hook-receiver.ts';
import { waitUntil } from '../../test/wait-until.ts';

let emulator: EmulatorProcess;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function newTokens(): Promise<Tokens> {
  const issued = await emulator.admin('tokens');
  return {
    access_token: String(issued['access_token']),
    refresh_token: String(issued['refresh_token']),
  };
}

async function read(path: string, token: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return await fetch(`${emulator.baseUrl}${path}`, { headers });
}

async function refresh(token: string, key: string | null = null): Promise<Response> {
  const [app] = emulator.shops[0]?.apps ?? [];
  return await fetch(`${emulator.authUrl}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${app?.clientId}:${app?.clientSecret}`)}`,
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      resource: emulator.baseUrl,
    }),
  });
}

interface Log {
  readonly total: number;
  readonly requests: readonly Record<string, unknown>[];
}

async function log(query = ''): Promise<Log> {
  return (await (await fetch(`${emulator.adminUrl}/requests${query}`)).json()) as Log;
}

async function requests(): Promise<Log['requests']> {
  return (await log()).requests;
}

describe('an emulator controlled with its admin API', () => {
  useEmulator((started) => (emulator = started));

  describe('GET /emulator/requests', () => {
    it('GET /emulator/requests lists the requests after a number, and counts requests that it no longer lists', async () => {
      const { access_token: token } = await newTokens();
      await Promise.all(Array.from({ length: 201 }, async () => await read('/connection', token)));
      const { total, requests: all } = await log();
      assert.deepEqual([total, all.length, all[0]?.['number']], [201, 200, 2]);
      assert.deepEqual(await log('?since=201'), { total: 201, requests: [] });
      await read('/inventory/sites', token);
      const { total: after, requests: later } = await log('?since=201');
      assert.equal(after, 202);
      assert.deepEqual(
        later.map(({ number, path, status }) => [number, path, status]),
        [[202, '/partner/v1/inventory/sites', 200]],
      );
      for (const query of ['?since=', '?since=-1', '?since=1.5', '?since=1&since=2', '?after=1']) {
        assert.equal((await fetch(`${emulator.adminUrl}/requests${query}`)).status, 400, query);
      }
    });
  });

  describe('lose-refresh-answers', () => {
    it('lose-refresh-answers performs the refresh but drops the response, and a retry with the same key gets it', async () => {
      const { refresh_token: former, access_token: access } = await newTokens();
      await emulator.admin('faults/lose-refresh-answers', { count: 2 });
      assert.equal(
        (await read('/connection', access)).status,
        200,
        'another request is left alone',
      );
      await assert.rejects(refresh(former, 'one'), TypeError);
      await assert.rejects(refresh(former, 'one'), TypeError);
      const third = await refresh(former, 'one');
      assert.equal(third.status, 200);
      const plain = await refresh(former);
      assert.equal(plain.status, 400, 'the token was used up by the request whose answer was lost');
      const noted = (await requests()).map(({ path, status, fault }) => [path, status, fault]);
      assert.deepEqual(noted, [
        ['/partner/v1/connection', 200, null],
        ['/auth/oauth2/token', 200, 'lose-refresh-answers'],
        ['/auth/oauth2/token', 200, 'lose-refresh-answers'],
        ['/auth/oauth2/token', 200, null],
        ['/auth/oauth2/token', 400, null],
      ]);
    });
  });

  describe('lose-answers and cut-answers', () => {
    it('lose-answers drops only responses below the given path', async () => {
      const { access_token: token } = await newTokens();
      await emulator.admin('faults/lose-answers', { path: '/partner/v1/webhook' });
      assert.equal((await read('/connection', token)).status, 200);
      const put = async (): Promise<Response> =>
        await fetch(`${emulator.baseUrl}/webhook`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ url: 'http://127.0.0.1:8090/hook' }),
        });
      await assert.rejects(put(), TypeError);
      const { webhook } = (await (await read('/connection', token)).json()) as { webhook: object };
      assert.ok(webhook, 'the registration was carried out');
      assert.equal((await put()).status, 200);
    });

    it('cut-answers truncates the body of one response', async () => {
      const { access_token: token } = await newTokens();
      await emulator.admin('faults/cut-answers', {});
      const cut = await read('/inventory/sites', token);
      assert.equal(cut.status, 200);
      await assert.rejects(cut.text(), TypeError);
      const whole = await read('/inventory/sites', token);
      const bytes = Buffer.byteLength(await whole.text());
      assert.equal(bytes, Number(whole.headers.get('content-length')));
    });
  });

  describe('drip-answers', () => {
    it('drip-answers sends the headers immediately and the complete body in pieces', async () => {
      const { access_token: token } = await newTokens();
      const plain = await (await read('/inventory/sites', token)).text();
      await emulator.admin('faults/drip-answers', { delayMs: 2 });
      const dripped = await read('/inventory/sites', token);
      assert.equal(await dripped.text(), plain);
      await emulator.admin('faults/drip-answers', { delayMs: 60_000 });
      const headers = { authorization: `Bearer ${token}` };
      const patience = new AbortController();
      const { signal } = patience;
      const endless = await fetch(`${emulator.baseUrl}/inventory/sites`, { headers, signal });
      assert.equal(endless.status, 200, 'the headers have come');
      patience.abort();
      await assert.rejects(endless.text(), { name: 'AbortError' });
      assert.equal((await read('/inventory/sites', token)).status, 200);
    });
  });

  describe('rate-limit and fail-answers', () => {
    it('rate-limit responds with 429 and the body of the specification until the time is over', async () => {
      const { access_token: token, refresh_token: former } = await newTokens();
      await emulator.admin('faults/rate-limit', { seconds: 30 });
      const refused = await read('/connection', token);
      assert.equal(refused.status, 429);
      assert.equal(await refused.text(), '{"error":"rate_limited"}');
      const seconds = Number(refused.headers.get('retry-after'));
      assert.ok(seconds > 0 && seconds <= 30);
      assert.equal(refused.headers.get('cache-control'), 'no-store');
      assert.match(refused.headers.get('x-request-id') ?? '', /^[0-9a-z]{18}$/);
      assert.match(refused.headers.get('link') ?? '', /docs\/errors#rate_limited/);
      const token429 = await refresh(former);
      assert.equal(token429.status, 429);
      assert.equal(((await token429.json()) as { error: string }).error, 'rate_limited');
      const key = emulator.exports['SHOP_KEY'];
      const shop = await fetch(`${emulator.shopApiUrl}/sites`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(shop.status, 200, 'the Shop API is left alone');
      await emulator.admin('clock', { advanceSeconds: 30 });
      assert.equal((await read('/connection', token)).status, 200);
      assert.equal((await refresh(former)).status, 200, 'the token was not used up');
    });

    it('fail-answers responds with a status to the given number of requests, and does not perform them', async () => {
      const { access_token: token } = await newTokens();
      await emulator.admin('faults/fail-answers', { status: 503, count: 1 });
      const refused = await read('/connection', token);
      assert.equal(refused.status, 503);
      assert.equal(await refused.text(), '{"error":"temporarily_unavailable"}');
      assert.equal(refused.headers.get('retry-after'), '2');
      assert.equal((await read('/connection', token)).status, 200);
    });
  });

  describe('slow-answers', () => {
    it('slow-answers delays responses until the fault is cleared', async () => {
      const { access_token: token } = await newTokens();
      await emulator.admin('faults/slow-answers', { delayMs: 60_000 });
      const signal = AbortSignal.timeout(50);
      const headers = { authorization: `Bearer ${token}` };
      await assert.rejects(fetch(`${emulator.baseUrl}/connection`, { headers, signal }), {
        name: 'TimeoutError',
      });
      const { total } = await log();
      const held = fetch(`${emulator.baseUrl}/connection`, {
        headers,
        signal: AbortSignal.timeout(30_000),
      });
      await waitUntil(async () => (await log()).total > total);
      assert.deepEqual(await emulator.admin('faults/clear'), { ended: 1 });
      assert.equal((await held).status, 200, 'the answer that was held back');
      assert.equal((await read('/connection', token)).status, 200);
      assert.equal((await requests())[0]?.['fault'], 'slow-answers');
    });
  });

  describe('five hundred concurrent requests', () => {
    it('five hundred concurrent requests do not block the admin API, and further requests are refused', async () => {
      const { access_token: token } = await newTokens();
      await emulator.admin('faults/slow-answers', { delayMs: 60_000, path: '/partner/v1' });
      const statuses: number[] = [];
      const asked = Array.from({ length: 505 }, async () => {
        statuses.push((await read('/connection', token)).status);
      });
      await waitUntil(() => statuses.length === 5);
      assert.deepEqual(statuses, [503, 503, 503, 503, 503]);
      await emulator.admin('faults/clear');
      await Promise.all(asked);
      assert.deepEqual(new Set(statuses.slice(5)), new Set([200]));
    });
  });

  describe('shop actions', () => {
    it('a shop action ends the connection of one app only', async () => {
      const { access_token: token, refresh_token: former } = await newTokens();
      const other = await emulator.admin('tokens', { clientId: 'app_emulatedboosts' });
      assert.equal((await emulator.admin('faults/revoke-connection'))['isEnded'], true);
      const refused = await read('/connection', token);
      assert.equal(refused.status, 403);
      assert.equal(await refused.text(), '{"error":"connection_revoked"}');
      assert.equal((await refresh(former)).status, 400);
      assert.equal((await read('/connection', String(other['access_token']))).status, 200);
      assert.equal((await emulator.admin('faults/revoke-connection'))['isEnded'], false);
    });

    it('shop actions disable and enable an app, whose tokens stay valid', async () => {
      const { access_token: token, refresh_token: former } = await newTokens();
      await emulator.admin('faults/disable-app');
      assert.equal(await (await read('/connection', token)).text(), '{"error":"client_disabled"}');
      const refused = (await (await refresh(former)).json()) as { error: string };
      assert.equal(refused.error, 'unauthorized_client');
      await emulator.admin('faults/enable-app');
      assert.equal((await read('/connection', token)).status, 200);
      assert.equal((await refresh(former)).status, 200);
    });
  });

  describe('the calls for expiry and the clock', () => {
    it('a call expires access tokens but not refresh tokens', async () => {
      const { access_token: token, refresh_token: former } = await newTokens();
      assert.equal((await read('/connection', token)).status, 200);
      assert.deepEqual(await emulator.admin('faults/expire-access-tokens'), { expired: 1 });
      assert.equal(await (await read('/connection', token)).text(), '{"error":"invalid_token"}');
      const again = (await (await refresh(former)).json()) as Tokens;
      assert.equal((await read('/connection', again.access_token)).status, 200);
    });

    it('expired cursors get a 410, and a read without a cursor works', async () => {
      const { access_token: token } = await newTokens();
      const page = await read('/inventory/changes?limit=5', token);
      const { nextCursor } = (await page.json()) as { nextCursor: string };
      await emulator.admin('faults/expire-cursors');
      const gone = await read(`/inventory/changes?cursor=${nextCursor}`, token);
      assert.equal(gone.status, 410);
      assert.equal(await gone.text(), '{"error":"cursor_expired"}');
      assert.equal((await read('/inventory/changes?limit=5', token)).status, 200);
    });

    it('a token expires after exactly 900 seconds of the clock (5.4)', async () => {
      const { access_token: token } = await newTokens();
      await emulator.admin('clock', { advanceSeconds: 840 });
      assert.equal((await read('/connection', token)).status, 200);
      const { aheadSeconds } = await emulator.admin('clock', { advanceSeconds: 60 });
      assert.equal(aheadSeconds, 900);
      assert.equal((await read('/connection', token)).status, 401);
      const fresh = await newTokens();
      assert.equal(
        (await read('/connection', fresh.access_token)).status,
        200,
        'issued at the new time',
      );
    });

    it('moving the clock opens a scheduled boost, and closes a boost at its end', async () => {
      const ids = async (token: string): Promise<readonly string[]> => {
        const list = (await (await read('/purchase-boosts', token)).json()) as {
          boosts: readonly { id: string }[];
        };
        return list.boosts.map(({ id }) => id);
      };
      const { boostScheduled = '', boostOpenUntilLater = '', boostOpen = '' } = emulator.known;
      const now = await ids((await newTokens()).access_token);
      assert.deepEqual(
        [now.includes(boostScheduled), now.includes(boostOpenUntilLater)],
        [false, true],
      );
      await emulator.admin('clock', { advanceSeconds: 31 * 86_400 });
      const then = await ids((await newTokens()).access_token);
      assert.ok(then.includes(boostScheduled) && !then.includes(boostOpenUntilLater));
      assert.ok(then.includes(boostOpen));
    });
  });

  describe('webhook events', () => {
    it('webhook events can be held, so that one event covers all changes, and repeated with the same event id', async () => {
      await using receiver = await startHookReceiver();
      const { access_token: token } = await newTokens();
      const origin = new URL(receiver.url).origin;
      await emulator.admin('redirect-uris', { redirectUri: `${origin}/callback` });
      const put = await fetch(`${emulator.baseUrl}/webhook`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: receiver.url }),
      });
      assert.equal(put.status, 200, await put.text());
      await emulator.admin('faults/hold-notices');
      await emulator.admin('stock', { changes: 3 });
      await emulator.admin('stock', { changes: 2 });
      await emulator.admin('clock', { advanceSeconds: 60 });
      assert.equal(receiver.received.length, 0);
      await emulator.admin('faults/release-notices');
      await waitUntil(() => receiver.received.length === 1);
      const [first] = receiver.received;
      const sentAt = Number(first?.headers['x-service-timestamp']);
      const ahead = sentAt - Date.now() / 1_000;
      assert.ok(ahead > 0 && ahead <= 61, 'signed at the time of the emulator');
      await emulator.admin('faults/repeat-notices');
      await emulator.admin('stock');
      await waitUntil(() => receiver.received.length === 3);
      const ids = receiver.received.map(({ headers }) => headers['x-service-event-id']);
      assert.equal(ids[1], ids[2]);
      assert.notEqual(ids[0], ids[1]);
      assert.equal(receiver.received[1]?.body, receiver.received[2]?.body);
      await emulator.admin('stock');
      await waitUntil(() => receiver.received.length === 4);
      assert.notEqual(receiver.received[3]?.headers['x-service-event-id'], ids[2]);
    });
  });
});
