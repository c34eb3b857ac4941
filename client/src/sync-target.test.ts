import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type StoreContents, ModelStore } from '../test/model-store.ts';
import { feedOfSeven, sync } from '../test/sync-scene.ts';
import { SyncTargetError } from './local-errors.ts';
import { checkTarget } from './target-adapter.ts';
import type { SyncStep, SyncTarget, TransactionTarget } from './sync-target.ts';
import { syncChanges } from './sync.ts';

describe('a sync whose target breaks its contract', () => {
  const whole = (
    changes: Partial<TransactionTarget<StoreContents>>,
  ): TransactionTarget<StoreContents> => ({
    ...new ModelStore().wholeTarget(),
    ...changes,
  });
  const cases: readonly (readonly [string, SyncTarget<StoreContents>, RegExp])[] = [
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
    ['a load that does not return text', whole({ load: () => Object(7) as string }), /load\(\)/u],
    ['a loadLocked that reads another row', whole({ loadLocked: () => 'e1-0' }), /loadLocked\(\)/u],
    [
      'a store that always returns false',
      { load: () => null, store: () => false },
      /store\(\) must return false/u,
    ],
  ];
  for (const [title, target, message] of cases) {
    it(`the sync ends with an error that names the function: ${title}`, async () => {
      const work = syncChanges(feedOfSeven().fetchPage, target, { pagesMax: 1_000 });
      await assert.rejects(work, (error: unknown) => {
        assert.ok(error instanceof SyncTargetError);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it('a sync throws the error of the target’s function, and does not store the page', async () => {
    const store = new ModelStore();
    const fault = new Error('disk full');
    const target = whole({ ...store.wholeTarget(), save: () => Promise.reject(fault) });
    await assert.rejects(syncChanges(feedOfSeven().fetchPage, target, {}), fault);
    assert.equal(store.state().size, 0);
  });
});

describe('a target with only the function `store`', () => {
  it('a target gets each page once with the cursor after it, and the start and end of a restart', async () => {
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
    // At the head there is nothing to store.
    await syncChanges(feed.fetchPage, { load: () => cursor, store }, {});
    assert.equal(steps.length, 3);
    feed.put('c', 9);
    await syncChanges(feed.fetchPage, { load: () => cursor, store }, {});
    assert.deepEqual(
      { ...steps.at(-1), changes: steps.at(-1)?.changes.length },
      { changes: 1, before: 'e1-7', cursor: 'e1-8', isRestart: no, isRestartDone: no },
    );
  });

  it('a target may be async, and its error ends the sync', async () => {
    const fault = new Error('disk full');
    const target = { load: () => null, store: async () => await Promise.reject(fault) };
    await assert.rejects(syncChanges(feedOfSeven().fetchPage, target, {}), fault);
  });

  it('a sync continues from the position that another process has stored', async () => {
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
  it('a target has either `store`, or `upsert` and `save`', () => {
    checkTarget({ load, store: other });
    checkTarget({ load, upsert: other, save: other });
  });
  for (const [title, target, message] of [
    [
      'a target of neither form',
      { load },
      /needs load\(\) and store\(step\), or load\(\), upsert\(\) and save\(\)/u,
    ],
    ['upsert without save', { load, upsert: other }, /needs load/u],
    ['no target', undefined, /needs load/u],
    ['store without load', { store: other }, /needs load/u],
    ['both forms', { load, store: other, upsert: other, save: other }, /upsert, save, not both/u],
    [
      'store with transaction',
      { load, store: other, transaction: other },
      /transaction, not both/u,
    ],
  ] as const) {
    it(`the error says what a target lacks or must not have: ${title}`, () => {
      assert.throws(() => checkTarget(target), { name: 'TypeError', message });
    });
  }
});
