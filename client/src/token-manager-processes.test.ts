import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CARD,
  FIRST_TOKENS,
  networkError,
  NOW,
  openTestApp,
  errorResponse,
  SECRET,
  scriptedService,
  storeWith,
} from '../test/token-manager-scene.ts';
import type { StoredTokens, TokenStore } from './tokens.ts';

describe('a refresh (decision 0140)', () => {
  it('a refresh keeps its idempotency key until its response arrives, and the next refresh has a different key', async () => {
    const service = scriptedService();
    const store = await storeWith();
    const shop = openTestApp(service, store).shop();
    const cut = new Response('{"access_token":"cp', { status: 200 });
    const told = [
      networkError,
      errorResponse('server_error', 500),
      cut,
      new Response('<html>', { status: 502 }),
    ];
    service.next = (count) => told[count - 1];
    await shop.card(CARD.id);
    assert.equal(service.asked.length, 5);
    assert.equal(new Set(service.asked.map(({ key }) => key)).size, 1);
    service.now += 900_000;
    await shop.card(CARD.id);
    assert.deepEqual(service.asked.map(({ token }) => token).slice(-2), ['cpr_0', 'cpr_1']);
    assert.equal(new Set(service.asked.map(({ key }) => key)).size, 2);
  });

  it('a refresh has the same key in every process, even while the client secret is rotated', async () => {
    const nameOf = async (clientSecret: string, nextKey?: string): Promise<string> => {
      const service = scriptedService();
      const tokens = nextKey === undefined ? FIRST_TOKENS : { ...FIRST_TOKENS, nextKey };
      await openTestApp(service, await storeWith(tokens), { clientSecret })
        .shop()
        .card(CARD.id);
      return service.asked[0]?.key ?? '';
    };
    assert.equal(await nameOf(SECRET), await nameOf(SECRET));
    assert.equal(await nameOf(SECRET, 'n'), await nameOf('cps_other', 'n'));
    assert.notEqual(await nameOf(SECRET, 'n'), await nameOf(SECRET, 'm'));
  });

  it('a copy of the store can derive the idempotency key of the next refresh, but not of the one after it', async () => {
    const service = scriptedService();
    const store = await storeWith();
    const copy = await storeWith();
    const [app, thief] = [openTestApp(service, store).shop(), openTestApp(service, copy).shop()];
    for (const round of [1, 2]) {
      // The service returns the same tokens for a repeated request, so both apps get the same
      // tokens.
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

  it('two processes that save the response of one refresh leave the same tokens', async () => {
    const service = scriptedService();
    const store = await storeWith();
    let noted: StoredTokens | null | undefined;
    service.next = () => {
      void store.load('default').then((tokens) => (noted = tokens));
      return undefined;
    };
    await openTestApp(service, store).shop().card(CARD.id);
    const first = await store.load('default');
    // The second process loaded the tokens before the first process saved the new ones.
    service.next = () => undefined;
    service.rotations = 0;
    const late: TokenStore = { ...store, load: async () => noted };
    await openTestApp(service, late).shop().card(CARD.id);
    assert.equal(service.asked[0]?.key, service.asked[1]?.key);
    assert.match(first?.nextKey ?? '', /^[\w-]{43}$/);
    assert.deepEqual(await store.load('default'), first);
  });

  it('an interrupted refresh is continued immediately, even while the old access token is valid', async () => {
    const service = scriptedService();
    service.now = NOW - 800_000;
    const pendingRefresh = {
      idempotencyKey: 'left',
      startedAt: new Date(NOW - 830_000).toISOString(),
    };
    const store = await storeWith({ ...FIRST_TOKENS, pendingRefresh });
    await openTestApp(service, store).shop().card(CARD.id);
    assert.deepEqual(
      service.asked.map(({ token, key }) => [token, key]),
      [['cpr_0', 'left']],
    );
    // The tokens may be as old as the first attempt, so their lifetime is counted from that
    // attempt.
    const { accessExpiresAt } = (await store.load('default')) ?? FIRST_TOKENS;
    assert.equal(accessExpiresAt, new Date(NOW - 830_000 + 900_000).toISOString());
  });

  it('a refresh does not send a used-up token if another process has stored newer tokens', async () => {
    const service = scriptedService();
    const store = await storeWith();
    const newer = {
      ...FIRST_TOKENS,
      accessToken: 'cpa_9',
      refreshToken: 'cpr_9',
      accessExpiresAt: new Date(NOW + 900_000).toISOString(),
    };
    service.next = (count) => {
      if (count > 1) assert.fail('it was sent again');
      // Another process saves its tokens while the response of this attempt is lost.
      void store.save('default', newer);
      return networkError;
    };
    await openTestApp(service, store).shop().card(CARD.id);
    assert.deepEqual(await store.load('default'), newer);
  });

  it('a refused refresh checks the store for newer tokens before it fails', async () => {
    const service = scriptedService();
    const store = await storeWith();
    const newer = {
      ...FIRST_TOKENS,
      accessToken: 'cpa_9',
      refreshToken: 'cpr_9',
      accessExpiresAt: new Date(NOW + 900_000).toISOString(),
    };
    service.next = () => {
      setTimeout(() => void store.save('default', newer), 20);
      return errorResponse('invalid_grant');
    };
    await openTestApp(service, store).shop().card(CARD.id);
    assert.equal(service.asked.length, 1);
    assert.deepEqual(await store.load('default'), newer);
  });

  it('a refresh never replaces the tokens of a new approval or undoes their removal', async () => {
    const service = scriptedService();
    const store = await storeWith();
    const approved = {
      ...FIRST_TOKENS,
      refreshToken: 'cpr_new',
      accessToken: 'cpa_new',
      accessExpiresAt: new Date(NOW + 900_000).toISOString(),
    };
    service.next = () => {
      void store.save('default', approved);
      return undefined;
    };
    await openTestApp(service, store).shop().card(CARD.id);
    assert.deepEqual(await store.load('default'), approved);
    service.now += 900_000;
    service.next = () => {
      void store.remove('default');
      return undefined;
    };
    await assert.rejects(openTestApp(service, store).shop().card(CARD.id), {
      name: 'ApprovalNeededError',
    });
    assert.equal(await store.load('default'), null);
  });

  it('a refresh is not recorded if another process saves or removes the tokens at the same time', async () => {
    for (const other of ['approve', 'remove'] as const) {
      const service = scriptedService();
      const store = await storeWith();
      const approved = {
        ...FIRST_TOKENS,
        accessToken: 'cpa_8',
        refreshToken: 'cpr_8',
        accessExpiresAt: new Date(NOW + 900_000).toISOString(),
      };
      const raced: TokenStore = {
        ...store,
        save: async (key, tokens, replacing) => {
          if (other === 'approve') await store.save(key, approved);
          else await store.remove(key);
          return await store.save(key, tokens, replacing);
        },
      };
      const called = openTestApp(service, raced).shop().card(CARD.id);
      if (other === 'approve') await called;
      else await assert.rejects(called, { name: 'ApprovalNeededError' });
      assert.equal(service.asked.length, 0);
      assert.deepEqual(await store.load('default'), other === 'approve' ? approved : null);
    }
  });
});
