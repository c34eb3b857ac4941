import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DueNotice } from './due.ts';
import { DueQueue } from './due-queue.ts';
import { Slots } from './slots.ts';

const AT = new Date('2026-06-01T12:00:00.000Z');

function noticeOf(origin: string, number: number, isFailing = false): DueNotice {
  return { shopId: 's', connectionId: `${origin}${number}`, origin, isFailing, dueAt: AT };
}

function fill(queue: DueQueue, origin: string, count: number, isFailing = false): number {
  let added = 0;
  for (let number = 0; number < count; number++) {
    if (queue.add(noticeOf(origin, number, isFailing), 1)) added++;
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
    const slots = new Slots({ total: 10, perOrigin: 2, failing: 1 });
    assert.deepEqual(takenOf(queue, 4, slots), ['a0', 'b0', 'c0', 'a1']);
    assert.deepEqual(takenOf(queue, 4, slots), ['b1']);
    assert.deepEqual([slots.fullOrigins(), queue.size], [['a', 'b'], 2]);
    slots.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 4, slots), ['a2']);
  });

  it('gives the failing no more than their share, and the others the rest', () => {
    const queue = new DueQueue();
    fill(queue, 'dead', 4, true);
    fill(queue, 'dying', 4, true);
    fill(queue, 'a', 9);
    const slots = new Slots({ total: 6, perOrigin: 6, failing: 2 });
    const taken = takenOf(queue, 10, slots);
    assert.deepEqual(taken, ['dead0', 'dying0', 'a0', 'a1', 'a2', 'a3']);
    assert.deepEqual([slots.free, slots.taken, slots.isFullOfFailing], [0, 6, true]);
    slots.release(noticeOf('dead', 0, true));
    assert.equal(slots.isFullOfFailing, false);
    assert.deepEqual(takenOf(queue, 10, slots), ['dead1']);
  });

  it('holds 256 of an origin, 1,024 that fail, and 8,192 in all', () => {
    const queue = new DueQueue();
    assert.equal(fill(queue, 'a', 257), 256);
    assert.deepEqual(queue.fullOrigins(), ['a']);
    for (let origin = 0; origin < 5; origin++) fill(queue, `f${origin}`, 256, true);
    assert.equal(queue.size, 256 + 1_024);
    assert.equal(queue.isFullOfFailing, true);
    for (let origin = 0; origin < 40; origin++) fill(queue, `h${origin}`, 256);
    assert.deepEqual([queue.size, queue.isFull], [8_192, true]);
  });
});
