import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue, type FairQueueOptions, type QueueEntry } from './fair-queue.ts';
import { networkLevels } from './network.ts';

const ANY = { running: Infinity, waiting: Infinity };

/** A queue with a manual clock. */
class TestQueue {
  nowMs = 1_000;
  readonly evicted: string[] = [];
  readonly queue: FairQueue<string>;

  constructor(...bounds: FairQueueOptions<string>['bounds']) {
    const onEvicted = (item: string): void => void this.evicted.push(item);
    this.queue = new FairQueue({ bounds, onEvicted, now: () => this.nowMs });
  }

  /** Adds items whose paths are the characters of their names: `a1` is in group 1 of group a. */
  add(...items: readonly string[]): (QueueEntry<string> | undefined)[] {
    return items.map((item) => this.queue.add([...item], item));
  }

  start(canStart?: (item: string) => boolean): QueueEntry<string> {
    const entry = this.queue.take(canStart);
    assert.ok(entry !== undefined);
    return entry;
  }

  /** Runs entries one after another for some time each, and returns their items. */
  work(count: number, msOf: (item: string) => number): string[] {
    return Array.from({ length: count }, () => {
      const entry = this.start();
      this.nowMs += msOf(entry.item);
      this.queue.remove(entry);
      return entry.item;
    });
  }
}

