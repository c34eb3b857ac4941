import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import { FakeChannel } from '../../test/fake-channel.ts';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { useTestDatabase } from '../../test/shared.ts';
import type { TestDatabase } from '../../test/test-database.ts';
import { WatchedDatabase } from '../../test/watched-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import type { BoostListBody } from './boost-list.ts';
import { BoostListCache, type CacheLimits } from './boost-list-cache.ts';
import { type BoostChange, putBoost } from './put-boost.ts';

interface Bench {
  readonly stock: TestStock;
  readonly clock: ManualClock;
  readonly channel: FakeChannel;
  readonly watched: WatchedDatabase;
  readonly lists: BoostListCache;
  /** Returns the prices of a list in order. */
  readonly prices: (include?: 'open' | 'filled') => Promise<number[]>;
  readonly put: (id: string, change: BoostChange) => Promise<void>;
}

async function startBench(base: TestDatabase, bounds?: CacheLimits): Promise<Bench> {
  const stock = await seedStock(base.db);
  const clock = new ManualClock(STOCK_MADE_AT);
  const channel = new FakeChannel();
  const watched = new WatchedDatabase(base.db);
  const lists = new BoostListCache(watched.db, channel, clock, bounds);
  return {
    stock,
    clock,
    channel,
    watched,
    lists,
    prices: async (include = 'open') => readPrices(await lists.find(stock.shop.id, include)),
    // Writes like another process: the cache does not get the announcement automatically.
    put: async (id, change) => {
      const target = { kind: 'card' as const, cardId: stock.cardId };
      const result = await base.db.transaction(
        async (tx) => await putBoost(tx, stock.shop, id, { target, ...change }, clock.now()),
      );
      assert.ok('boostText' in result, JSON.stringify(result));
    },
  };
}

function readPrices(answer: BoostListBody): number[] {
  const list: { boosts: { priceMinor: number }[] } = JSON.parse(textOf(answer));
  return list.boosts.map((boost) => boost.priceMinor);
}

function textOf(answer: BoostListBody): string {
  return Buffer.concat(answer).toString();
}

/** Returns a promise `hold` that resolves when `open` is called. */
function gate(): { readonly hold: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { hold: promise, open: () => resolve() };
}

