import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelFeed } from '../test/model-feed.ts';
import { ModelStore } from '../test/model-store.ts';
import { openPartnerApp, type PartnerApp } from './partner-app.ts';
import { memoryTokenStore } from './tokens.ts';

const TOKENS = {
  accessToken: 'cpa_0',
  accessExpiresAt: '2126-01-01T00:00:00.000Z',
  refreshToken: null,
  scope: 'inventory:read',
};

/** An app with a feed that responds only when the test says so. */
interface Held {
  readonly app: PartnerApp;
  readonly feed: ModelFeed;
  /** Returns the number of requests so far. */
  readonly asked: () => number;
  /** Responds to the oldest waiting request. */
  readonly answer: () => void;
  /** From now on, every request gets its response immediately. */
  readonly open: () => void;
}

async function hold(...keys: readonly string[]): Promise<Held> {
  const feed = new ModelFeed();
  feed.put('a', 1);
  const tokens = memoryTokenStore();
  for (const key of keys) await tokens.save(key, TOKENS);
  const waiting: (() => void)[] = [];
  let [asked, isOpen] = [0, false];
  const app = openPartnerApp({
    baseUrl: 'https://cards.example/partner/v1',
    authUrl: 'https://cards.example/auth',
    clientId: 'app_1',
    clientSecret: 'cps_1',
    redirectUri: 'https://app.example/callback',
    tokens,
    fetch: async (url) => {
      asked++;
      const page = await feed.fetchPage({ cursor: new URL(url).searchParams.get('cursor') });
      if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
      return Response.json(page);
    },
  });
  const answer = (): void => waiting.shift()?.();
  const open = (): void => {
    isOpen = true;
    while (waiting.length > 0) answer();
  };
  return { app, feed, asked: () => asked, answer, open };
}

/** Waits 20 turns of the event loop, enough for everything that does not wait for a response. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe('syncs of one shop in one process', () => {
  it('syncs of one shop run one after the other, even through two Shop objects, and leave no old value', async () => {
    const { app, feed, asked, answer, open } = await hold('tokyo');
    const store = new ModelStore();
    const slow = app.shop('tokyo').sync(store.wholeTarget());
    await settle();
    assert.equal(asked(), 1);
    feed.put('a', 2);
    const quick = app.shop('tokyo').sync(store.wholeTarget());
    await settle();
    // A request of the second sync would already return the newer value, and the first sync would
    // then overwrite it.
    assert.equal(asked(), 1);
    answer();
    open();
    assert.deepEqual([(await slow).changes, (await quick).changes], [1, 1]);
    assert.deepEqual(store.state(), feed.state());
  });

  it('a sync waits for the sync of a follower, and a follower waits for a sync', async () => {
    const { app, feed, asked, open } = await hold('tokyo');
    const store = new ModelStore();
    const follower = app.shop('tokyo').follow(store.storeTarget(), { pollEveryMs: 3_600_000 });
    await settle();
    const own = app.shop('tokyo').sync(store.storeTarget());
    await settle();
    assert.equal(asked(), 1);
    feed.put('b', 1);
    open();
    await own;
    assert.deepEqual(store.state(), feed.state());
    await follower.stop();
  });

  it('syncs with different keys do not wait for each other', async () => {
    const { app, asked, open } = await hold('tokyo', 'osaka');
    const works = ['tokyo', 'osaka'].map(
      async (key) => await app.shop(key).sync(new ModelStore().wholeTarget()),
    );
    await settle();
    assert.equal(asked(), 2);
    open();
    await Promise.all(works);
  });

  it('the next sync runs even if the previous one failed', async () => {
    const { app, open } = await hold('tokyo');
    const fault = new Error('disk full');
    const failing = app.shop('tokyo').sync({
      load: () => null,
      store: () => {
        throw fault;
      },
    });
    const next = app.shop('tokyo').sync(new ModelStore().wholeTarget());
    open();
    await assert.rejects(failing, fault);
    assert.equal((await next).changes, 1);
  });

  it('a sync that is aborted while it waits ends immediately, stores nothing and delays no other sync', async () => {
    const { app, feed, asked, answer, open } = await hold('tokyo');
    const store = new ModelStore();
    const shop = app.shop('tokyo');
    const slow = shop.sync(store.wholeTarget());
    const controller = new AbortController();
    const reason = new Error('enough');
    let loads = 0;
    const load = (): null => {
      loads++;
      return null;
    };
    const given = shop.sync({ load, store: () => undefined }, { signal: controller.signal });
    await settle();
    controller.abort(reason);
    await assert.rejects(given, reason);
    feed.put('a', 2);
    const third = shop.sync(store.wholeTarget());
    await settle();
    assert.deepEqual([asked(), loads], [1, 0]);
    answer();
    open();
    await Promise.all([slow, third]);
    assert.deepEqual(store.state(), feed.state());
    await assert.rejects(shop.sync(store.wholeTarget(), { signal: controller.signal }), reason);
  });

  it('a hundred syncs are queued, and one more is refused', async () => {
    const { app, open } = await hold('tokyo');
    const shop = app.shop('tokyo');
    const works = Array.from({ length: 101 }, async () => {
      await shop.sync(new ModelStore().wholeTarget());
    });
    await assert.rejects(shop.sync(new ModelStore().wholeTarget()), {
      name: 'SyncTargetError',
      message: /100 syncs of this shop are already waiting/u,
    });
    open();
    await Promise.all(works);
    await shop.sync(new ModelStore().wholeTarget());
  });

  it('a sync refuses an invalid target before it waits', async () => {
    const { app, open } = await hold('tokyo');
    const shop = app.shop('tokyo');
    const first = shop.sync(new ModelStore().wholeTarget());
    const none = Object({ load: () => null });
    await assert.rejects(shop.sync(none), TypeError);
    assert.throws(() => shop.follow(none), TypeError);
    open();
    await first;
  });
});
