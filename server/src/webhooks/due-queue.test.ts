import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DueNotice } from './due.ts';
import { DueQueue } from './due-queue.ts';
import { Slots } from './slots.ts';

function noticeOf(origin: string, number: number, isSlow = false): DueNotice {
  return { shopId: 's', connectionId: `${origin}${number}`, origin, isSlow };
}

function fill(queue: DueQueue, origin: string, count: number, isSlow = false): number {
  let added = 0;
  for (let number = 0; number < count; number++) {
    if (queue.add(noticeOf(origin, number, isSlow), 1)) added++;
  }
  return added;
}

function takenOf(queue: DueQueue, max: number, slots: Slots): string[] {
  return queue.take(max, slots).map(({ notice }) => notice.connectionId);
}

describe('the queue of due notices', () => {
  it('keeps each once, with the instant at which it was first seen', () => {
    const queue = new DueQueue();
    assert.equal(queue.add(noticeOf('a', 1), 10), true);
    assert.equal(queue.add(noticeOf('a', 1), 20), false);
    assert.equal(queue.add(noticeOf('a', 1, true), 20), false);
    assert.equal(queue.add(noticeOf('a', 2), 20), true);
    assert.deepEqual([queue.size, queue.oldestSeenAtMs], [2, 10]);
    assert.deepEqual([queue.has('a1'), queue.has('a3')], [true, false]);
    const [first] = queue.take(1, new Slots());
    assert.deepEqual([first?.notice.connectionId, first?.seenAtMs], ['a1', 10]);
    assert.deepEqual([queue.size, queue.oldestSeenAtMs], [1, 20]);
    queue.take(1, new Slots());
    assert.equal(queue.oldestSeenAtMs, null);
  });

  it('lets origins take turns, and passes by one that is at its bound', () => {
    const queue = new DueQueue();
    fill(queue, 'a', 3);
    fill(queue, 'b', 3);
    fill(queue, 'c', 1);
    const share = { total: 10, perOrigin: 2 };
    const slots = new Slots({ fast: share, slow: share, long: 0 });
    assert.deepEqual(takenOf(queue, 4, slots), ['a0', 'b0', 'c0', 'a1']);
    assert.deepEqual(takenOf(queue, 4, slots), ['b1']);
    assert.equal(queue.size, 2);
    slots.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 4, slots), ['a2']);
  });

  it('gives the slow their share and the fast theirs, whichever have more to be told', () => {
    const queue = new DueQueue();
    fill(queue, 'hanging', 4, true);
    fill(queue, 'sleepy', 4, true);
    fill(queue, 'a', 9);
    const slots = new Slots({
      fast: { total: 4, perOrigin: 4 },
      slow: { total: 3, perOrigin: 2 },
      long: 0,
    });
    const taken = takenOf(queue, 10, slots);
    assert.deepEqual(taken, ['hanging0', 'sleepy0', 'hanging1', 'a0', 'a1', 'a2', 'a3']);
    assert.deepEqual([slots.taken, slots.freeOf(true), slots.freeOf(false)], [7, 0, 0]);
    slots.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 10, slots), ['a4']);
    // At its bound of the slow, not at that of the fast.
    slots.release(noticeOf('sleepy', 0, true));
    slots.release(noticeOf('a', 0));
    fill(queue, 'hanging', 5);
    assert.deepEqual(takenOf(queue, 10, slots), ['sleepy1', 'a5']);
    slots.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 10, slots), ['hanging0']);
  });

  it('serves the fast within a turn while 2,048 slow notices wait for slots that never come free', () => {
    const queue = new DueQueue();
    const slots = new Slots();
    for (let origin = 0; origin < 600; origin++) fill(queue, `hostile${origin}-`, 16, true);
    assert.equal(takenOf(queue, 1_000, slots).length, 64);
    assert.deepEqual(takenOf(queue, 1_000, slots), []);
    for (let round = 0; round < 3; round++) {
      fill(queue, 'innocent', 1);
      assert.deepEqual(takenOf(queue, 128, slots), ['innocent0']);
      slots.release(noticeOf('innocent', 0));
    }
  });

  it('frees the slot of what takes long for others, not for its own origin, until there are too many', () => {
    const queue = new DueQueue();
    fill(queue, 'new', 3);
    fill(queue, 'a', 4);
    const slots = new Slots({
      fast: { total: 2, perOrigin: 2 },
      slow: { total: 1, perOrigin: 1 },
      long: 2,
    });
    assert.deepEqual(takenOf(queue, 9, slots), ['new0', 'a0']);
    assert.equal(slots.outlast(noticeOf('new', 0)), true);
    assert.deepEqual(takenOf(queue, 9, slots), ['new1']);
    assert.equal(slots.outlast(noticeOf('new', 1)), true);
    assert.deepEqual(takenOf(queue, 9, slots), ['a1']);
    // There are two of them, and two others: no more, and none for the origin that has two.
    assert.equal(slots.outlast(noticeOf('a', 1)), false);
    assert.deepEqual([slots.taken, slots.freeOf(false)], [4, 0]);
    slots.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 9, slots), ['a2']);
    slots.release(noticeOf('new', 0), true);
    assert.deepEqual([slots.taken, takenOf(queue, 9, slots)], [3, []]);
    assert.equal(slots.outlast(noticeOf('a', 1)), true);
    assert.deepEqual(takenOf(queue, 9, slots), ['new2']);
    fill(queue, 's', 1, true);
    assert.deepEqual(takenOf(queue, 9, slots), ['s0']);
    assert.equal(slots.outlast(noticeOf('s', 0, true)), false);
  });

  it('gives each slow origin a turn before any has a second one', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 100; origin++) fill(queue, `hostile${origin}-`, 16, true);
    fill(queue, 'innocent', 1, true);
    const slots = new Slots();
    const served: string[] = [];
    while (!served.includes('innocent0')) {
      const round = queue.take(128, slots);
      served.push(...round.map(({ notice }) => notice.connectionId));
      for (const { notice } of round) slots.release(notice);
      assert.ok(round.length > 0);
    }
    assert.equal(served.indexOf('innocent0'), 100);
  });

  it('holds 256 of a fast origin and 8,192 in all, 16 of a slow one and 2,048 in all', () => {
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