describe('a fair queue', () => {
  it('the groups with equal use take turns, and the entries of a group keep their order', () => {
    const queue = new FairQueue<string>({ bounds: [ANY], now: () => 0 });
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add([item.slice(0, 1)], item);
    const order = Array.from({ length: 6 }, () => queue.take()?.item);
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    assert.equal(queue.take(), undefined);
  });

  it('the group that has used the least time is next, whether its tasks are few or short', () => {
    const test = new TestQueue({ running: 1, waiting: Infinity });
    test.add(...'aaaabbbbbbbbbbbb');
    const order = test.work(12, (item) => (item === 'a' ? 30 : 10));
    assert.equal(order.filter((item) => item === 'a').length, 3, order.join(''));
    const late = test.add('c');
    assert.equal(test.start(), late[0]);
  });

  it('within a shop, its apps take turns too, and do not count as more shops', () => {
    const test = new TestQueue({ running: 1, waiting: Infinity });
    for (let n = 0; n < 20; n++) test.add('a1', 'a2', 'a3', 'b1');
    const order = test.work(24, () => 10);
    const counts = ['a1', 'a2', 'a3', 'b1'].map(
      (item) => order.filter((each) => each === item).length,
    );
    assert.deepEqual(counts, [4, 4, 4, 12]);
  });

  it('running entries count from their start', () => {
    const test = new TestQueue({ running: 2, waiting: Infinity });
    test.add('a', 'a', 'b');
    assert.equal(test.start().item, 'a');
    test.nowMs += 50;
    assert.equal(test.start().item, 'b');
  });

  it('used time is forgotten by half in 5 s, also while the group is idle', () => {
    const test = new TestQueue({ running: 1, waiting: Infinity });
    test.add('a');
    test.work(1, () => 1_000);
    test.nowMs += 5_000;
    test.add('b');
    test.work(1, () => 400);
    test.add('a', 'b');
    assert.equal(test.start().item, 'b', 'a has 462 ms left, b has 400');
  });

  it('each level has its bounds of running entries, and a full group does not block others', () => {
    const test = new TestQueue(
      { running: 4, waiting: 99 },
      { running: 3, waiting: 99 },
      {
        running: 2,
        waiting: 99,
      },
    );
    test.add('a1', 'a1', 'a1', 'a2', 'a2', 'b1', 'b1');
    const started = [1, 2, 3, 4].map(() => test.start());
    assert.deepEqual(started.map(({ item }) => item).toSorted(), ['a1', 'a2', 'b1', 'b1']);
    assert.equal(test.queue.take(), undefined);
    for (const entry of started.filter(({ item }) => item === 'b1')) test.queue.remove(entry);
    assert.equal(test.start().item, 'a1');
    assert.equal(test.queue.take(), undefined, 'the shop is at its bound');
  });

  it('entries that cannot start yet are passed over', () => {
    const test = new TestQueue(ANY);
    test.add('a1', 'a2', 'b1');
    assert.equal(test.start((item) => item !== 'a1').item, 'a2');
    assert.equal(test.start((item) => item.startsWith('b')).item, 'b1');
    assert.equal(
      test.queue.take((item) => item !== 'a1'),
      undefined,
    );
    assert.equal(test.queue.waiting, 1);
  });

  it('a full queue evicts the newest entry of the largest group, for a group with two entries less', () => {
    const test = new TestQueue({ running: 0, waiting: 4 });
    const [, , , youngest] = test.add('a', 'a', 'a', 'a');
    assert.ok(test.add('b')[0]);
    assert.equal(youngest?.state, 'removed');
    assert.deepEqual(test.evicted, ['a']);
    assert.ok(test.add('b')[0]);
    assert.deepEqual(test.add('b', 'a'), [undefined, undefined]);
    assert.equal(test.queue.waiting, 4);
  });

  it('a full group makes room within itself only', () => {
    const test = new TestQueue({ running: 0, waiting: 99 }, { running: 0, waiting: 3 });
    test.add('b1', 'b1', 'b1');
    test.add('a1', 'a1', 'a1', 'a2');
    assert.deepEqual(test.evicted, ['a1']);
    assert.deepEqual(test.add('a1'), [undefined]);
    assert.equal(test.queue.find(['b'])?.waiting, 3);
  });

  it('90 networks of one /48 that fill the queue delay nobody for more than a turn', () => {
    const test = new TestQueue({ running: 1, waiting: 64 });
    for (let n = 0; n < 90; n++) {
      test.queue.add(networkLevels(`2001:db8:1:${n.toString(16)}::1`), 'flood');
    }
    for (const address of ['2001:db8:2::1', '192.0.2.1', '198.51.100.7']) {
      assert.ok(test.queue.add(networkLevels(address), 'innocent'));
    }
    const order = test.work(64, () => 40);
    assert.ok(order.lastIndexOf('innocent') < 4, order.slice(0, 10).join(' '));
    assert.equal(test.evicted.length, 3);
  });

  it('the addresses within a wider network take turns too: a /56, and a /24 of IPv4', () => {
    for (const [many, other] of [
      [(n: number) => `2001:db8:1:${n.toString(16)}::1`, '2001:db8:1:ff00::1'],
      [() => '192.0.2.1', '192.0.2.2'],
    ] as const) {
      const test = new TestQueue({ running: 1, waiting: 8 });
      for (let n = 0; n < 8; n++) test.queue.add(networkLevels(many(n)), 'flood');
      assert.ok(test.queue.add(networkLevels(other), 'neighbor'));
      assert.deepEqual(test.evicted, ['flood']);
      assert.ok(test.work(2, () => 40).includes('neighbor'));
    }
  });

  it('groups without entries are forgotten, the one that has been idle longest first', () => {
    const test = new TestQueue(ANY);
    const runFor = (path: string[], ms: number): void => {
      test.queue.add(path, path.join(' '));
      const entry = test.start();
      test.nowMs += ms;
      test.queue.remove(entry);
    };
    const busy = test.queue.add(['busy', 'app'], 'busy');
    test.start();
    for (let n = 0; n < 2_000; n++) runFor([`shop ${n}`, 'app'], 0);
    assert.equal(test.queue.find(['shop 999']), undefined);
    assert.ok(test.queue.find(['shop 1000', 'app']));
    assert.ok(test.queue.find(['shop 1999', 'app']));
    assert.equal(busy?.state, 'running');
    assert.equal(test.queue.find(['busy', 'app'])?.running, 1);
  });
});
