import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { ApprovalNeededError } from './local-errors.ts';
import { openPartnerApp, type PartnerApp } from './partner-app.ts';
import type { PartnerAppOptions } from './app-options.ts';
import type { FetchAnswer, FetchInit } from './platform.ts';
import { memoryTokenStore, type StoredTokens, type TokenStore } from './tokens.ts';

const SECRET = 'cps_the_secret';
const FIRST: StoredTokens = {
  accessToken: 'cpa_0',
  accessExpiresAt: '2026-06-01T12:00:00.000Z',
  refreshToken: 'cpr_0',
  scope: 'offline_access inventory:read',
};
const OPTIONS = {
  baseUrl: 'https://cards.example/partner/v1',
  authUrl: 'https://cards.example/auth',
  clientId: 'app_1',
  clientSecret: SECRET,
  redirectUri: 'https://app.example/callback',
  retry: { firstDelayMs: 1, delayMsMax: 1 },
};
const NOW = Date.parse(FIRST.accessExpiresAt);
const CARD = { id: '3d1f2c8e-6f53-4d59-9a35-0c9f2f7f3a11', name: 'x' };

/** A service that rotates, in a few lines: what it is told to say next, and what it was asked. */
interface Scripted {
  readonly asked: { readonly token: string; readonly key: string; readonly body: string }[];
  /** Asked at each token request; undefined: the next tokens. */
  next: (count: number) => Response | Error | undefined;
  now: number;
  rotations: number;
  expiresIn: number;
  readonly fetch: (url: string, init: FetchInit) => Promise<FetchAnswer>;
  rotate(): object;
}

function scripted(): Scripted {
  const service: Scripted = {
    asked: [],
    next: () => undefined,
    now: NOW,
    rotations: 0,
    expiresIn: 900,
    fetch: async (url: string, init: FetchInit): Promise<FetchAnswer> => {
      if (!url.endsWith('/oauth2/token')) return Response.json(CARD);
      const body = new URLSearchParams(init.body);
      service.asked.push({
        token: body.get('refresh_token') ?? '',
        key: init.headers['idempotency-key'] ?? '',
        body: init.body ?? '',
      });
      const told = service.next(service.asked.length);
      if (told instanceof Error) throw told;
      return told ?? Response.json(service.rotate());
    },
    rotate: () => {
      service.rotations++;
      return {
        access_token: `cpa_${service.rotations}`,
        refresh_token: `cpr_${service.rotations}`,
        token_type: 'Bearer',
        expires_in: service.expiresIn,
        scope: FIRST.scope,
      };
    },
  };
  return service;
}

async function storeWith(tokens: StoredTokens = FIRST): Promise<TokenStore> {
  const store = memoryTokenStore();
  await store.save('default', tokens);
  return store;
}

function open(
  service: Scripted,
  tokens: TokenStore,
  changes: Partial<PartnerAppOptions> = {},
): PartnerApp {
  return openPartnerApp({
    ...OPTIONS,
    tokens,
    fetch: service.fetch,
    now: () => service.now,
    ...changes,
  });
}

function refusal(error: string, status = 400): Response {
  return Response.json({ error }, { status });
}

const gone = new TypeError('fetch failed');

