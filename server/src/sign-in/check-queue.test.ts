import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkLevels } from '../base/network.ts';
import { CheckQueue, type Reservation, type WaitResult } from './check-queue.ts';

const here = new AbortController().signal;

function reserve(queue: CheckQueue, ...path: readonly string[]): Reservation {
  const place = queue.reserve(path);
  assert.ok(place !== undefined);
  return place;
}

describe('the queue of password checks', () => {
  it('the queue is limited even before the first await', () => {
    const queue = new CheckQueue({ runningMax: 2, waitingMax: 64 });
    const places = Array.from({ length: 400 }, () => queue.reserve(['a']));
    assert.equal(places.filter((place) => place !== undefined).length, 64);
    assert.equal(queue.queuedCount, 64);
  });

  it('a limited number of checks run at the same time, and the networks are served alternately', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 10 });
    const order: string[] = [];
    const run = async (name: string): Promise<void> => {
      const place = reserve(queue, name.slice(0, 1));
      const turn = await queue.wait(place, here);
      order.push(name);
      // Give the other reservations time to start waiting.
      await new Promise((resolve) => setImmediate(resolve));
      queue.release(place, turn);
    };
    await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2'].map(run));
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'c2', 'a4']);
    assert.equal(queue.queuedCount, 0);
  });

  it('a full queue evicts the newest request of the network with the most requests, for a network with fewer', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 4 });
    const running = reserve(queue, 'x');
    assert.equal(await queue.wait(running, here), 'now');
    const flood = Array.from({ length: 4 }, () => reserve(queue, 'a'));
    const turns = flood.slice(0, 3).map(async (place) => await queue.wait(place, here));
    // The youngest reservation is evicted before it waits, so `wait` returns `evicted` immediately.
    reserve(queue, 'b');
    const [, , , youngest] = flood;
    assert.ok(youngest !== undefined);
    assert.equal(await queue.wait(youngest, here), 'evicted');
    reserve(queue, 'b');
    assert.equal(await turns[2], 'evicted');
    assert.equal(queue.reserve(['b']), undefined);
    assert.equal(queue.reserve(['a']), undefined);
    assert.equal(queue.queuedCount, 4);
  });

  it('disconnected clients are removed without checking their password', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 3 });
    const running = reserve(queue, 'a');
    const turn = await queue.wait(running, here);
    const leaving = new AbortController();
    const left = queue.wait(reserve(queue, 'a'), leaving.signal);
    const next = queue.wait(reserve(queue, 'a'), here);
    leaving.abort();
    assert.equal(await left, 'gone');
    assert.equal(queue.queuedCount, 1);
    assert.equal(await queue.wait(reserve(queue, 'a'), leaving.signal), 'gone');
    queue.release(running, turn);
    const ended: WaitResult = await next;
    assert.equal(ended, 'now');
  });

  it('a reservation that was never used can be released', async () => {
    const queue = new CheckQueue({ runningMax: 1, waitingMax: 1 });
    const place = reserve(queue, 'a');
    assert.equal(queue.reserve(['a']), undefined);
    queue.release(place, null);
    assert.equal(queue.queuedCount, 0);
    assert.equal(await queue.wait(reserve(queue, 'a'), here), 'now');
    assert.equal(queue.queuedCount, 0);
  });

  it('a person is checked soon even if 90 networks of one /48 fill the queue', async () => {
    const queue = new CheckQueue({ runningMax: 2, waitingMax: 64 });
    const order: string[] = [];
    const run = async (name: string, address: string): Promise<WaitResult | 'refused'> => {
      const place = queue.reserve(networkLevels(address));
      if (place === undefined) return 'refused';
      const turn = await queue.wait(place, here);
      if (turn !== 'now') return turn;
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      queue.release(place, turn);
      return turn;
    };
    const flood = Array.from({ length: 90 }, async (_, index) => {
      return await run('attacker', `2001:db8:1:${index.toString(16)}::1`);
    });
    const innocents = ['2001:db8:2::1', '192.0.2.1', '198.51.100.7'].map(
      async (address) => await run('innocent', address),
    );
    assert.deepEqual(await Promise.all(innocents), ['now', 'now', 'now']);
    // Two checks of the flood ran before the innocent networks arrived. After that, each innocent
    // network waits for at most one turn of the flood's /48 and one turn of each other network.
    assert.ok(order.lastIndexOf('innocent') < 8, order.slice(0, 10).join(' '));
    const turns = await Promise.all(flood);
    assert.equal(turns.filter((turn) => turn === 'evicted').length, 3);
    assert.equal(queue.queuedCount, 0);
  });

  it('the addresses within a wider network are served alternately too: a /56, and a /24 of IPv4', async () => {
    for (const [many, other] of [
      [(n: number) => `2001:db8:1:${n.toString(16)}::1`, '2001:db8:1:ff00::1'],
      [() => '192.0.2.1', '192.0.2.2'],
    ] as const) {
      const queue = new CheckQueue({ runningMax: 1, waitingMax: 8 });
      const first = reserve(queue, ...networkLevels(many(0)));
      assert.equal(await queue.wait(first, here), 'now');
      const waiting = Array.from({ length: 8 }, async (_, n) => {
        return await queue.wait(reserve(queue, ...networkLevels(many(n))), here);
      });
      const neighbor = queue.reserve(networkLevels(other));
      assert.ok(neighbor !== undefined);
      const turn = queue.wait(neighbor, here);
      queue.release(first, 'now');
      // The oldest reservation of the flood and the reservation of the neighbor are the next two to
      // start, in either order.
      const [, , , , , , , last] = waiting;
      assert.equal(await last, 'evicted');
      const oldest = await waiting[0];
      assert.equal(oldest, 'now');
      queue.release(first, 'now');
      assert.equal(await turn, 'now');
    }
  });
});
