import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DueDelivery, WebhookSpeed } from './due-deliveries.ts';
import { type ClassLimits, DueQueue, type QueueLimits, queueLimits } from './due-queue.ts';

function slotsOf(
  fast: readonly [all: number, perOrigin: number],
  slow: readonly [all: number, perOrigin: number],
): QueueLimits {
  const room = { reserved: 0, hanging: 0, perShop: 100, waiting: 100 };
  return {
    fast: { ...room, slots: fast[0], perOrigin: fast[1] },
    slow: { ...room, slots: slow[0], perOrigin: slow[1] },
  };
}

function queueWith(fast: Partial<ClassLimits>): DueQueue {
  const limits = slotsOf([100, 100], [100, 100]);
  return new DueQueue({ ...limits, fast: { ...limits.fast, ...fast } });
}

/** Each origin belongs to another shop, unless a shop is given. */
function noticeOf(
  origin: string,
  number: number,
  speed: WebhookSpeed = 'fast',
  shopId = origin,
): DueDelivery {
  return { shopId, connectionId: `${origin}${number}`, origin, speed };
}

function fill(
  queue: DueQueue,
  origin: string,
  count: number,
  speed: WebhookSpeed = 'fast',
  shopId = origin,
): number {
  let added = 0;
  for (let number = 0; number < count; number++) {
    if (queue.add(noticeOf(origin, number, speed, shopId), 1)) added++;
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
    assert.equal(queue.add(noticeOf('a', 1, 'slow'), 20), false);
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
    fill(queue, 'hanging', 4, 'slow');
    fill(queue, 'sleepy', 4, 'slow');
    fill(queue, 'a', 9);
    const taken = takenOf(queue, 10);
    assert.deepEqual(taken, ['hanging0', 'sleepy0', 'hanging1', 'a0', 'a1', 'a2', 'a3']);
    assert.deepEqual(takenOf(queue, 10), []);
    queue.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 10), ['a4']);
    // The origin `hanging` has used up its slow slots, but not its fast slots.
    queue.release(noticeOf('sleepy', 0, 'slow'));
    queue.release(noticeOf('a', 0));
    fill(queue, 'hanging', 5);
    assert.deepEqual(takenOf(queue, 10), ['sleepy1', 'a5']);
    queue.release(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 10), ['hanging0']);
  });

  it('fast deliveries get slots immediately while 2,048 slow deliveries wait', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 600; origin++) fill(queue, `hostile${origin}-`, 16, 'slow');
    assert.equal(takenOf(queue, 1_000).length, 64);
    assert.deepEqual(takenOf(queue, 1_000), []);
    for (let round = 0; round < 3; round++) {
      fill(queue, 'innocent', 1);
      assert.deepEqual(takenOf(queue, 128), ['innocent0']);
      queue.release(noticeOf('innocent', 0));
    }
  });

  it('there are 448 slots for fast deliveries (60 per origin, 48 per shop) and 64 for slow ones (4, 8)', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 20; origin++) {
      fill(queue, `f${origin}-`, 100);
      fill(queue, `s${origin}-`, 16, 'slow');
    }
    const taken = queue.take(10_000).map(({ delivery }) => delivery);
    const fast = taken.filter(({ speed }) => speed !== 'slow');
    assert.deepEqual([fast.length, taken.length - fast.length], [448, 64]);
    assert.equal(queue.running, 512);
    const ofOrigin = new DueQueue();
    const ofShop = new DueQueue();
    for (let number = 0; number < 100; number++) {
      ofOrigin.add(noticeOf('a', number, 'fast', `shop${number}`), 1);
      ofOrigin.add(noticeOf('s', number, 'slow', `shop${number}`), 1);
      ofShop.add(noticeOf(`a${number}-`, 1, 'fast', 'shop'), 1);
      ofShop.add(noticeOf(`s${number}-`, 1, 'slow', 'shop'), 1);
    }
    assert.deepEqual([ofOrigin.take(1_000).length, ofShop.take(1_000).length], [60 + 4, 48 + 8]);
  });

  it('a shop with many origins takes turns with other shops', () => {
    const queue = queueWith({ slots: 6 });
    for (const origin of ['a', 'b', 'c']) fill(queue, origin, 2, 'fast', 'shop');
    fill(queue, 'other', 2);
    assert.deepEqual(takenOf(queue, 10), ['a0', 'other0', 'a1', 'other1', 'b0', 'b1']);
  });

  it('a hanging delivery frees its slot for others, but still counts for its shop and its origin', () => {
    const queue = queueWith({ slots: 2, hanging: 3, perShop: 3, perOrigin: 2 });
    for (const origin of ['a', 'b', 'c', 'd']) fill(queue, origin, 1, 'fast', 'shop');
    assert.deepEqual(takenOf(queue, 10), ['a0', 'b0']);
    queue.markHanging(noticeOf('a', 0));
    assert.deepEqual(takenOf(queue, 10), ['c0']);
    queue.markHanging(noticeOf('b', 0));
    assert.deepEqual(takenOf(queue, 10), [], 'the shop has three in flight');
    fill(queue, 'other', 3);
    assert.deepEqual(takenOf(queue, 10), ['other0']);
    queue.markHanging(noticeOf('other', 0));
    assert.deepEqual(takenOf(queue, 10), ['other1']);
    queue.markHanging(noticeOf('other', 1));
    assert.deepEqual(takenOf(queue, 10), [], 'more hang than may without a slot');
    assert.equal(queue.running, 5);
    queue.release(noticeOf('a', 0, 'fast', 'shop'));
    assert.deepEqual(takenOf(queue, 10), ['d0']);
    queue.release(noticeOf('other', 0));
    assert.deepEqual(takenOf(queue, 10), [], 'two deliveries hold the slots');
    queue.markHanging(noticeOf('c', 0));
    assert.deepEqual(takenOf(queue, 10), ['other2']);
  });

  it('some slots are reserved for receivers that are known to respond', () => {
    const queue = queueWith({ slots: 4, reserved: 2 });
    fill(queue, 'new', 5, 'unknown', 'shop');
    assert.deepEqual(takenOf(queue, 10), ['new0', 'new1']);
    fill(queue, 'known', 3, 'fast', 'shop');
    assert.deepEqual(takenOf(queue, 10), ['known0', 'known1']);
    queue.release(noticeOf('new', 0, 'unknown', 'shop'));
    assert.deepEqual(takenOf(queue, 10), ['known2']);
  });

  it('any number of receivers that never responded leave slots for one that did', () => {
    const queue = new DueQueue();
    let started = 0;
    for (let round = 0; round < 10; round++) {
      for (let origin = 0; origin < 500; origin++) fill(queue, `${round}-${origin}-`, 1, 'unknown');
      const taken = queue.take(10_000);
      started += taken.length;
      for (const { delivery } of taken) queue.markHanging(delivery);
    }
    const { slots, reserved, hanging } = queueLimits.fast;
    assert.equal(started, hanging + slots - reserved);
    fill(queue, 'innocent', 1);
    assert.deepEqual(takenOf(queue, 10), ['innocent0']);
  });

  it('each slow origin gets one slot before any slow origin gets a second one', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 100; origin++) fill(queue, `hostile${origin}-`, 16, 'slow');
    fill(queue, 'innocent', 1, 'slow');
    const served: string[] = [];
    while (!served.includes('innocent0')) {
      const round = queue.take(128);
      served.push(...round.map(({ delivery }) => delivery.connectionId));
      for (const { delivery } of round) queue.release(delivery);
      assert.ok(round.length > 0);
    }
    assert.equal(served.indexOf('innocent0'), 100);
  });

  it('the queue holds at most 192 fast and 32 slow deliveries of a shop, so that it leaves places', () => {
    const queue = new DueQueue();
    for (let origin = 0; origin < 100; origin++) {
      fill(queue, `f${origin}-`, 100, 'fast', 'hoarder');
      fill(queue, `s${origin}-`, 10, 'slow', 'hoarder');
    }
    assert.equal(queue.size, 192 + 32);
    assert.equal(fill(queue, 'other', 1), 1);
  });

  it('the queue holds at most 8,192 fast deliveries (240 per origin) and 2,048 slow deliveries (16 per origin)', () => {
    const queue = new DueQueue();
    // Each delivery is of another shop.
    const fillShops = (origin: string, deliveries: number, speed?: WebhookSpeed): number =>
      Array.from({ length: deliveries }, (_, n) => n).filter((n) =>
        queue.add(noticeOf(origin, n, speed, `${origin}${n}`), 1),
      ).length;
    assert.equal(fillShops('a', 241), 240);
    assert.equal(fillShops('s', 17, 'slow'), 16);
    assert.deepEqual([queue.fullOriginsOf(false), queue.fullOriginsOf(true)], [['a'], ['s']]);
    for (let origin = 0; origin < 130; origin++) fillShops(`s${origin}-`, 16, 'slow');
    assert.equal(queue.size, 240 + 2_048);
    for (let origin = 0; origin < 40; origin++) fillShops(`f${origin}-`, 240);
    assert.equal(queue.size, 8_192 + 2_048);
  });
});
