import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ModelFeed } from '../test/model-feed.ts';
import { Crash, type StoreContents, ModelStore } from '../test/model-store.ts';
import type { FetchPage } from './change-reader.ts';
import type { SyncTarget } from './sync-target.ts';
import { syncChanges } from './sync.ts';

/** An event in a shop, or in an app that copies the shop's stock. */
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

/** Plays the events, then asserts that one more sync makes the store equal to the feed. */
async function play(events: readonly Event[], syncStore: SyncStore): Promise<void> {
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
  // The order does not matter: `Map` is compared as a set of pairs.
  assert.deepEqual(store.state(), feed.state());
}

describe('the next sync after any crash brings the store to exactly the shop’s state', () => {
  const runs = { numRuns: 500 };
  it('with transactions', async () => {
    const property = fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      await play(
        events,
        async (feed, store, pagesMax) =>
          await syncChanges(feed.fetchPage, store.wholeTarget(), { pagesMax }),
      );
    });
    await fc.assert(property, runs);
  });

  it('with one function per step', async () => {
    const property = fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      await play(
        events,
        async (feed, store, pagesMax) =>
          await syncChanges(feed.fetchPage, store.storeTarget(), { pagesMax }),
      );
    });
    await fc.assert(property, runs);
  });

  it('with separate functions and no transaction', async () => {
    const property = fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      await play(
        events,
        async (feed, store, pagesMax) =>
          await syncChanges(feed.fetchPage, store.plainTarget(), { pagesMax }),
      );
    });
    await fc.assert(property, runs);
  });
});

describe('several processes that sync one shop into one store', () => {
  /**
   * Changes the feed while two processes sync it. Each request may be delayed, and one process may
   * crash. A final sync follows.
   */
  async function race(
    scheduler: fc.Scheduler,
    targetOf: (store: ModelStore) => SyncTarget<StoreContents>,
  ): Promise<boolean> {
    const [feed, store] = [new ModelFeed(), new ModelStore()];
    for (const id of 'abcd') feed.put(id, 0);
    const fetchPage: FetchPage = async (options) => {
      const page = await feed.fetchPage(options);
      // The scheduler may run any other step between reading a page and storing it.
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

  it('never replace a newer value by an older one if the target has loadLocked', async () => {
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      assert.ok(await race(scheduler, (store) => store.sharedTarget()));
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('never replace a newer value by an older one if the target compares `before`', async () => {
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      assert.ok(await race(scheduler, (store) => store.sharedStoreTarget()));
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('may replace a newer value by an older one if the target does neither', async () => {
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      assert.ok(await race(scheduler, (store) => store.wholeTarget()));
    });
    const details = await fc.check(property, { numRuns: 2_000, seed: 1 });
    assert.ok(details.failed);
  });
});
