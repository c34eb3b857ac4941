import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { waitUntil } from '../../server/test/wait-until.ts';
import { nodeNoticeHandler } from '../src/node-notice-handler.ts';
import type { Notice } from '../src/notice.ts';
import type { PartnerAppOptions } from '../src/app-options.ts';
import type { TransactionTarget } from '../src/sync-target.ts';
import { memoryTokenStore } from '../src/tokens.ts';
import {
  decideApproval,
  approve,
  emulator,
  expireAccessToken,
  storedTokens,
  openApp,
  QUICK,
  TOKEN_PATH,
  useEmulator,
} from './emulator-scene.ts';

const CONNECTION = '/partner/v1/connection';
const CHANGES = '/partner/v1/inventory/changes';

const { signal } = new AbortController();

/** Creates a `fetch` that counts requests to the token endpoint. */
function countTokenRequests(): Required<Pick<PartnerAppOptions, 'fetch'>> & { count(): number } {
  let requests = 0;
  return {
    fetch: async (url, init) => {
      if (url.endsWith(TOKEN_PATH)) requests++;
      return await fetch(url, init);
    },
    count: () => requests,
  };
}

/** Creates a target that records the values that it received more than once. */
function openTarget(): TransactionTarget & {
  readonly kept: Map<string, string>;
  readonly doubled: string[];
} {
  let cursor: string | null = null;
  const seen = new Set<string>();
  const target = {
    kept: new Map<string, string>(),
    doubled: [] as string[],
    load: () => cursor,
    save: (next: string) => {
      cursor = next;
    },
    upsert: (changes: Parameters<TransactionTarget['upsert']>[0]) => {
      for (const change of changes) {
        const id = `${change.kind} ${change.id}`;
        const value = `${id} ${JSON.stringify(change.data)}`;
        if (seen.has(value)) target.doubled.push(value);
        seen.add(value);
        target.kept.set(id, value);
      }
    },
  };
  return target;
}

function sorted({ kept: values }: { readonly kept: Map<string, string> }): readonly string[] {
  return [...values.values()].toSorted((a, b) => (a < b ? -1 : 1));
}

describe('an approval (specification 5.3)', () => {
  useEmulator();

  it('an approval yields tokens and a connection, and discovers the authorization server', async () => {
    const store = memoryTokenStore();
    const shop = await approve(openApp({ tokens: store }));
    assert.equal((await shop.connection()).clientId, 'app_emulated');
    const { scope, refreshToken } = await storedTokens(store);
    assert.equal(scope, 'offline_access purchase-boosts:read inventory:read');
    assert.match(refreshToken ?? '', /^cpr_/);
    assert.ok((await shop.boosts()).boosts.length > 0);
  });

  it('an approval survives lost, truncated and failed responses at each of its steps', async () => {
    for (const path of [TOKEN_PATH, CONNECTION]) {
      for (const fault of ['lose-answers', 'cut-answers', 'fail-answers']) {
        const app = openApp({ authUrl: emulator.authUrl });
        const { url, pending } = await app.beginAuthorization();
        const callback = await decideApproval(url);
        const status = fault === 'fail-answers' ? { status: 502 } : {};
        await emulator.tell(`faults/${fault}`, { path, count: 2, ...status });
        const { shop, connection } = await app.completeAuthorization(callback, pending);
        assert.equal(connection.clientId, 'app_emulated');
        assert.equal((await shop.connection()).status, 'active', `${fault} ${path}`);
      }
    }
  });

  it('an approval may be completed again within a minute, as when the page is reloaded', async () => {
    const store = memoryTokenStore();
    const app = openApp({ tokens: store });
    const { url, pending } = await app.beginAuthorization();
    const callback = await decideApproval(url);
    const path = callback.slice(new URL(callback).origin.length);
    await Promise.all([
      app.completeAuthorization(callback, pending),
      app.completeAuthorization(path, pending),
    ]);
    const first = await storedTokens(store);
    const { shop } = await app.completeAuthorization(callback, pending);
    const again = await storedTokens(store);
    assert.equal(again.refreshToken, first.refreshToken);
    assert.equal((await shop.connection()).status, 'active');
  });

  it('the app learns that the member denied the approval, and which scopes were refused', async () => {
    const app = openApp();
    const denied = await app.beginAuthorization();
    await assert.rejects(
      app.completeAuthorization(await decideApproval(denied.url, 'deny'), denied.pending),
      {
        name: 'AccessDeniedError',
      },
    );
    const boosts = openApp({ clientId: 'app_emulatedboosts', clientSecret: 'cps_emulatedboosts' });
    const asked = await boosts.beginAuthorization();
    const answer = await fetch(asked.url, { redirect: 'manual' });
    const callback = answer.headers.get('location') ?? '';
    await assert.rejects(boosts.completeAuthorization(callback, asked.pending), {
      name: 'InvalidScopeError',
    });
  });
});

