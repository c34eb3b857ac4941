import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ModelFeed } from '../test/model-feed.ts';
import { Crash, type Kept, ModelStore } from '../test/model-store.ts';
import type { FetchPage } from './change-reader.ts';
import { CursorExpiredError, InvalidRequestError, ServerError } from './errors.ts';
import { FeedStuckError, SyncTargetError } from './local-errors.ts';
import { checkTarget } from './sync-keeper.ts';
import type { SyncStep, SyncTarget, TransactionTarget } from './sync-target.ts';
import { syncChanges } from './sync.ts';

/** A feed of seven objects with ids a to g; two records a page. */
function feedOfSeven(): ModelFeed {
  const feed = new ModelFeed();
  for (const [index, id] of [...'abcdefg'].entries()) feed.put(id, index);
  return feed;
}

async function sync(
  feed: { fetchPage: FetchPage },
  store: ModelStore,
): ReturnType<typeof syncChanges> {
  return await syncChanges(feed.fetchPage, store.wholeTarget(), {});
}

describe('a sync', () => {
  it('reads everything, keeps each page with its cursor in one transaction, and then only what is new', async () => {
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

  it('at the head keeps nothing', async () => {
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

  it('goes on over an empty page that says there is more, and keeps its cursor', async () => {
    const feed = feedOfSeven();
    let pages = 0;
    const fetchPage: FetchPage = async (options) => {
      if (++pages !== 2) return await feed.fetchPage(options);
      // As a service may do that filters what it has read.
      const { nextCursor } = await feed.fetchPage({ ...options, limit: 1 });
      return { changes: [], nextCursor, hasMore: true };
    };
    const store = new ModelStore();
    const result = await sync({ fetchPage }, store);
    assert.deepEqual([result.isCaughtUp, result.pages], [true, 4]);
    assert.deepEqual([...store.state().keys()], [...'abdefg']);
  });

  it('hands records of unknown kinds and unknown members on as they came', async () => {
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

  it('stops after pagesMax pages, says so, and goes on there the next time', async () => {
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

  it('keeps the size of its pages', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const { pages } = await syncChanges(feed.fetchPage, store.wholeTarget(), { limit: 7 });
    assert.equal(pages, 1);
  });
});

describe('a sync that is aborted', () => {
  it('between two pages throws the reason and keeps the pages before', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const controller = new AbortController();
    const reason = new Error('enough');
    const whole = store.wholeTarget();
    const target: TransactionTarget<Kept> = {
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

  it('while a page is on its way does not keep that page', async () => {
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

describe('a sync of a feed that is broken', () => {
  const broken: readonly (readonly [string, (cursor: string | null) => string])[] = [
    ['the cursor that it was asked with', (cursor) => cursor ?? 'c0'],
    ['one cursor for ever', () => 'c0'],
    ['two cursors in turn', (cursor) => (cursor === 'c1' ? 'c2' : 'c1')],
    ['a circle of 37 after 20', (cursor) => `c${nextOf(Number(cursor?.slice(1) ?? 0))}`],
  ];
  function nextOf(at: number): number {
    return at === 56 ? 20 : at + 1;
  }

  for (const [title, next] of broken) {
    it(`ends with FeedStuckError at ${title}`, async () => {
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

  it('ends with FeedStuckError at empty pages without end', async () => {
    let pages = 0;
    const fetchPage: FetchPage = async () =>
      await Promise.resolve({ changes: [], nextCursor: `c${++pages}`, hasMore: true });
    await assert.rejects(sync({ fetchPage }, new ModelStore()), FeedStuckError);
    assert.equal(pages, 100);
  });

  it('ends with the error of a page that could not be read, and keeps what was', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const fetchPage: FetchPage = async (options) => {
      if (options.cursor === 'e1-4') throw new ServerError({ status: 500 });
      return await feed.fetchPage(options);
    };
    await assert.rejects(sync({ fetchPage }, store), ServerError);
    assert.equal(store.state().size, 4);
  });

  it('says which cursor is meant when the service does not take it', async () => {
    const store = new ModelStore();
    store.kept.cursor = 'of another shop';
    await assert.rejects(sync(feedOfSeven(), store), (error: unknown) => {
      assert.ok(error instanceof InvalidRequestError);
      assert.match(error.message, /load\(\) answered: was it kept for another shop/u);
      return true;
    });
  });
});

describe('the first page of a sync', () => {
  it('blames no cursor where there was none', async () => {
    const fault = new InvalidRequestError({ status: 400, message: 'no such parameter' });
    const fetchPage: FetchPage = async () => await Promise.reject(fault);
    await assert.rejects(sync({ fetchPage }, new ModelStore()), (error) => error === fault);
  });

  it('is asked for with the signal of the sync, and so is each other', async () => {
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

  it('reads everything again, and what did not come again goes', async () => {
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

  it('goes on with the reading again after it was broken off, and restarts once', async () => {
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

  it('begins again when the shop is restored once more in the middle', async () => {
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

  it('throws CursorExpiredError where the target has no restart, and changes nothing', async () => {
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

  it('begins again twice in one sync', async () => {
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

  it('ends with CursorExpiredError when every cursor expires at once', async () => {
    let asked = 0;
    const fetchPage: FetchPage = async ({ cursor }) => {
      asked++;
      if (cursor !== null && cursor !== undefined) throw new CursorExpiredError({ status: 410 });
      const { changes } = await feedOfSeven().fetchPage({});
      return { changes, nextCursor: `c${asked}`, hasMore: true };
    };
    await assert.rejects(sync({ fetchPage }, new ModelStore()), CursorExpiredError);
    // From the beginning and one page more, three times.
    assert.equal(asked, 6);
    const always: FetchPage = async () => await Promise.reject(new CursorExpiredError());
    await assert.rejects(sync({ fetchPage: always }, new ModelStore()), CursorExpiredError);
  });
});

describe('a sync whose target breaks its word', () => {
  const whole = (changes: Partial<TransactionTarget<Kept>>): TransactionTarget<Kept> => ({
    ...new ModelStore().wholeTarget(),
    ...changes,
  });
  const cases: readonly (readonly [string, SyncTarget<Kept>, RegExp])[] = [
    [
      'a transaction that runs nothing',
      whole({ transaction: () => undefined }),
      /transaction\(\)/u,
    ],
    [
      'a transaction that commits before its work is done',
      whole({
        transaction: (work) => {
          void work({ cursor: null, rows: new Map() });
        },
        upsert: async () => await new Promise((resolve) => setImmediate(resolve)),
      }),
      /transaction\(\)/u,
    ],
    ['a load that answers no text', whole({ load: () => Object(7) as string }), /load\(\)/u],
    ['a loadLocked of another row', whole({ loadLocked: () => 'e1-0' }), /loadLocked\(\)/u],
    [
      'a store that always says that another process was first',
      { load: () => null, store: () => false },
      /store\(\) answers false/u,
    ],
  ];
  for (const [title, target, message] of cases) {
    it(`names ${title}`, async () => {
      const work = syncChanges(feedOfSeven().fetchPage, target, { pagesMax: 1_000 });
      await assert.rejects(work, (error: unknown) => {
        assert.ok(error instanceof SyncTargetError);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it('throws what a function of the target throws, and has not kept that page', async () => {
    const store = new ModelStore();
    const fault = new Error('disk full');
    const target = whole({ ...store.wholeTarget(), save: () => Promise.reject(fault) });
    await assert.rejects(syncChanges(feedOfSeven().fetchPage, target, {}), fault);
    assert.equal(store.state().size, 0);
  });
});

describe('a target of one function', () => {
  it('is given each page once, with the cursor after it, and told of the restart around them', async () => {
    const feed = feedOfSeven();
    const steps: SyncStep[] = [];
    let cursor: string | null = null;
    const store = (step: SyncStep): void => {
      steps.push(step);
      ({ cursor } = step);
    };
    await syncChanges(feed.fetchPage, { load: () => cursor, store }, { limit: 4 });
    const seen = steps.map((step) => ({
      ...step,
      changes: step.changes.map(({ id }) => id).join(''),
    }));
    const [no, yes] = [false, true];
    const [begun, half] = ['reading-again:', 'reading-again:e1-4'];
    assert.deepEqual(seen, [
      { changes: '', before: null, cursor: begun, isRestart: yes, isRestartDone: no },
      { changes: 'abcd', before: begun, cursor: half, isRestart: no, isRestartDone: no },
      { changes: 'efg', before: half, cursor: 'e1-7', isRestart: no, isRestartDone: yes },
    ]);
    // At the head there is nothing to keep.
    await syncChanges(feed.fetchPage, { load: () => cursor, store }, {});
    assert.equal(steps.length, 3);
    feed.put('c', 9);
    await syncChanges(feed.fetchPage, { load: () => cursor, store }, {});
    assert.deepEqual(
      { ...steps.at(-1), changes: steps.at(-1)?.changes.length },
      { changes: 1, before: 'e1-7', cursor: 'e1-8', isRestart: no, isRestartDone: no },
    );
  });

  it('may be async, and what it throws ends the sync', async () => {
    const fault = new Error('disk full');
    const target = { load: () => null, store: async () => await Promise.reject(fault) };
    await assert.rejects(syncChanges(feedOfSeven().fetchPage, target, {}), fault);
  });

  it('goes on from where another process has brought it', async () => {
    const [feed, store] = [feedOfSeven(), new ModelStore()];
    const target = store.sharedStoreTarget();
    let isFirst = true;
    const result = await syncChanges(
      feed.fetchPage,
      {
        load: () => target.load(),
        store: async (step) => {
          if (isFirst) await sync(feed, store);
          isFirst = false;
          return target.store(step);
        },
      },
      {},
    );
    assert.deepEqual([result.changes, result.isCaughtUp], [0, true]);
    assert.deepEqual(store.state(), feed.state());
  });
});

describe('the form of a target', () => {
  const [load, other] = [(): null => null, (): undefined => undefined];
  it('is one of two', () => {
    checkTarget({ load, store: other });
    checkTarget({ load, upsert: other, save: other });
  });
  for (const [title, target, message] of [
    [
      'neither',
      { load },
      /needs load\(\) and store\(step\), or load\(\), upsert\(\) and save\(\)/u,
    ],
    ['half of one', { load, upsert: other }, /needs load/u],
    ['nothing', undefined, /needs load/u],
    ['no load', { store: other }, /needs load/u],
    ['both', { load, store: other, upsert: other, save: other }, /upsert, save, not both/u],
    ['a part beside store', { load, store: other, transaction: other }, /transaction, not both/u],
  ] as const) {
    it(`is named when it is ${title}`, () => {
      assert.throws(() => checkTarget(target), { name: 'TypeError', message });
    });
  }
});

/** What may happen to a shop and to the app that keeps a copy of it. */
type Event =
  | { readonly kind: 'put'; readonly id: string; readonly value: number }
  | { readonly kind: 'backUp' }
  | { readonly kind: 'restore' }
  | { readonly kind: 'sync'; readonly crashAfter: number; readonly pagesMax: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put'),
      id: fc.constantFrom(...'abcdefgh'),
      value: fc.nat(99),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('backUp') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sync'),
      crashAfter: fc.nat(40),
      pagesMax: fc.integer({ min: 1, max: 5 }),
    }),
  },
);

type SyncStore = (feed: ModelFeed, store: ModelStore, pagesMax?: number) => Promise<unknown>;

async function live(events: readonly Event[], syncStore: SyncStore): Promise<void> {
  const [feed, store] = [new ModelFeed(), new ModelStore()];
  let restore = feed.backUp();
  for (const at of events) {
    if (at.kind === 'put') feed.put(at.id, at.value);
    if (at.kind === 'backUp') restore = feed.backUp();
    if (at.kind === 'restore') restore();
    if (at.kind !== 'sync') continue;
    store.crashAfter(at.crashAfter);
    await syncStore(feed, store, at.pagesMax).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
  }
  store.crashAfter(Infinity);
  await syncStore(feed, store);
  // In whatever order: `Map` is compared as a set of pairs.
  assert.deepEqual(store.state(), feed.state());
}

describe('whatever happens and wherever the process dies, the next sync holds exactly the shop’s state', () => {
  const runs = { numRuns: 500 };
  it('with transactions', async () => {
    const property = fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      await live(
        events,
        async (feed, store, pagesMax) =>
          await syncChanges(feed.fetchPage, store.wholeTarget(), { pagesMax }),
      );
    });
    await fc.assert(property, runs);
  });

  it('with one function that keeps a step', async () => {
    const property = fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      await live(
        events,
        async (feed, store, pagesMax) =>
          await syncChanges(feed.fetchPage, store.storeTarget(), { pagesMax }),
      );
    });
    await fc.assert(property, runs);
  });

  it('without, function by function', async () => {
    const property = fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      await live(
        events,
        async (feed, store, pagesMax) =>
          await syncChanges(feed.fetchPage, store.plainTarget(), { pagesMax }),
      );
    });
    await fc.assert(property, runs);
  });
});

describe('several processes that sync one shop into one store', () => {
  /** Changes go on while two processes sync and are held up at any request; one may die. Then one sync comes. */
  async function race(
    scheduler: fc.Scheduler,
    targetOf: (store: ModelStore) => SyncTarget<Kept>,
  ): Promise<boolean> {
    const [feed, store] = [new ModelFeed(), new ModelStore()];
    for (const id of 'abcd') feed.put(id, 0);
    const fetchPage: FetchPage = async (options) => {
      const page = await feed.fetchPage(options);
      // Between a page and its keeping anything may happen.
      await scheduler.schedule(Promise.resolve(), 'page');
      return page;
    };
    const process = async (pagesMax: number): Promise<unknown> =>
      await syncChanges(fetchPage, targetOf(store), { pagesMax });
    const works = [process(9), process(2), process(1)];
    for (const [index, id] of [...'abca'].entries()) {
      void scheduler.schedule(Promise.resolve(), 'put').then(() => feed.put(id, index + 1));
    }
    await scheduler.waitFor(Promise.all(works));
    await scheduler.waitIdle();
    await syncChanges(feed.fetchPage, targetOf(store), {});
    const [kept, wanted] = [store.state(), feed.state()];
    return [...wanted].every(([id, value]) => kept.get(id) === value);
  }

  it('never leave an old value over a newer one when loadLocked is given', async () => {
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      assert.ok(await race(scheduler, (store) => store.sharedTarget()));
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('never leave one either when store compares what was kept before', async () => {
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      assert.ok(await race(scheduler, (store) => store.sharedStoreTarget()));
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('would without it: the same race shows it', async () => {
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      assert.ok(await race(scheduler, (store) => store.wholeTarget()));
    });
    const details = await fc.check(property, { numRuns: 2_000, seed: 1 });
    assert.ok(details.failed);
  });
});
