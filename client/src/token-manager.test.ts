import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import {
  CARD,
  FIRST_TOKENS,
  networkError,
  NOW,
  openTestApp,
  OPTIONS,
  errorResponse,
  SECRET,
  scriptedService,
  storeWith,
} from '../test/token-manager-scene.ts';
import { openPartnerApp } from './partner-app.ts';
import { memoryTokenStore, type StoredTokens, type TokenStore } from './tokens.ts';

describe('a refresh (decision 0140)', () => {
  it('a refresh starts a minute before the expiry, not earlier', async () => {
    for (const [secondsLeft, refreshes] of [
      [61, 0],
      [60, 1],
      [0, 1],
    ] as const) {
      const service = scriptedService();
      service.now = NOW - secondsLeft * 1_000;
      await openTestApp(service, await storeWith())
        .shop()
        .card(CARD.id);
      assert.equal(service.asked.length, refreshes, `${secondsLeft} s`);
    }
  });

  it('a refresh is recorded in the store from before it is sent until the new tokens are saved', async () => {
    const service = scriptedService();
    const store = await storeWith();
    let noted: StoredTokens | null | undefined = null;
    service.next = () => undefined;
    const { fetch } = service;
    const app = openTestApp(service, store, {
      fetch: async (url, init) => {
        if (url.endsWith('/token')) noted = await store.load('default');
        return await fetch(url, init);
      },
    });
    await app.shop().card(CARD.id);
    const { pendingRefresh, ...rest } = noted ?? FIRST_TOKENS;
    assert.deepEqual(rest, FIRST_TOKENS);
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
      scope: FIRST_TOKENS.scope,
      nextKey,
    });
  });

  it('tokens that the store failed to save are kept, and saved at the next call', async () => {
    const service = scriptedService();
    const store = await storeWith();
    let isBroken = true;
    const fragile: TokenStore = {
      ...store,
      save: async (key, tokens) => {
        if (isBroken && tokens.pendingRefresh === undefined) throw new Error('disk full');
        await store.save(key, tokens);
      },
    };
    const shop = openTestApp(service, fragile).shop();
    await assert.rejects(shop.card(CARD.id), /disk full/);
    await assert.rejects(shop.card(CARD.id), /disk full/);
    isBroken = false;
    await shop.card(CARD.id);
    assert.equal(service.asked.length, 1);
    assert.equal((await store.load('default'))?.refreshToken, 'cpr_1');
  });

  it('a refresh continues for other callers when one caller aborts', async () => {
    const service = scriptedService();
    const store = await storeWith();
    const controller = new AbortController();
    service.next = (count) => {
      if (count === 1) controller.abort(new Error('enough'));
      return count < 3 ? networkError : undefined;
    };
    const shop = openTestApp(service, store).shop();
    const [one, other] = await Promise.allSettled([
      shop.card(CARD.id, { signal: controller.signal }),
      shop.card(CARD.id),
    ]);
    assert.deepEqual([one.status, other.status], ['rejected', 'fulfilled']);
    assert.equal((await store.load('default'))?.refreshToken, 'cpr_1');
  });

  it('the manager uses the default for every undefined option', async () => {
    const service = scriptedService();
    service.next = () => {
      service.now += 30_000;
      return networkError;
    };
    const retry = Object({ firstDelayMs: 1, delayMsMax: 1, totalMsMax: undefined });
    const shop = openTestApp(service, await storeWith(), { retry }).shop();
    await assert.rejects(shop.card(CARD.id), { name: 'ConnectionFailedError' });
    assert.equal(service.asked.length, 4);
  });

  it('a refresh ends after a hundred attempts, and its record remains in the store', async () => {
    const service = scriptedService();
    const store = await storeWith();
    service.next = () => networkError;
    await assert.rejects(openTestApp(service, store).shop().card(CARD.id), {
      name: 'ConnectionFailedError',
    });
    assert.equal(service.asked.length, 100);
    assert.notEqual((await store.load('default'))?.pendingRefresh, undefined);
  });

  it('the retries of a refresh have the same time limit as the retries of a call, measured by the clock', async () => {
    const service = scriptedService();
    service.next = () => {
      service.now += 30_000;
      return networkError;
    };
    await assert.rejects(
      openTestApp(service, await storeWith())
        .shop()
        .card(CARD.id),
    );
    assert.equal(service.asked.length, 4);
  });

  it('a refresh is repeated once if its response is so old that the access token has expired', async () => {
    const service = scriptedService();
    const pendingRefresh = {
      idempotencyKey: 'left',
      startedAt: new Date(NOW - 7_200_000).toISOString(),
    };
    const store = await storeWith({ ...FIRST_TOKENS, pendingRefresh });
    await openTestApp(service, store).shop().card(CARD.id);
    assert.deepEqual(
      service.asked.map(({ token }) => token),
      ['cpr_0', 'cpr_1'],
    );
    service.expiresIn = 0.001;
    service.now += 900_000;
    await openTestApp(service, store).shop().card(CARD.id);
    assert.ok(service.asked.length <= 4);
  });

  it('a refused refresh keeps the tokens, and invalid_grant stops refreshes for half a minute', async () => {
    for (const error of ['invalid_client', 'unauthorized_client', 'invalid_grant']) {
      const service = scriptedService();
      const store = await storeWith();
      service.next = () => errorResponse(error, error === 'invalid_client' ? 401 : 400);
      const shop = openTestApp(service, store).shop();
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

  it('a token lifetime beyond the range of dates is accepted', async () => {
    for (const expiresIn of [1e13, 1e308]) {
      const service = scriptedService();
      service.expiresIn = expiresIn;
      const store = await storeWith();
      await openTestApp(service, store).shop().card(CARD.id);
      const { accessExpiresAt, refreshToken } = (await store.load('default')) ?? FIRST_TOKENS;
      assert.equal(refreshToken, 'cpr_1');
      const seconds = Math.min(expiresIn, 315_360_000);
      assert.equal(accessExpiresAt, new Date(NOW + seconds * 1_000).toISOString());
    }
  });

  it('a malformed token from the store is not sent or shown', async () => {
    for (const changes of [
      { accessToken: 'cpa_0\nhidden' },
      { accessToken: '' },
      { refreshToken: 'cpr_0 hidden' },
      { pendingRefresh: { idempotencyKey: 'k\nhidden', startedAt: FIRST_TOKENS.accessExpiresAt } },
    ]) {
      const service = scriptedService();
      const shop = openTestApp(service, await storeWith({ ...FIRST_TOKENS, ...changes })).shop();
      await assert.rejects(shop.card(CARD.id), (error: unknown) => {
        return error instanceof TypeError && !inspect(error).includes('hidden');
      });
      assert.equal(service.asked.length, 0);
    }
  });

  it('no refresh starts if discovery fails, and one discovery request is sent for all shops', async () => {
    const service = scriptedService();
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
      await store.save(key, FIRST_TOKENS);
      await assert.rejects(app.shop(key).card(CARD.id), { name: 'MalformedAnswerError' });
      assert.equal((await store.load(key))?.pendingRefresh, undefined);
    }
    assert.equal(asked, 1);
  });

  it('a refresh refuses a response that is not a token response', async () => {
    const whole = scriptedService().rotate();
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
      const service = scriptedService();
      service.next = () => Response.json({ ...whole, ...changes });
      const store = await storeWith();
      const shop = openTestApp(service, store, { retry: { triesMax: 1 } }).shop();
      await assert.rejects(shop.card(CARD.id), { name: 'MalformedAnswerError' });
      assert.equal((await store.load('default'))?.refreshToken, 'cpr_0');
    }
  });
});
describe('secrets in values, errors and reports', () => {
  it('the app, a shop, an error and a retry report contain no token or secret', async () => {
    const service = scriptedService();
    const store = await storeWith();
    const news: unknown[] = [];
    const app = openTestApp(service, store, { onRetry: (retry) => news.push(retry) });
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

  it('an error names an invalid option without its value', () => {
    const service = scriptedService();
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
        () => openTestApp(service, store, changes),
        (error: unknown) =>
          error instanceof TypeError &&
          error.message.startsWith(option) &&
          !error.message.includes('cps_the_secret'),
        option,
      );
    }
    openTestApp(service, store, { baseUrl: 'http://127.0.0.1:8085/partner/v1/' });
    openTestApp(service, store, { baseUrl: 'http://[::1]:8085/partner/v1' });
  });
});