describe('refresh (decision 0140)', () => {
  useEmulator();

  it('a refresh recovers from a lost response, 100 times out of 100', async () => {
    const store = memoryTokenStore();
    const shop = await approve(openApp({ tokens: store }));
    const seen = new Set([(await storedTokens(store)).refreshToken]);
    for (let lost = 0; lost < 100; lost++) {
      await expireAccessToken(store);
      await emulator.tell('faults/lose-refresh-answers', { count: 1 + (lost % 3) });
      assert.equal((await shop.connection()).status, 'active');
      const { refreshToken, pendingRefresh } = await storedTokens(store);
      assert.equal(pendingRefresh, undefined);
      assert.equal(seen.has(refreshToken), false);
      seen.add(refreshToken);
    }
  });

  it('a refresh survives every emulated network fault', async () => {
    const store = memoryTokenStore();
    const shop = await approve(openApp({ tokens: store, timeoutMs: 150 }));
    for (const [fault, members] of [
      ['cut-answers', { count: 3 }],
      ['lose-answers', { count: 3 }],
      ['fail-answers', { count: 2, status: 500 }],
      ['fail-answers', { count: 2, status: 502 }],
      ['slow-answers', { count: 1, delayMs: 400 }],
      ['drip-answers', { count: 1, delayMs: 1 }],
      ['drip-answers', { count: 1, delayMs: 40 }],
      ['rate-limit', { seconds: 1 }],
    ] as const) {
      await expireAccessToken(store);
      const former = await storedTokens(store);
      await emulator.tell(`faults/${fault}`, { ...members, path: TOKEN_PATH });
      assert.equal((await shop.connection()).status, 'active', fault);
      assert.notEqual((await storedTokens(store)).refreshToken, former.refreshToken, fault);
    }
  });

  it('concurrent callers share one refresh', async () => {
    const store = memoryTokenStore();
    const counted = countTokenRequests();
    const app = openApp({ tokens: store, ...counted });
    await approve(app);
    await emulator.tell('faults/expire-access-tokens');
    await expireAccessToken(store);
    const soFar = counted.count();
    await Promise.all(Array.from({ length: 20 }, async () => await app.shop().connection()));
    assert.equal(counted.count() - soFar, 1);
  });

  it('an access token that is rejected before its expiry is replaced, in the middle of a sync', async () => {
    const shop = await approve(openApp());
    const target = openTarget();
    let pages = 0;
    const breaking: TransactionTarget = {
      load: () => target.load(),
      upsert: (changes, tx) => target.upsert(changes, tx),
      save: async (cursor, tx) => {
        await target.save(cursor, tx);
        pages++;
        if (pages % 2 === 0) await emulator.tell('faults/expire-access-tokens');
      },
    };
    const { isCaughtUp } = await shop.sync(breaking, { limit: 10 });
    assert.equal(isCaughtUp, true);
    assert.ok(pages > 4);
    assert.deepEqual(target.doubled, []);
  });

  it('the current token is used while the token endpoint is unavailable', async () => {
    const store = memoryTokenStore();
    const counted = countTokenRequests();
    const retry = { ...QUICK, triesMax: 1 };
    const shop = await approve(openApp({ tokens: store, retry, ...counted }));
    const nearlyOver = new Date(Date.now() + 30_000).toISOString();
    await store.save('default', { ...(await storedTokens(store)), accessExpiresAt: nearlyOver });
    await emulator.tell('faults/fail-answers', { path: TOKEN_PATH, count: 100 });
    assert.equal((await shop.connection()).status, 'active');
    assert.notEqual((await storedTokens(store)).pendingRefresh, undefined);
    // After a recent failure, no refresh is requested while the old token works.
    const soFar = counted.count();
    assert.equal((await shop.connection()).status, 'active');
    assert.equal(counted.count(), soFar);
  });

  it('a disabled app keeps its tokens and continues when it is enabled', async () => {
    const store = memoryTokenStore();
    const shop = await approve(openApp({ tokens: store }));
    await emulator.tell('faults/disable-app');
    await assert.rejects(shop.connection(), { name: 'ClientDisabledError', needsApproval: false });
    await expireAccessToken(store);
    await assert.rejects(shop.connection(), {
      name: 'UnauthorizedClientError',
      needsApproval: false,
    });
    await emulator.tell('faults/enable-app');
    assert.equal((await shop.connection()).status, 'active');
    assert.equal((await storedTokens(store)).pendingRefresh, undefined);
  });

  it('after a refresh with a wrong client secret, the connection stays active', async () => {
    const store = memoryTokenStore();
    const shop = await approve(openApp({ tokens: store }));
    await expireAccessToken(store);
    const wrong = openApp({ tokens: store, clientSecret: 'cps_wrong' }).shop();
    await assert.rejects(wrong.connection(), { name: 'InvalidClientError', needsApproval: false });
    assert.equal((await shop.connection()).status, 'active');
  });

  it('an app needs a new approval when the shop has ended the connection, and works after it', async () => {
    const store = memoryTokenStore();
    const counted = countTokenRequests();
    const app = openApp({ tokens: store, ...counted });
    const shop = await approve(app);
    await emulator.tell('faults/revoke-connection');
    await assert.rejects(shop.connection(), {
      name: 'ConnectionRevokedError',
      needsApproval: true,
    });
    await expireAccessToken(store);
    await assert.rejects(shop.connection(), { name: 'ApprovalNeededError', needsApproval: true });
    const soFar = counted.count();
    await assert.rejects(shop.connection(), { name: 'ApprovalNeededError' });
    // The failure is remembered, so there is no request.
    assert.equal(counted.count(), soFar);
    assert.equal((await (await approve(app)).connection()).status, 'active');
    assert.equal((await shop.connection()).status, 'active');
  });

  it('an approval without offline_access ends with its access token', async () => {
    const store = memoryTokenStore();
    const shop = await approve(openApp({ tokens: store, scopes: ['inventory:read'] }));
    assert.equal((await shop.connection()).status, 'active');
    await emulator.tell('faults/expire-access-tokens');
    await assert.rejects(shop.connection(), {
      name: 'ApprovalNeededError',
      message: /offline_access/,
    });
  });

  it('revoke ends the approval at the service and removes the tokens, also during a refresh', async () => {
    const store = memoryTokenStore();
    const app = openApp({ tokens: store, retry: { ...QUICK, triesMax: 1 } });
    const shop = await approve(app);
    await expireAccessToken(store);
    await emulator.tell('faults/lose-refresh-answers', { count: 1 });
    await assert.rejects(shop.connection(), { name: 'ConnectionFailedError' });
    const begun = await storedTokens(store);
    assert.notEqual(begun.pendingRefresh, undefined);
    await shop.revoke();
    assert.equal(await store.load('default'), null);
    await assert.rejects(shop.connection(), { name: 'ApprovalNeededError' });
    const again = memoryTokenStore();
    await again.save('default', begun);
    await assert.rejects(openApp({ tokens: again }).shop().connection(), {
      name: 'ApprovalNeededError',
    });
    await shop.revoke();
  });
});

