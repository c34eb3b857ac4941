import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type StoreContents, ModelStore } from '../test/model-store.ts';
import { feedOfSeven, sync } from '../test/sync-scene.ts';
import type { ModelFeed } from '../test/model-feed.ts';
import type { FetchPage } from './change-reader.ts';
import { CursorExpiredError, InvalidRequestError, ServerError } from './errors.ts';
import { FeedStuckError } from './local-errors.ts';
import type { TransactionTarget } from './sync-target.ts';
import { syncChanges } from './sync.ts';

describe('a sync', () => {
  it('a sync reads everything and stores each page with its cursor in one transaction; the next sync reads only new changes', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    assert.deepEqual(await sync(feed, store), {
      changes: 7,
      pages: 4,
      restarts: 0,
      isCaughtUp: true,
    });
    assert.deepEqual(store.state(), feed.state());
    const page = ['begin', 'upsert', 'save', 'commit', 'committed'];
    const last = ['begin', 'upsert', 'finishRestart', 'save', 'commit', 'committed'];
    const begin = ['begin', 'save', 'commit', 'committed'];
    assert.deepEqual(store.calls, ['load', ...begin, ...page, ...page, ...page, ...last]);

    feed.put('c', 30);
    feed.put('h', 70);
    assert.equal((await sync(feed, store)).changes, 2);
    assert.deepEqual(store.state(), feed.state());
  });

  it('a sync at the head stores nothing', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    await sync(feed, store);
    store.calls.length = 0;
    assert.deepEqual(await sync(feed, store), {
      changes: 0,
      pages: 1,
      restarts: 0,
      isCaughtUp: true,
    });
    assert.deepEqual(store.calls, ['load']);
  });

  it('a sync continues after an empty page with hasMore, and stores the cursor of that page', async () => {
    const feed = feedOfSeven();
    let pages = 0;
    const fetchPage: FetchPage = async (options) => {
      if (++pages !== 2) return await feed.fetchPage(options);
      // A service may send empty pages with `hasMore` if it filters records.
      const { nextCursor } = await feed.fetchPage({ ...options, limit: 1 });
      return { changes: [], nextCursor, hasMore: true };
    };
    const store = new ModelStore();
    const result = await sync({ fetchPage }, store);
    assert.deepEqual([result.isCaughtUp, result.pages], [true, 4]);
    assert.deepEqual([...store.state().keys()], [...'abdefg']);
  });

  it('a sync passes unknown kinds of records and unknown members to the target unchanged', async () => {
    const record = {
      kind: 'auction',
      id: 'x',
      changedAt: 'then',
      data: { new: [1, null] },
      more: true,
    };
    const taken: unknown[] = [];
    const fetchPage = (async () =>
      await Promise.resolve({ changes: [record], nextCursor: 'c', hasMore: false })) as unknown;
    await syncChanges(
      fetchPage as FetchPage,
      { load: () => undefined, upsert: (changes) => taken.push(...changes), save: () => undefined },
      {},
    );
    assert.deepEqual(taken, [record]);
  });

  it('a sync stops after pagesMax pages and reports that, and the next sync continues there', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const first = await syncChanges(feed.fetchPage, store.wholeTarget(), { pagesMax: 3 });
    assert.deepEqual([first.isCaughtUp, first.changes], [false, 6]);
    assert.deepEqual(await sync(feed, store), {
      changes: 1,
      pages: 1,
      restarts: 0,
      isCaughtUp: true,
    });
  });

  it('a sync requests pages of the given size', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const { pages } = await syncChanges(feed.fetchPage, store.wholeTarget(), { limit: 7 });
    assert.equal(pages, 1);
  });
});

describe('a sync that is aborted', () => {
  it('an abort between two pages throws the reason and keeps the stored pages', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const controller = new AbortController();
    const reason = new Error('enough');
    const whole = store.wholeTarget();
    const target: TransactionTarget<StoreContents> = {
      ...whole,
      upsert: (changes, kept) => {
        if (changes.some(({ id }) => id === 'd')) controller.abort(reason);
        return whole.upsert(changes, kept);
      },
    };
    const options = { signal: controller.signal };
    await assert.rejects(syncChanges(feed.fetchPage, target, options), reason);
    assert.deepEqual([...store.state().keys()], [...'abcd']);
    assert.equal((await sync(feed, store)).changes, 3);
    assert.deepEqual(store.state(), feed.state());
  });

  it('an abort during a request does not store that page', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const controller = new AbortController();
    const fetchPage: FetchPage = async (options) => {
      controller.abort();
      return await feed.fetchPage(options);
    };
    const options = { signal: controller.signal };
    await assert.rejects(syncChanges(fetchPage, store.wholeTarget(), options), /abort/u);
    assert.equal(store.state().size, 0);
  });
});

