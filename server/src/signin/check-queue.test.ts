import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckQueue, type Place, type Turn } from './check-queue.ts';

const here = new AbortController().signal;

function reserve(queue: CheckQueue, network: string): Place {
  const place = queue.reserve(network);
  assert.ok(place !== undefined);
  return place;
}

describe('the queue of password checks', () => {
  it('holds so many and not one more, before anything is awaited', () => {
    const queue = new CheckQueue({ runningMax: 2, waitingMax: 64 });
    const places = Array.from({ length: 400 }, () => queue.reserve('a'));
    assert.equal(places.filter((place) => place !== undefined).length, 64);
    assert.equal(queue.heldCount, 64);
  });

  it('runs so many at once, in the order of the networks, then of their places', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 10 });
    const order: string[] = [];
    const run = async (name: string): Promise<void> => {
      const place = reserve(queue, name.slice(0, 1));
      const turn = await queue.wait(place, here);
      order.push(name);
      // The others come to wait meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      queue.release(place, turn);
    };
    await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2'].map(run));
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'c2', 'a4']);
    assert.equal(queue.heldCount, 0);
  });

  it('makes room for a network that holds less, from the youngest of the one that holds most', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 4 });
    const running = reserve(queue, 'x');
    assert.equal(await queue.wait(running, here), 'now');
    const flood = Array.from({ length: 4 }, () => reserve(queue, 'a'));
    const turns = flood.slice(0, 3).map(async (place) => await queue.wait(place, here));
    // The youngest has not come to wait yet: it is told when it does.
    reserve(queue, 'b');
    const [, , , youngest] = flood;
    assert.ok(youngest !== undefined);
    assert.equal(await queue.wait(youngest, here), 'evicted');
    reserve(queue, 'b');
    assert.equal(await turns[2], 'evicted');
    assert.equal(queue.reserve('b'), undefined);
    assert.equal(queue.reserve('a'), undefined);
    assert.equal(queue.heldCount, 4);
  });

  it('drops who has gone, and does no work for it', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 3 });
    const running = reserve(queue, 'a');
    const turn = await queue.wait(running, here);
    const leaving = new AbortController();
    const left = queue.wait(reserve(queue, 'a'), leaving.signal);
    const next = queue.wait(reserve(queue, 'a'), here);
    leaving.abort();
    assert.equal(await left, 'gone');
    assert.equal(queue.heldCount, 1);
    assert.equal(await queue.wait(reserve(queue, 'a'), leaving.signal), 'gone');
    queue.release(running, turn);
    const ended: Turn = await next;
    assert.equal(ended, 'now');
  });

  it('takes back a place that never came to wait', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 1 });
    const place = reserve(queue, 'a');
    assert.equal(queue.reserve('a'), undefined);
    queue.release(place, null);
    assert.equal(queue.heldCount, 0);
    assert.equal(await queue.wait(reserve(queue, 'a'), here), 'now');
    assert.equal(queue.heldCount, 0);
  });
});