describe('a refresh (decision 0145)', () => {
  it('comes a minute before the end, not earlier', async () => {
    for (const [secondsLeft, refreshes] of [
      [61, 0],
      [60, 1],
      [0, 1],
    ] as const) {
      const service = scripted();
      service.now = NOW - secondsLeft * 1_000;
      await open(service, await storeWith())
        .shop()
        .card(CARD.id);
      assert.equal(service.asked.length, refreshes, `${secondsLeft} s`);
    }
  });

  it('is noted in the store before it is sent, and the note goes when the tokens come', async () => {
    const service = scripted();
    const store = await storeWith();
    let noted: StoredTokens | null | undefined = null;
    service.next = () => undefined;
    const { fetch } = service;
    const app = open(service, store, {
      fetch: async (url, init) => {
        if (url.endsWith('/token')) noted = await store.load('default');
        return await fetch(url, init);
      },
    });
    await app.shop().card(CARD.id);
    const { pendingRefresh, ...rest } = noted ?? FIRST;
    assert.deepEqual(rest, FIRST);
    const { nextKey = '', ...sent } = pendingRefresh ?? {};
    assert.match(nextKey, /^[\w-]{43}$/);
    assert.deepEqual(sent, {
      idempotencyKey: service.asked[0]?.key,
      startedAt: new Date(NOW).toISOString(),
    });
    assert.match(service.asked[0]?.key ?? '', /^[\w-]{43}$/);
    assert.match(
      service.asked[0]?.body ?? '',
      /resource=https%3A%2F%2Fcards.example%2Fpartner%2Fv1/,
    );
    assert.deepEqual(await store.load('default'), {
      accessToken: 'cpa_1',
      accessExpiresAt: new Date(NOW + 900_000).toISOString(),
      refreshToken: 'cpr_1',
      scope: FIRST.scope,
      nextKey,
    });
  });

  it('is sent under the same name until its answer is here, and the next one under another', async () => {
    const service = scripted();
    const store = await storeWith();
    const shop = open(service, store).shop();
    const cut = new Response('{"access_token":"cp', { status: 200 });
    const told = [gone, refusal('server_error', 500), cut, new Response('<html>', { status: 502 })];
    service.next = (count) => told[count - 1];
    await shop.card(CARD.id);
    assert.equal(service.asked.length, 5);
    assert.equal(new Set(service.asked.map(({ key }) => key)).size, 1);
    service.now += 900_000;
    await shop.card(CARD.id);
    assert.deepEqual(service.asked.map(({ token }) => token).slice(-2), ['cpr_0', 'cpr_1']);
    assert.equal(new Set(service.asked.map(({ key }) => key)).size, 2);
  });

  it('has the same name in every process, and another for who lacks the client secret', async () => {
    const keys: string[] = [];
    for (const clientSecret of [SECRET, SECRET, 'cps_other']) {
      const service = scripted();
      await open(service, await storeWith(), { clientSecret })
        .shop()
        .card(CARD.id);
      keys.push(service.asked[0]?.key ?? '');
    }
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[0], keys[2]);
  });

  it('has a name that nobody finds in a copy of the store of two refreshes ago', async () => {
    const service = scripted();
    const store = await storeWith();
    const copy = await storeWith();
    const [app, thief] = [open(service, store).shop(), open(service, copy).shop()];
    for (const round of [1, 2]) {
      // As the service does for a repeated request: both are told the same tokens.
      const rotations = service.rotations;
      await app.card(CARD.id);
      service.rotations = rotations;
      await thief.card(CARD.id);
      const [own, stolen] = service.asked.slice(-2);
      assert.equal(own?.token, stolen?.token);
      assert.equal(own?.key === stolen?.key, round === 1, `refresh ${round}`);
      service.now += 900_000;
    }
  });

  it('leaves the same tokens when two processes save its answer, one after the other', async () => {
    const service = scripted();
    const store = await storeWith();
    let noted: StoredTokens | null | undefined;
    service.next = () => {
      void store.load('default').then((tokens) => (noted = tokens));
      return undefined;
    };
    await open(service, store).shop().card(CARD.id);
    const first = await store.load('default');
    // Another process has read the store before the first one saved, and saves after it what it was told, the same.
    service.next = () => undefined;
    service.rotations = 0;
    const late: TokenStore = { ...store, load: async () => noted };
    await open(service, late).shop().card(CARD.id);
    assert.equal(service.asked[0]?.key, service.asked[1]?.key);
    assert.match(first?.nextKey ?? '', /^[\w-]{43}$/);
    assert.deepEqual(await store.load('default'), first);
  });

  it('that was left behind is taken up at once, also while the old access token is good', async () => {
    const service = scripted();
    service.now = NOW - 800_000;
    const pendingRefresh = {
      idempotencyKey: 'left',
      startedAt: new Date(NOW - 830_000).toISOString(),
    };
    const store = await storeWith({ ...FIRST, pendingRefresh });
    await open(service, store).shop().card(CARD.id);
    assert.deepEqual(
      service.asked.map(({ token, key }) => [token, key]),
      [['cpr_0', 'left']],
    );
    // The answer may be as old as the first try.
    const { accessExpiresAt } = (await store.load('default')) ?? FIRST;
    assert.equal(accessExpiresAt, new Date(NOW - 830_000 + 900_000).toISOString());
  });

  it('is for nothing when another process has newer tokens: its spent token is not sent', async () => {
    const service = scripted();
    const store = await storeWith();
    const newer = {
      ...FIRST,
      accessToken: 'cpa_9',
      refreshToken: 'cpr_9',
      accessExpiresAt: new Date(NOW + 900_000).toISOString(),
    };
    service.next = (count) => {
      if (count > 1) assert.fail('it was sent again');
      // While this try is lost, another process saves what it got.
      void store.save('default', newer);
      return gone;
    };
    await open(service, store).shop().card(CARD.id);
    assert.deepEqual(await store.load('default'), newer);
  });

  it('that is refused looks whether another process has newer tokens before it gives up', async () => {
    const service = scripted();
    const store = await storeWith();
    const newer = {
      ...FIRST,
      accessToken: 'cpa_9',
      refreshToken: 'cpr_9',
      accessExpiresAt: new Date(NOW + 900_000).toISOString(),
    };
    service.next = () => {
      setTimeout(() => void store.save('default', newer), 20);
      return refusal('invalid_grant');
    };
    await open(service, store).shop().card(CARD.id);
    assert.equal(service.asked.length, 1);
    assert.deepEqual(await store.load('default'), newer);
  });

  it('never comes over the tokens of a new approval, nor over their removal', async () => {
    const service = scripted();
    const store = await storeWith();
    const approved = {
      ...FIRST,
      refreshToken: 'cpr_new',
      accessToken: 'cpa_new',
      accessExpiresAt: new Date(NOW + 900_000).toISOString(),
    };
    service.next = () => {
      void store.save('default', approved);
      return undefined;
    };
    await open(service, store).shop().card(CARD.id);
    assert.deepEqual(await store.load('default'), approved);
    service.now += 900_000;
    service.next = () => {
      void store.remove('default');
      return undefined;
    };
    await assert.rejects(open(service, store).shop().card(CARD.id), {
      name: 'ApprovalNeededError',
    });
    assert.equal(await store.load('default'), null);
  });

  it('notes nothing over what another process saves or removes between its look and its note', async () => {
    for (const meanwhile of ['approve', 'remove'] as const) {
      const service = scripted();
      const store = await storeWith();
      const approved = {
        ...FIRST,
        accessToken: 'cpa_8',
        refreshToken: 'cpr_8',
        accessExpiresAt: new Date(NOW + 900_000).toISOString(),
      };
      const raced: TokenStore = {
        ...store,
        save: async (key, tokens, replacing) => {
          if (meanwhile === 'approve') await store.save(key, approved);
          else await store.remove(key);
          return await store.save(key, tokens, replacing);
        },
      };
      const called = open(service, raced).shop().card(CARD.id);
      if (meanwhile === 'approve') await called;
      else await assert.rejects(called, { name: 'ApprovalNeededError' });
      assert.equal(service.asked.length, 0);
      assert.deepEqual(await store.load('default'), meanwhile === 'approve' ? approved : null);
    }
  });

  it('whose tokens the store does not take keeps them and offers them again', async () => {
    const service = scripted();
    const store = await storeWith();
    let isBroken = true;
    const fragile: TokenStore = {
      ...store,
      save: async (key, tokens) => {
        if (isBroken && tokens.pendingRefresh === undefined) throw new Error('disk full');
        await store.save(key, tokens);
      },
    };
    const shop = open(service, fragile).shop();
    await assert.rejects(shop.card(CARD.id), /disk full/);
    await assert.rejects(shop.card(CARD.id), /disk full/);
    isBroken = false;
    await shop.card(CARD.id);
    assert.equal(service.asked.length, 1);
    assert.equal((await store.load('default'))?.refreshToken, 'cpr_1');
  });

  it('goes on for the others when one of those who wait gives up', async () => {
    const service = scripted();
    const store = await storeWith();
    const controller = new AbortController();
    service.next = (count) => {
      if (count === 1) controller.abort(new Error('enough'));
      return count < 3 ? gone : undefined;
    };
    const shop = open(service, store).shop();
    const [one, other] = await Promise.allSettled([
      shop.card(CARD.id, { signal: controller.signal }),
      shop.card(CARD.id),
    ]);
    assert.deepEqual([one.status, other.status], ['rejected', 'fulfilled']);
    assert.equal((await store.load('default'))?.refreshToken, 'cpr_1');
  });

  it('keeps every bound whose option is undefined', async () => {
    const service = scripted();
    service.next = () => {
      service.now += 30_000;
      return gone;
    };
    const retry = Object({ firstDelayMs: 1, delayMsMax: 1, totalMsMax: undefined });
    const shop = open(service, await storeWith(), { retry }).shop();
    await assert.rejects(shop.card(CARD.id), { name: 'ConnectionFailedError' });
    assert.equal(service.asked.length, 4);
  });

  it('ends after a bounded number of tries, and the note stays', async () => {
    const service = scripted();
    const store = await storeWith();
    service.next = () => gone;
    await assert.rejects(open(service, store).shop().card(CARD.id), {
      name: 'ConnectionFailedError',
    });
    assert.equal(service.asked.length, 100);
    assert.notEqual((await store.load('default'))?.pendingRefresh, undefined);
  });

  it('is tried as long as calls are, by the clock', async () => {
    const service = scripted();
    service.next = () => {
      service.now += 30_000;
      return gone;
    };
    await assert.rejects(
      open(service, await storeWith())
        .shop()
        .card(CARD.id),
    );
    assert.equal(service.asked.length, 4);
  });

  it('is done twice when its answer is older than its access token, and no third time', async () => {
    const service = scripted();
    const pendingRefresh = {
      idempotencyKey: 'left',
      startedAt: new Date(NOW - 7_200_000).toISOString(),
    };
    const store = await storeWith({ ...FIRST, pendingRefresh });
    await open(service, store).shop().card(CARD.id);
    assert.deepEqual(
      service.asked.map(({ token }) => token),
      ['cpr_0', 'cpr_1'],
    );
    service.expiresIn = 0.001;
    service.now += 900_000;
    await open(service, store).shop().card(CARD.id);
    assert.ok(service.asked.length <= 4);
  });

  it('is refused for good: the tokens stay, and nobody asks again for half a minute', async () => {
    for (const error of ['invalid_client', 'unauthorized_client', 'invalid_grant']) {
      const service = scripted();
      const store = await storeWith();
      service.next = () => refusal(error, error === 'invalid_client' ? 401 : 400);
      const shop = open(service, store).shop();
      await assert.rejects(shop.card(CARD.id));
      assert.equal((await store.load('default'))?.refreshToken, 'cpr_0', error);
      await assert.rejects(shop.card(CARD.id));
      assert.equal(service.asked.length, error === 'invalid_grant' ? 1 : 2, error);
      service.now += 30_000;
      service.next = () => undefined;
      await shop.card(CARD.id);
      assert.equal((await store.load('default'))?.refreshToken, 'cpr_1', error);
    }
  });

  it('keeps an answer whose tokens live longer than a date can say', async () => {
    for (const expiresIn of [1e13, 1e308]) {
      const service = scripted();
      service.expiresIn = expiresIn;
      const store = await storeWith();
      await open(service, store).shop().card(CARD.id);
      const { accessExpiresAt, refreshToken } = (await store.load('default')) ?? FIRST;
      assert.equal(refreshToken, 'cpr_1');
      const seconds = Math.min(expiresIn, 315_360_000);
      assert.equal(accessExpiresAt, new Date(NOW + seconds * 1_000).toISOString());
    }
  });

  it('sends nothing of what a store gives back that is no token, and does not show it', async () => {
    for (const changes of [
      { accessToken: 'cpa_0\nhidden' },
      { accessToken: '' },
      { refreshToken: 'cpr_0 hidden' },
      { pendingRefresh: { idempotencyKey: 'k\nhidden', startedAt: FIRST.accessExpiresAt } },
    ]) {
      const service = scripted();
      const shop = open(service, await storeWith({ ...FIRST, ...changes })).shop();
      await assert.rejects(shop.card(CARD.id), (error: unknown) => {
        return error instanceof TypeError && !inspect(error).includes('hidden');
      });
      assert.equal(service.asked.length, 0);
    }
  });

  it('is not begun where a wrong baseUrl finds no authorization server: asked once, said at once', async () => {
    const service = scripted();
    const store = await storeWith();
    let asked = 0;
    const { authUrl: _, ...options } = {
      ...OPTIONS,
      tokens: store,
      now: () => service.now,
      fetch: async () => {
        asked++;
        return Response.json({ error: 'not_found' }, { status: 404 });
      },
    };
    const app = openPartnerApp(options);
    for (const key of ['default', 'other']) {
      await store.save(key, FIRST);
      await assert.rejects(app.shop(key).card(CARD.id), { name: 'MalformedAnswerError' });
      assert.equal((await store.load(key))?.pendingRefresh, undefined);
    }
    assert.equal(asked, 1);
  });

  it('takes no answer that is no token answer', async () => {
    const whole = scripted().rotate();
    for (const changes of [
      { access_token: undefined },
      { access_token: '' },
      { access_token: 'a b' },
      { access_token: 'a\r\nx: y' },
      { refresh_token: 7 },
      { token_type: 'mac' },
      { expires_in: '900' },
      { expires_in: 0 },
    ]) {
      const service = scripted();
      service.next = () => Response.json({ ...whole, ...changes });
      const store = await storeWith();
      const shop = open(service, store, { retry: { triesMax: 1 } }).shop();
      await assert.rejects(shop.card(CARD.id), { name: 'MalformedAnswerError' });
      assert.equal((await store.load('default'))?.refreshToken, 'cpr_0');
    }
  });
});