describe('a sync of a broken feed', () => {
  const broken: readonly (readonly [string, (cursor: string | null) => string])[] = [
    ['returns the cursor of the request', (cursor) => cursor ?? 'c0'],
    ['always returns the same cursor', () => 'c0'],
    ['returns two cursors alternately', (cursor) => (cursor === 'c1' ? 'c2' : 'c1')],
    ['loops over 37 pages after 20', (cursor) => `c${nextOf(Number(cursor?.slice(1) ?? 0))}`],
  ];
  function nextOf(at: number): number {
    return at === 56 ? 20 : at + 1;
  }

  for (const [title, next] of broken) {
    it(`a sync ends with FeedStuckError if the feed ${title}`, async () => {
      let pages = 0;
      const fetchPage: FetchPage = async ({ cursor }) => {
        pages++;
        const { changes } = await feedOfSeven().fetchPage({});
        return { changes, nextCursor: next(cursor ?? null), hasMore: true };
      };
      await assert.rejects(sync({ fetchPage }, new ModelStore()), FeedStuckError);
      assert.ok(pages < 200, `${pages} pages`);
    });
  }

  it('a sync ends with FeedStuckError after too many empty pages', async () => {
    let pages = 0;
    const fetchPage: FetchPage = async () =>
      await Promise.resolve({ changes: [], nextCursor: `c${++pages}`, hasMore: true });
    await assert.rejects(sync({ fetchPage }, new ModelStore()), FeedStuckError);
    assert.equal(pages, 100);
  });

  it('a sync ends with the error of a page that could not be read, and keeps the earlier pages', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const fetchPage: FetchPage = async (options) => {
      if (options.cursor === 'e1-4') throw new ServerError({ status: 500 });
      return await feed.fetchPage(options);
    };
    await assert.rejects(sync({ fetchPage }, store), ServerError);
    assert.equal(store.state().size, 4);
  });

  it('the error says that the service refused the cursor of load()', async () => {
    const store = new ModelStore();
    store.kept.cursor = 'of another shop';
    await assert.rejects(sync(feedOfSeven(), store), (error: unknown) => {
      assert.ok(error instanceof InvalidRequestError);
      assert.match(error.message, /load\(\) returned: check that it was stored for this shop/u);
      return true;
    });
  });
});

describe('the first page of a sync', () => {
  it('the error of the first page does not mention a cursor, because none was sent', async () => {
    const fault = new InvalidRequestError({ status: 400, message: 'no such parameter' });
    const fetchPage: FetchPage = async () => await Promise.reject(fault);
    await assert.rejects(sync({ fetchPage }, new ModelStore()), (error) => error === fault);
  });

  it('every page is requested with the signal of the sync', async () => {
    const feed = feedOfSeven();
    const { signal } = new AbortController();
    const given = new Set<unknown>();
    const fetchPage: FetchPage = async (options) => {
      given.add(options.signal);
      return await feed.fetchPage(options);
    };
    const { pages } = await syncChanges(fetchPage, new ModelStore().wholeTarget(), { signal });
    assert.deepEqual([pages, [...given]], [4, [signal]]);
  });
});

describe('a sync after the shop was restored (410)', () => {
  function restored(): { readonly feed: ModelFeed; readonly restore: () => void } {
    const feed = feedOfSeven();
    const restore = feed.backUp();
    feed.put('b', 100);
    feed.put('gone', 1);
    return { feed, restore };
  }

  it('a restart reads everything again, and removes records that are no longer in the feed', async () => {
    const { feed, restore } = restored();
    const store = new ModelStore();
    await sync(feed, store);
    restore();
    assert.deepEqual(await sync(feed, store), {
      changes: 7,
      pages: 4,
      restarts: 1,
      isCaughtUp: true,
    });
    assert.deepEqual(store.state(), feed.state());
    assert.equal(store.kept.cursor, 'e2-7');
  });

  it('a sync continues an interrupted restart instead of starting another one', async () => {
    const { feed, restore } = restored();
    const store = new ModelStore();
    await sync(feed, store);
    restore();
    const first = await syncChanges(feed.fetchPage, store.wholeTarget(), { pagesMax: 2 });
    assert.deepEqual([first.restarts, first.isCaughtUp], [1, false]);
    assert.equal(store.kept.cursor, 'reading-again:e2-4');
    assert.ok(store.state().has('gone'));
    assert.deepEqual(await sync(feed, store), {
      changes: 3,
      pages: 2,
      restarts: 0,
      isCaughtUp: true,
    });
    assert.deepEqual(store.state(), feed.state());
  });

  it('an interrupted restart begins again if the shop is restored a second time', async () => {
    const { feed, restore } = restored();
    const store = new ModelStore();
    await sync(feed, store);
    restore();
    await syncChanges(feed.fetchPage, store.wholeTarget(), { pagesMax: 2 });
    restore();
    const result = await sync(feed, store);
    assert.deepEqual([result.restarts, result.changes], [1, 7]);
    assert.deepEqual(store.state(), feed.state());
  });

  it('a sync throws CursorExpiredError if the target cannot restart, and changes nothing', async () => {
    const { feed, restore } = restored();
    const store = new ModelStore();
    await sync(feed, store);
    const before = store.state();
    restore();
    const target = store.wholeTarget();
    delete target.restart;
    await assert.rejects(syncChanges(feed.fetchPage, target, {}), CursorExpiredError);
    assert.deepEqual(store.state(), before);
  });

  it('one sync can restart twice', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const restore = feed.backUp();
    let pages = 0;
    const fetchPage: FetchPage = async (options) => {
      if (++pages === 3 || pages === 6) restore();
      return await feed.fetchPage(options);
    };
    const { restarts, isCaughtUp } = await sync({ fetchPage }, store);
    assert.deepEqual([restarts, isCaughtUp], [2, true]);
    assert.deepEqual(store.state(), feed.state());
  });

  it('a sync ends with CursorExpiredError if every cursor expires immediately', async () => {
    let asked = 0;
    const fetchPage: FetchPage = async ({ cursor }) => {
      asked++;
      if (cursor !== null && cursor !== undefined) throw new CursorExpiredError({ status: 410 });
      const { changes } = await feedOfSeven().fetchPage({});
      return { changes, nextCursor: `c${asked}`, hasMore: true };
    };
    await assert.rejects(sync({ fetchPage }, new ModelStore()), CursorExpiredError);
    // Each of three reads gets the first page and one more.
    assert.equal(asked, 6);
    const always: FetchPage = async () => await Promise.reject(new CursorExpiredError());
    await assert.rejects(sync({ fetchPage: always }, new ModelStore()), CursorExpiredError);
  });
});
