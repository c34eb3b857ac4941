import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DueDelivery } from './due-deliveries.ts';
import { DueQueue, type QueueLimits } from './due-queue.ts';

function slotsOf(
  fast: readonly [all: number, perOrigin: number],
  slow: readonly [all: number, perOrigin: number],
): QueueLimits {
  const room = { waiting: 100, waitingPerOrigin: 100 };
  return {
    fast: { ...room, slots: fast[0], slotsPerOrigin: fast[1] },
    slow: { ...room, slots: slow[0], slotsPerOrigin: slow[1] },
  };
}

function noticeOf(origin: string, number: number, isSlow = false): DueDelivery {
  return { shopId: 's', connectionId: `${origin}${number}`, origin, isSlow };
}

function fill(queue: DueQueue, origin: string, count: number, isSlow = false): number {
  let added = 0;
  for (let number = 0; number < count; number++) {
    if (queue.add(noticeOf(origin, number, isSlow), 1)) added++;
  }
  return added;
}

function takenOf(queue: DueQueue, max: number): string[] {
  return queue.take(max).map(({ delivery }) => delivery.connectionId);
}

describe('the queue of due events', () => {
  it('the queue holds each delivery once, with the time at which it was first found', () => {
    const queue = new DueQueue();
    assert.equal(queue.add(noticeOf('a', 1), 10), true);
    assert.equal(queue.add(noticeOf('a', 1), 20), false);
    assert.equal(queue.add(noticeOf('a', 1, true), 20), false);
    assert.equal(queue.add(noticeOf('a', 2), 20), true);
    assert.deepEqual([queue.size, queue.oldestFoundAtMs], [2, 10]);
    assert.deepEqual([queue.has('a1'), queue.has('a3')], [true, false]);
    const [first] = queue.take(1);
    assert.deepEqual([first?.delivery.connectionId, first?.foundAtMs], ['a1', 10]);
    assert.deepEqual([queue.size, queue.oldestFoundAtMs], [1, 20]);
    queue.take(1);
    assert.equal(queue.oldestFoundAtMs, null);
  });

  it('the queue alternates between origins, and skips an origin at its limit', () => {
    const queue = new DueQueue(slotsOf([10, 2], [10, 2]));
    fill(queue, 'a', 3);
    fill(queue, 'b', 3);
    fill(queue, 'c', 1);
    assert.deepEqual(takenOf(queue, 4), ['a0', 'b0', 'c0', 'a1']);
    assert.deepEqual(takenOf(queue, 4), ['b1']);
    assert.equal(queue.size, 2);
    queue.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 4), ['a2']);
  });

  it('slow and fast webhooks have separate slots', () => {
    const queue = new DueQueue(slotsOf([4, 4], [3, 2]));
    fill(queue, 'hanging', 4, true);
    fill(queue, 'sleepy', 4, true);
    fill(queue, 'a', 9);
    const taken = takenOf(queue, 10);
    assert.deepEqual(taken, ['hanging0', 'sleepy0', 'hanging1', 'a0', 'a1', 'a2', 'a3']);
    assert.deepEqual(takenOf(queue, 10), []);
    queue.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 10), ['a4']);
    // The origin `hanging` has used up its slow slots, but not its fast slots.
    queue.release(noticeOf('sleepy', 0, true));
    queue.release(noticeOf('a', 0));
    fill(queue, 'hanging', 5);
    assert.deepEqual(takenOf(queue, 10), ['sleepy1', 'a5']);
    queue.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 10), ['hanging0']);
  });

  it('fast deliveries get slots immediately while 2,048 slow deliveries wait', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 600; origin++) fill(queue, `hostile${origin}-`, 16, true);
    assert.equal(takenOf(queue, 1_000).length, 64);
    assert.deepEqual(takenOf(queue, 1_000), []);
    for (let round = 0; round < 3; round++) {
      fill(queue, 'innocent', 1);
      assert.deepEqual(takenOf(queue, 128), ['innocent0']);
      queue.release(noticeOf('innocent', 0));
    }
  });

  it('there are 448 slots for fast deliveries (60 per origin) and 64 for slow deliveries (4 per origin)', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 20; origin++) {
      fill(queue, `f${origin}-`, 100);
      fill(queue, `s${origin}-`, 16, true);
    }
    const taken = queue.take(10_000).map(({ delivery }) => delivery);
    const fast = taken.filter(({ isSlow }) => !isSlow);
    assert.deepEqual([fast.length, taken.length - fast.length], [448, 64]);
    const alone = new DueQueue();
    fill(alone, 'a', 100);
    fill(alone, 's', 16, true);
    assert.equal(alone.take(10_000).length, 60 + 4);
  });

  it('each slow origin gets one slot before any slow origin gets a second one', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 100; origin++) fill(queue, `hostile${origin}-`, 16, true);
    fill(queue, 'innocent', 1, true);
    const served: string[] = [];
    while (!served.includes('innocent0')) {
      const round = queue.take(128);
      served.push(...round.map(({ delivery }) => delivery.connectionId));
      for (const { delivery } of round) queue.release(delivery);
      assert.ok(round.length > 0);
    }
    assert.equal(served.indexOf('innocent0'), 100);
  });

  it('the queue holds at most 8,192 fast deliveries (256 per origin) and 2,048 slow deliveries (16 per origin)', () => {
    const queue = new DueQueue();
    assert.equal(fill(queue, 'a', 257), 256);
    assert.equal(fill(queue, 's', 17, true), 16);
    assert.deepEqual([queue.fullOriginsOf(false), queue.fullOriginsOf(true)], [['a'], ['s']]);
    for (let origin = 0; origin < 130; origin++) fill(queue, `s${origin}-`, 16, true);
    assert.equal(queue.size, 256 + 2_048);
    for (let origin = 0; origin < 40; origin++) fill(queue, `f${origin}-`, 256);
    assert.equal(queue.size, 8_192 + 2_048);
  });
});