describe('an approval that has ended', () => {
  const DAY_MS = 86_400_000;
  const alive = { ...FIRST, accessExpiresAt: new Date(NOW + 10 * DAY_MS).toISOString() };

  /** An app whose every call of the API gets this answer, and the count of its calls. */
  async function refusing(
    answer: () => Response,
    kept: StoredTokens = alive,
  ): Promise<{ app: PartnerApp; store: TokenStore; service: Scripted; calls: string[] }> {
    const service = scripted();
    const store = await storeWith(kept);
    const calls: string[] = [];
    const app = open(service, store, {
      retry: { triesMax: 1 },
      fetch: async (url, init) => {
        calls.push(url.slice(url.lastIndexOf('/')));
        return url.endsWith('/token') ? await service.fetch(url, init) : answer();
      },
    });
    return { app, store, service, calls };
  }

  it('is asked about once: later calls fail at once, with one error, until new tokens are kept', async () => {
    let code = 'connection_revoked';
    const { app, store, service, calls } = await refusing(() =>
      code === '' ? Response.json(CARD) : refusal(code, 403),
    );
    await assert.rejects(app.shop().card(CARD.id), { name: 'ConnectionRevokedError' });
    const errors: unknown[] = [];
    for (let more = 0; more < 3; more++) {
      // Also long afterwards, when the access token has ended too.
      service.now += 6 * DAY_MS;
      await app
        .shop()
        .card(CARD.id)
        .catch((error: unknown) => errors.push(error));
    }
    assert.equal(calls.length, 1);
    const [error] = errors;
    assert.ok(error instanceof ApprovalNeededError);
    assert.ok(errors.every((one) => one === error));
    // Another process may have kept a new approval.
    code = '';
    const expires = new Date(service.now + DAY_MS).toISOString();
    await store.save('default', { ...alive, accessToken: 'cpa_new', accessExpiresAt: expires });
    await app.shop().card(CARD.id);
    assert.equal(calls.length, 2);
  });

  it('says nothing of another key, nor of tokens that came meanwhile', async () => {
    const { app, store, calls } = await refusing(() => {
      void store.save('default', { ...alive, accessToken: 'cpa_new' });
      return refusal('connection_revoked', 403);
    });
    await store.save('other', alive);
    await assert.rejects(app.shop().card(CARD.id), { name: 'ConnectionRevokedError' });
    await assert.rejects(app.shop().card(CARD.id), { name: 'ConnectionRevokedError' });
    await assert.rejects(app.shop('other').card(CARD.id), { name: 'ConnectionRevokedError' });
    assert.equal(calls.length, 3);
  });

  it('is none while the app is switched off or the member may not act: each call is sent', async () => {
    for (const code of ['client_disabled', 'forbidden', 'insufficient_scope']) {
      const { app, calls } = await refusing(() => refusal(code, 403));
      await assert.rejects(app.shop().card(CARD.id), { code });
      await assert.rejects(app.shop().card(CARD.id), { code });
      assert.equal(calls.length, 2, code);
    }
  });

  it('without a refresh token is over with its access token, however long that seems to live', async () => {
    const kept = { ...alive, refreshToken: null };
    const { app, calls } = await refusing(() => refusal('invalid_token', 401), kept);
    for (let call = 0; call < 3; call++) {
      await assert.rejects(app.shop().card(CARD.id), { name: 'ApprovalNeededError' });
    }
    assert.equal(calls.length, 1);
    // The connection may stand: nobody can end it with these.
    await assert.rejects(app.shop().disconnect(), { name: 'ApprovalNeededError' });
  });

  it('is disconnected and revoked without a token: what is kept is forgotten', async () => {
    for (const code of ['connection_revoked', 'invalid_token']) {
      const { app, store, service } = await refusing(() =>
        refusal(code, code === 'invalid_token' ? 401 : 403),
      );
      service.next = () => refusal('invalid_grant');
      await assert.rejects(app.shop().card(CARD.id), { needsApproval: true });
      await app.shop().disconnect();
      assert.equal(await store.load('default'), null, code);
      await app.shop().disconnect();
      await app.shop().revoke();
    }
  });

  it('cannot be told from a wrong secret or an app that is off: then it is not disconnected', async () => {
    for (const error of ['invalid_client', 'unauthorized_client']) {
      const { app, store, service } = await refusing(() => refusal('invalid_token', 401));
      service.next = () => refusal(error, 401);
      await assert.rejects(app.shop().disconnect(), { code: error });
      assert.notEqual(await store.load('default'), null);
    }
  });
});