/** Hides the announcements of this process, so that changes arrive only through the channel. */
function withoutAnnouncements(base: TestDatabase): TestDatabase {
  const db = new Proxy(base.db, {
    get: (target, name): unknown => {
      if (name === 'onAnnouncement') return () => undefined;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { ...base, db };
}

describe('the cache of boost lists as bytes (decision 0013)', () => {
  const base = useTestDatabase();

  it('the cache reads a list once per `include`, and then returns it synchronously', async () => {
    const { stock, watched, lists, put, prices } = await startBench(base);
    await put(newId(), { priceMinor: 5, remainingQuantity: 0 });
    await put(newId(), { priceMinor: 7 });
    assert.deepEqual(await prices(), [7]);
    assert.deepEqual(await prices('filled'), [7, 5]);
    const kept = lists.find(stock.shop.id, 'open');
    assert.ok(Array.isArray(kept));
    assert.equal(lists.find(stock.shop.id, 'open'), kept, 'the same buffers');
    for (const piece of kept) {
      assert.equal(piece.buffer.byteLength, piece.length, 'no shared pool is kept in memory');
    }
    assert.equal(watched.startedReads, 2);
  });

  it('the time of a list is an instant within the last second at which the list was current', async () => {
    const { stock, clock, channel, watched, lists, prices, put } = await startBench(base);
    await put(newId(), { priceMinor: 7, note: '美品' });
    const find = async (): Promise<BoostListBody> => await lists.find(stock.shop.id, 'open');
    const ageOf = (answer: BoostListBody): number =>
      clock.now().getTime() - Date.parse(String(JSON.parse(textOf(answer)).generatedAt));
    const made = await find();
    const text = textOf(made);
    clock.advance(999);
    assert.equal(await find(), made);
    clock.advance(1);
    channel.ageMs = 200.5;
    const dated = await find();
    assert.deepEqual([ageOf(dated), watched.startedReads], [201, 1], 'when the heartbeat was sent');
    assert.equal(textOf(made), text, 'a response that is being sent does not change');
    assert.equal(dated[0], made[0], 'the same buffer');
    clock.advance(798);
    assert.deepEqual(await find(), dated);
    clock.advance(1);
    assert.equal(ageOf(await find()), 201);
    clock.advance(-202);
    assert.equal(ageOf(await find()), 201, 'no date is in the future after a clock was set back');
    assert.equal(watched.startedReads, 1);
    clock.advance(-1_800);
    await prices();
    assert.equal(watched.startedReads, 2, 'the list was read in the future');
    channel.ageMs = 999.5;
    clock.advance(1_000);
    await prices();
    assert.equal(watched.startedReads, 3, 'the last heartbeat is as old as the list');
  });

  it('all lists have the time of the same heartbeat, except a list that was read later', async () => {
    const { stock, clock, channel, watched, lists } = await startBench(base);
    const other = newId();
    const instantOf = async (shopId: string): Promise<string> =>
      String(JSON.parse(textOf(await lists.find(shopId, 'open'))).generatedAt);
    await instantOf(stock.shop.id);
    clock.advance(500);
    const own = await instantOf(other);
    clock.advance(500);
    channel.ageMs = 100;
    const proven = await instantOf(stock.shop.id);
    assert.equal(Date.parse(proven), clock.now().getTime() - 100);
    assert.equal(await instantOf(other), own);
    clock.advance(500);
    assert.equal(await instantOf(other), proven);
    assert.equal(watched.startedReads, 2);
  });

  it('the cache reloads a list after one minute even if no notification arrives', async () => {
    const { clock, watched, prices } = await startBench(base);
    await prices();
    clock.advance(59_999);
    await prices();
    assert.equal(watched.startedReads, 1);
    clock.advance(1_000);
    await prices();
    assert.equal(watched.startedReads, 2);
  });

  it('the cache reloads lists older than one minute, at most one every 100 ms', async () => {
    const { clock, watched, lists } = await startBench(base);
    const shops = Array.from({ length: 3 }, () => newId());
    const askAll = async (): Promise<number> => {
      for (const shopId of shops) await lists.find(shopId, 'open');
      return watched.startedReads;
    };
    assert.equal(await askAll(), 3);
    clock.advance(60_000);
    assert.equal(await askAll(), 4);
    clock.advance(99);
    assert.equal(await askAll(), 4);
    clock.advance(1);
    assert.equal(await askAll(), 5);
    clock.advance(100);
    assert.deepEqual([await askAll(), await askAll()], [6, 6]);
  });

  it('the cache uses a list until the exact millisecond at which a boost enters or leaves the list', async () => {
    const { clock, watched, prices, put } = await startBench(base);
    const atMs = STOCK_MADE_AT.getTime();
    await put(newId(), { priceMinor: 1, startsAt: new Date(atMs + 300) });
    await put(newId(), { priceMinor: 2, endsAt: new Date(atMs + 500) });
    await put(newId(), { priceMinor: 3, remainingQuantity: 0, startsAt: new Date(atMs + 400) });
    assert.deepEqual(await prices(), [2]);
    clock.advance(299);
    assert.deepEqual([await prices(), watched.startedReads], [[2], 1]);
    clock.advance(1);
    assert.deepEqual([await prices(), watched.startedReads], [[2, 1], 2]);
    clock.advance(199);
    assert.deepEqual(
      [await prices(), watched.startedReads],
      [[2, 1], 2],
      'a filled boost does not enter this list',
    );
    clock.advance(1);
    assert.deepEqual([await prices(), watched.startedReads], [[1], 3]);
    clock.advance(59_000);
    assert.deepEqual(
      [await prices(), watched.startedReads],
      [[1], 3],
      'no other boost enters or leaves',
    );
  });

  it('the cache reloads a list once a boost has started, and serves the cached list before that', async () => {
    const { clock, watched, prices, put } = await startBench(base);
    const atMs = STOCK_MADE_AT.getTime();
    await put(newId(), { priceMinor: 1, startsAt: new Date(atMs + 2_500) });
    for (const ms of [0, 1_000, 1_000, 499]) {
      clock.advance(ms);
      assert.deepEqual([await prices(), watched.startedReads], [[], 1]);
    }
    clock.advance(1);
    assert.deepEqual([await prices(), watched.startedReads], [[1], 2]);
  });

  it('the cache invalidates a list on a notification for its shop or the catalog, and on a reset', async () => {
    const bench = await startBench(withoutAnnouncements(base));
    const { stock, channel, watched, prices, put } = bench;
    await put(newId(), { priceMinor: 1 });
    await prices();
    await put(newId(), { priceMinor: 2 });
    channel.notify('boosts', newId());
    channel.notify('stock', stock.shop.id);
    channel.notify('access', stock.shop.id);
    assert.deepEqual([await prices(), watched.startedReads], [[1], 1]);
    channel.notify('boosts', stock.shop.id);
    assert.deepEqual([await prices(), watched.startedReads], [[2, 1], 2]);
    channel.notify('catalog', '1');
    await prices();
    assert.equal(watched.startedReads, 3);
    channel.reset();
    await prices();
    assert.equal(watched.startedReads, 4);
  });

  it('the cache reads a list for each request while the channel is not live', async () => {
    const { channel, watched, prices, put } = await startBench(withoutAnnouncements(base));
    await prices();
    channel.reset();
    channel.live = false;
    await put(newId(), { priceMinor: 1 });
    assert.deepEqual([await prices(), await prices(), watched.startedReads], [[1], [1], 3]);
    const { hold, open: release } = gate();
    watched.hold = hold;
    const before = prices();
    await waitUntil(() => watched.finishedReads === 4);
    await put(newId(), { priceMinor: 2 });
    const after = prices();
    watched.hold = null;
    release();
    assert.deepEqual([await before, await after], [[1], [2, 1]], 'a rendering is not shared');
    channel.live = true;
    assert.deepEqual(await prices(), [2, 1]);
    assert.equal(watched.startedReads, 6, 'no list was cached while the channel was not live');
  });

  it('the cache invalidates a list before a write of the same process returns', async () => {
    const { prices, put, watched } = await startBench(base);
    for (let priceMinor = 1; priceMinor <= 20; priceMinor++) {
      await put(newId(), { priceMinor });
      assert.equal((await prices())[0], priceMinor);
    }
    assert.equal(watched.startedReads, 20);
  });

  it('the cache renders a list once for concurrent callers', async () => {
    const { watched, prices } = await startBench(base);
    const { hold, open: release } = gate();
    watched.hold = hold;
    const calls = Array.from({ length: 50 }, async () => await prices());
    await waitUntil(() => watched.finishedReads === 1);
    calls.push(prices());
    release();
    await Promise.all(calls);
    assert.equal(watched.startedReads, 1);
  });

  it('a caller that arrives after a write gets no data from before the write', async () => {
    const { watched, prices, put } = await startBench(base);
    const { hold, open: release } = gate();
    watched.hold = hold;
    const before = prices();
    await waitUntil(() => watched.finishedReads === 1);
    await put(newId(), { priceMinor: 1 });
    const after = [prices(), prices(), prices()];
    watched.hold = null;
    release();
    assert.deepEqual(await before, [], 'this call was made before the write');
    assert.deepEqual(await Promise.all(after), [[1], [1], [1]]);
    assert.equal(watched.startedReads, 2, 'the three later calls shared one read');
    assert.deepEqual(await prices(), [1]);
    assert.equal(watched.startedReads, 2);
  });

  it('a list that was invalidated while it was rendered is not cached', async () => {
    const { stock, channel, watched, prices } = await startBench(base);
    for (const overtake of [
      (): void => channel.notify('boosts', stock.shop.id),
      (): void => channel.notify('catalog', '1'),
      (): void => channel.reset(),
    ]) {
      const { startedReads, finishedReads } = watched;
      const { hold, open: release } = gate();
      watched.hold = hold;
      channel.reset();
      const overtaken = prices();
      await waitUntil(() => watched.finishedReads === finishedReads + 1);
      overtake();
      watched.hold = null;
      release();
      await overtaken;
      await prices();
      assert.equal(watched.startedReads, startedReads + 2);
    }
  });

  it('a rendered list is not shared after a boost has entered it', async () => {
    const { clock, watched, prices, put } = await startBench(base);
    await put(newId(), { priceMinor: 1, startsAt: new Date(STOCK_MADE_AT.getTime() + 10) });
    const { hold, open: release } = gate();
    watched.hold = hold;
    const before = prices();
    await waitUntil(() => watched.finishedReads === 1);
    clock.advance(10);
    const after = prices();
    watched.hold = null;
    release();
    assert.deepEqual([await before, await after], [[], [1]]);
  });

  it('the first caller gets an error, and the list is rendered again for waiting callers', async () => {
    const { watched, prices } = await startBench(base);
    const { hold, open: release } = gate();
    watched.hold = hold;
    watched.fault = new Error('the wire broke');
    const first = assert.rejects(prices(), /the wire broke/);
    await waitUntil(() => watched.finishedReads === 1);
    const second = prices();
    release();
    await first;
    watched.hold = null;
    watched.fault = null;
    assert.deepEqual(await second, []);
    assert.deepEqual(await prices(), []);
    assert.equal(watched.startedReads, 2);
  });

  it('the cache evicts the oldest lists when their number or total size exceeds a limit', async () => {
    const { channel, clock, watched, lists: unbounded } = await startBench(base);
    const emptyBytes = Buffer.concat(await unbounded.find(newId(), 'open')).length;
    const keepAtMost = async (bounds: CacheLimits): Promise<boolean[]> => {
      const lists = new BoostListCache(watched.db, channel, clock, bounds);
      const shops = Array.from({ length: 5 }, () => newId());
      for (const shopId of shops) await lists.find(shopId, 'open');
      // Request all lists at the same time, because a list that is rendered again can evict
      // another.
      const found = shops.toReversed().map((shopId) => lists.find(shopId, 'open'));
      await Promise.all(found.map(async (list) => await list));
      return found.map((list) => Array.isArray(list));
    };
    const newestThree = [true, true, true, false, false];
    assert.deepEqual(await keepAtMost({ listsMax: 3, bytesMax: 1_000 }), newestThree);
    assert.deepEqual(await keepAtMost({ listsMax: 9, bytesMax: emptyBytes * 3 }), newestThree);
    const none = [false, false, false, false, false];
    assert.deepEqual(await keepAtMost({ listsMax: 9, bytesMax: emptyBytes - 1 }), none);
  });
});
