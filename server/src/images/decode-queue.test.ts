import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntil } from '../../test/wait-until.ts';
import { DecodeQueue } from './decode-queue.ts';

/** Jobs that run until the test ends them. */
class ManualJobs {
  readonly running: string[] = [];
  readonly #ends: (() => void)[] = [];

  async work(shop: string): Promise<string> {
    this.running.push(shop);
    await new Promise<void>((resolve) => this.#ends.push(resolve));
    this.running.splice(this.running.indexOf(shop), 1);
    return shop;
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

describe('the decode queue', () => {
  it('two images, one per shop, are decoded at the same time, and an image that would wait too long is refused (503)', async () => {
    const queue = new DecodeQueue({ waitingMax: 2, shopWaitingMax: 1 });
    const works = new ManualJobs();
    const take = async (shop: string): Promise<{ readonly value: string } | undefined> =>
      await queue.run([shop], async () => await works.work(shop));
    const taken = [take('a'), take('a'), take('b')];
    await waitUntil(() => works.running.length === 2);
    assert.deepEqual(works.running, ['a', 'b'], 'the second of a waits for the first');
    assert.deepEqual([queue.running, queue.waiting], [2, 1]);
    assert.equal(await take('a'), undefined, 'a third of a');
    taken.push(take('c'));
    assert.deepEqual([queue.running, queue.waiting], [2, 2]);
    assert.equal(await take('d'), undefined, 'a third that waits');
    // The waiting jobs run one after another, and none is lost.
    let left = taken.length;
    for (const each of taken) void each.finally(() => (left -= 1)).catch(() => undefined);
    await waitUntil(() => {
      works.end();
      return left === 0;
    });
    const values = (await Promise.all(taken)).map((each) => each?.value ?? 'turned away');
    assert.deepEqual(values.slice(0, 1), ['a']);
    assert.deepEqual(values.slice(2), ['b', 'c']);
    assert.deepEqual(works.running, []);
    assert.deepEqual([queue.running, queue.waiting], [0, 0]);
    const again = take('d');
    await waitUntil(() => works.running.length === 1);
    works.end();
    assert.equal((await again)?.value, 'd');
  });
});