describe('other network faults (specification 4.6)', () => {
  useEmulator();

  it('network faults neither lose nor duplicate a change', async () => {
    const app = openApp({ timeoutMs: 300 });
    const shop = await approve(app);
    const target = openTarget();
    for (const [fault, members] of [
      ['lose-answers', { count: 3 }],
      ['cut-answers', { count: 3 }],
      ['fail-answers', { count: 1, status: 503 }],
      ['fail-answers', { count: 3, status: 500 }],
      ['slow-answers', { count: 1, delayMs: 600 }],
      ['expire-access-tokens', {}],
    ] as const) {
      await emulator.tell('stock', { changes: 7 });
      const where = fault === 'expire-access-tokens' ? {} : { path: CHANGES };
      await emulator.tell(`faults/${fault}`, { ...members, ...where });
      await shop.sync(target, { limit: 20 });
      const fresh = openTarget();
      await shop.sync(fresh);
      assert.deepEqual(sorted(target), sorted(fresh), fault);
      assert.deepEqual(target.doubled, [], fault);
    }
  });

  it('after a restore from a backup, everything is read again and nothing existing is removed', async () => {
    const shop = await approve(openApp());
    const target = openTarget();
    await shop.sync(target);
    const former = sorted(target);
    await emulator.tell('faults/expire-cursors');
    const told: string[] = [];
    const { restarts } = await shop.sync({
      load: () => target.load(),
      save: (cursor, tx) => target.save(cursor, tx),
      upsert: (changes, tx) => target.upsert(changes, tx),
      restart: () => {
        told.push('restart');
        target.kept.clear();
      },
      finishRestart: () => void told.push('finish'),
    });
    assert.equal(restarts, 1);
    assert.deepEqual([told.at(0), told.at(-1)], ['restart', 'finish']);
    assert.deepEqual(sorted(target), former);
  });

  it('disconnect ends the connection once even if the response is lost, and removes the tokens', async () => {
    const store = memoryTokenStore();
    const app = openApp({ tokens: store });
    const shop = await approve(app);
    await emulator.tell('faults/lose-answers', { path: CONNECTION, count: 2 });
    await shop.disconnect();
    assert.equal(await store.load('default'), null);
    await assert.rejects(shop.connection(), { name: 'ApprovalNeededError' });
    assert.equal((await (await approve(app)).connection()).status, 'active');
  });

  it('a node:http handler gets each notice, and the stock follows', async () => {
    const shop = await approve(openApp());
    const target = openTarget();
    const notices: Notice[] = [];
    let secret = '';
    const follower = shop.follow(target, { pollEveryMs: 3_600_000, signal });
    const handler = nodeNoticeHandler({
      secret: () => secret,
      onNotice: (notice) => {
        notices.push(notice);
        follower.wake();
      },
    });
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    await emulator.tell('redirect-uris', { redirectUri: `${origin}/callback` });
    ({ secret } = await shop.registerWebhook(`${origin}/hook`));
    await emulator.tell('faults/hold-notices');
    await emulator.tell('stock', { changes: 5 });
    await emulator.tell('stock', { changes: 5 });
    assert.equal(notices.length, 0);
    await emulator.tell('faults/repeat-notices', { count: 1 });
    await emulator.tell('faults/release-notices');
    // A burst of changes causes one notice, which was sent twice in this case.
    await waitUntil(() => notices.length === 2);
    assert.equal(notices[0]?.eventId, notices[1]?.eventId);
    const { id, tenant } = await shop.connection();
    assert.deepEqual([notices[0]?.connectionId, notices[0]?.tenantId], [id, tenant.id]);
    const fresh = openTarget();
    await shop.sync(fresh);
    await waitUntil(() => sorted(target).join() === sorted(fresh).join());
    assert.deepEqual(target.doubled, []);
    await follower.stop();
    await shop.removeWebhook();
    server.close();
  });
});
