import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairLimiter, type Place } from './fair-limiter.ts';

const ALL = { running: Infinity, waiting: Infinity };

function limiterOf(
  running: number,
  waiting: number,
  waitMsMax = 30_000,
  now?: () => number,
): FairLimiter {
  return new FairLimiter({ bounds: [ALL, { running, waiting }], waitMsMax }, now);
}

function reserve(limiter: FairLimiter, path: readonly string[]): Place {
  const place = limiter.reserve(path);
  assert.ok(place !== undefined);
  return place;
}

describe('a fair limiter', () => {
  it('two tasks of a group run at the same time, and further tasks of that group wait in order', async () => {
    const limiter = limiterOf(2, 3);
    const begun: number[] = [];
    const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const taken = ends.map(
      async (end, index) =>
        await limiter.run(['one'], async () => {
          begun.push(index);
          await end.promise;
          if (index === 1) throw new Error('on purpose');
          return index;
        }),
    );
    const failed = assert.rejects(async () => await taken[1], /on purpose/);
    assert.deepEqual(await limiter.run(['other'], async () => await Promise.resolve('other')), {
      value: 'other',
    });
    assert.deepEqual(begun, [0, 1]);
    ends[1]?.resolve();
    await failed;
    await nextTurn();
    assert.deepEqual(begun, [0, 1, 2]);
    for (const end of ends) end.resolve();
    assert.deepEqual(await taken[0], { value: 0 });
    assert.deepEqual(await Promise.all(taken.slice(2)), [{ value: 2 }, { value: 3 }, { value: 4 }]);
    assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  });

  it('the slot of a failed task goes to the next waiting task', async () => {
    const limiter = limiterOf(1, 9, 30_000);
    const first = Promise.withResolvers<string>();
    const one = limiter.run(['a'], async () => await first.promise);
    const failing = limiter.run(['a'], async () => await Promise.reject(new Error('on purpose')));
    const two = limiter.run(['a'], async () => await Promise.resolve('two'));
    first.resolve('one');
    assert.deepEqual(await one, { value: 'one' });
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual(await two, { value: 'two' });
  });

  it('a task is refused immediately when the queue is full, and accepted when the queue has room', async () => {
    const limiter = limiterOf(2, 3);
    const end = Promise.withResolvers<number>();
    const taken = Array.from(
      { length: 5 },
      async () => await limiter.run(['one'], async () => await end.promise),
    );
    const run = async (): Promise<never> => await Promise.reject(new Error('was run'));
    assert.equal(await limiter.run(['one'], run), undefined);
    end.resolve(1);
    assert.equal((await Promise.all(taken)).length, 5);
    assert.deepEqual(await limiter.run(['one'], async () => await Promise.resolve(2)), {
      value: 2,
    });
  });

  it('a task that waited too long is refused and does not run', async () => {
    const limiter = limiterOf(1, 3, 20);
    const end = Promise.withResolvers<void>();
    const first = limiter.run(['one'], async () => await end.promise);
    const run = async (): Promise<never> => await Promise.reject(new Error('was run'));
    assert.equal(await limiter.run(['one'], run), undefined);
    end.resolve();
    assert.deepEqual(await first, { value: undefined });
    assert.deepEqual(await limiter.run(['one'], async () => await Promise.resolve(2)), {
      value: 2,
    });
  });

  it('a task is refused immediately if it would wait too long at the current rate', async () => {
    let nowMs = 0;
    const limiter = limiterOf(2, 100, 1_000, () => nowMs);
    const first = Promise.withResolvers<void>();
    const others = Promise.withResolvers<void>();
    const take = async (end: Promise<void>): Promise<boolean> =>
      (await limiter.run(['one'], async () => await end)) !== undefined;
    const ended = [take(first.promise), take(first.promise)];
    const waiting = Array.from({ length: 5 }, async () => await take(others.promise));
    await nextTurn();
    nowMs = 500;
    first.resolve();
    await Promise.all(ended);
    // Four tasks have started in 0.5 s (two have ended, two are running). At this rate, eight tasks
    // can start within `waitMsMax`. Three are waiting now.
    for (let n = 0; n < 5; n++) waiting.push(take(others.promise));
    const run = async (): Promise<never> => await Promise.reject(new Error('was run'));
    assert.equal(await limiter.run(['one'], run), undefined);
    const other = await limiter.run(['other'], async () => await Promise.resolve('other'));
    assert.deepEqual(other, { value: 'other' });
    others.resolve();
    assert.ok((await Promise.all(waiting)).every(Boolean));
    assert.deepEqual(await limiter.run(['one'], async () => await Promise.resolve(2)), {
      value: 2,
    });
  });

  it('a burst of tasks is accepted after a slow task', async () => {
    let nowMs = 0;
    const limiter = limiterOf(1, 999, 1_000, () => nowMs);
    await limiter.run(['one'], async () => {
      nowMs = 60_000;
      await Promise.resolve();
    });
    const end = Promise.withResolvers<void>();
    const taken = Array.from(
      { length: 1_000 },
      async () => await limiter.run(['one'], async () => await end.promise),
    );
    end.resolve();
    assert.ok((await Promise.all(taken)).every((one) => one !== undefined));
  });

  it('a waiting task that is aborted leaves the queue, and a running task that is aborted finishes', async () => {
    const limiter = limiterOf(1, 2, 30_000);
    const [patience, running] = [new AbortController(), new AbortController()];
    const end = Promise.withResolvers<string>();
    const first = limiter.run(['one'], async () => await end.promise, running.signal);
    const run = async (): Promise<never> => await Promise.reject(new Error('was run'));
    const waiting = limiter.run(['one'], run, patience.signal);
    const next = limiter.run(['one'], async () => await Promise.resolve('next'));
    patience.abort();
    assert.equal(await waiting, undefined);
    assert.equal(await limiter.run(['one'], run, patience.signal), undefined, 'gave up before');
    const last = limiter.run(['one'], async () => await Promise.resolve('last'), patience.signal);
    assert.equal(await last, undefined);
    running.abort();
    end.resolve('first');
    assert.deepEqual(await first, { value: 'first' });
    assert.deepEqual(await next, { value: 'next' });
  });

  it('a task that is aborted just after it got its slot frees the slot', async () => {
    const limiter = limiterOf(1, 2, 30_000);
    const patience = new AbortController();
    const end = Promise.withResolvers<void>();
    const first = limiter.run(['one'], async () => await end.promise);
    const late = limiter.run(['one'], async () => await Promise.resolve('late'), patience.signal);
    end.resolve();
    await first;
    patience.abort();
    assert.deepEqual(await late, { value: 'late' });
    assert.deepEqual(await limiter.run(['one'], async () => await Promise.resolve(2)), {
      value: 2,
    });
  });

  it('a reserved place counts before its task waits, and the task of a later place can start first', async () => {
    const limiter = new FairLimiter({ bounds: [{ running: 1, waiting: 2 }], waitMsMax: Infinity });
    const [first, second] = [reserve(limiter, ['a']), reserve(limiter, ['a'])];
    assert.equal(limiter.reserve(['a']), undefined);
    assert.equal(await second.wait(), 'now');
    const waiting = first.wait();
    second.release();
    assert.equal(await waiting, 'now');
    first.release();
    first.release();
    assert.deepEqual([limiter.running, limiter.waiting], [0, 0]);
  });

  it('a place that is never used is given up, and an evicted one says so before and while it waits', async () => {
    const limiter = new FairLimiter({ bounds: [{ running: 1, waiting: 3 }], waitMsMax: Infinity });
    const running = reserve(limiter, ['x']);
    assert.equal(await running.wait(), 'now');
    const [unused, waits, reserved] = [1, 2, 3].map(() => reserve(limiter, ['a']));
    const result = waits?.wait();
    reserve(limiter, ['b']);
    assert.equal(await reserved?.wait(), 'evicted', 'the newest place of the largest group');
    unused?.release();
    reserve(limiter, ['c']).release();
    assert.equal(limiter.waiting, 2);
    running.release();
    assert.equal(await result, 'now');
  });

  it('waits that ended without a turn are no evidence later', async () => {
    let nowMs = 0;
    const limiter = new FairLimiter(
      { bounds: [{ running: 1, waiting: 9 }], waitMsMax: 1_000 },
      () => nowMs,
    );
    const running = reserve(limiter, ['a']);
    await running.wait();
    const leaving = new AbortController();
    const left = [1, 2].map(async () => await reserve(limiter, ['b']).wait(leaving.signal));
    leaving.abort();
    await Promise.all(left);
    nowMs = 3_600_000;
    for (let n = 0; n < 3; n++) reserve(limiter, ['b']);
  });

  it('a client that disconnects leaves the queue', async () => {
    const limiter = new FairLimiter({ bounds: [{ running: 1, waiting: 3 }], waitMsMax: Infinity });
    const running = reserve(limiter, ['a']);
    await running.wait();
    const leaving = new AbortController();
    const left = reserve(limiter, ['a']).wait(leaving.signal);
    const next = reserve(limiter, ['a']).wait();
    leaving.abort();
    assert.equal(await left, 'gone');
    assert.equal(await reserve(limiter, ['a']).wait(leaving.signal), 'gone');
    assert.equal(limiter.waiting, 1);
    running.release();
    assert.equal(await next, 'now');
  });
});