describe('what can be seen from outside', () => {
  it('is no token and no secret: not in the app, a shop, an error, or the news of a retry', async () => {
    const service = scripted();
    const store = await storeWith();
    const news: unknown[] = [];
    const app = open(service, store, { onRetry: (retry) => news.push(retry) });
    service.next = (count) =>
      count === 1
        ? Response.json(
            { error: 'server_error', error_description: 'cpr_0 of cps_the_secret' },
            { status: 500 },
          )
        : Response.json(
            { error: 'invalid_request', error_description: `cpr_0 ${SECRET} Basic YXBwOmNwcw==` },
            { status: 400 },
          );
    const error = await app
      .shop()
      .card(CARD.id)
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    assert.ok(error instanceof Error);
    assert.equal(news.length, 1);
    const shown = inspect([app, app.shop(), error, news], {
      depth: 20,
      showHidden: true,
      getters: true,
    });
    for (const secret of ['cpa_', 'cpr_', 'cps_', 'YXBwOm']) {
      assert.equal(shown.includes(secret), false, secret);
    }
  });

  it('options that cannot be right are refused with the option and no value', () => {
    const service = scripted();
    const store = memoryTokenStore();
    for (const [changes, option] of [
      [{ baseUrl: 'cards.example/partner/v1' }, 'baseUrl'],
      [{ baseUrl: 'http://cards.example/partner/v1' }, 'baseUrl'],
      [{ baseUrl: 'https://cards.example/partner/v1?x=cps_the_secret' }, 'baseUrl'],
      [{ baseUrl: 'https://me:cps_the_secret@cards.example/partner/v1' }, 'baseUrl'],
      [{ authUrl: 'ftp://cards.example' }, 'authUrl'],
      [{ clientId: '' }, 'clientId'],
      [{ clientSecret: '' }, 'clientSecret'],
      [{ redirectUri: '/callback' }, 'redirectUri'],
      [{ scopes: [] }, 'scopes'],
    ] as const) {
      assert.throws(
        () => open(service, store, changes),
        (error: unknown) =>
          error instanceof TypeError &&
          error.message.startsWith(option) &&
          !error.message.includes('cps_the_secret'),
        option,
      );
    }
    open(service, store, { baseUrl: 'http://127.0.0.1:8085/partner/v1/' });
    open(service, store, { baseUrl: 'http://[::1]:8085/partner/v1' });
  });
});
