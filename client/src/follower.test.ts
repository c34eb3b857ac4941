import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { ConnectionRevokedError, RateLimitedError, ServerError } from './errors.ts';
import { follow } from './follower.ts';
import type { Signal } from './platform.ts';
import { throwIfAborted } from './retry.ts';
import type { SyncResult } from './sync-target.ts';

const DONE: SyncResult = { changes: 0, pages: 1, restarts: 0, isCaughtUp: true };
/** Longer than any test runs, so that no poll happens. */
const POLL_NEVER_MS = 3_600_000;

/** Syncs that the test completes one by one. */
class HeldSyncs {
  begun = 0;
  running = 0;
  readonly #ends: ((result: SyncResult | Error) => void)[] = [];
  readonly #waiting: (() => void)[] = [];

  readonly sync = async (signal: Signal): Promise<SyncResult> => {
    this.begun++;
    this.running++;
    assert.equal(this.running, 1, 'two at once');
    const result = await new Promise<SyncResult | Error>((resolve) => {
      this.#ends.push(resolve);
      this.#waiting.shift()?.();
    });
    this.running--;
    throwIfAborted(signal);
    if (result instanceof Error) throw result;
    return result;
  };

  /** Waits until a sync has begun, and ends the sync with this result. */
  async end(result: SyncResult | Error = DONE): Promise<void> {
    if (this.#ends.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#ends.shift()?.(result);
    await settled();
  }
}

/** Lets all pending promises continue. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('a follower', () => {
  it('a follower syncs immediately and when it is woken; many wakes during a sync cause one more sync', async () => {
    const syncs = new HeldSyncs();
    const results: SyncResult[] = [];
    const follower = follow(syncs.sync, {
      pollEveryMs: POLL_NEVER_MS,
      onSynced: (result) => results.push(result),
    });
    await syncs.end();
    assert.deepEqual([syncs.begun, results.length], [1, 1]);
    follower.wake();
    await settled();
    assert.equal(syncs.begun, 2);
    for (let wakes = 0; wakes < 5; wakes++) follower.wake();
    assert.equal(syncs.begun, 2);
    await syncs.end();
    assert.equal(syncs.begun, 3);
    await syncs.end();
    assert.deepEqual([syncs.begun, results.length], [3, 3]);
    await follower.stop();
    assert.equal(await follower.ended, 'stopped');
  });

  it('a follower syncs periodically, and immediately after a sync that did not catch up', async () => {
    const syncs = new HeldSyncs();
    const follower = follow(syncs.sync, { pollEveryMs: 1 });
    await syncs.end();
    await syncs.end({ ...DONE, isCaughtUp: false });
    assert.equal(syncs.begun, 3);
    await syncs.end();
    const stopped = follower.stop();
    syncs.end().catch(() => undefined);
    await stopped;
  });

  it('a follower reports a failed sync or an error of onSynced, and continues', async () => {
    const syncs = new HeldSyncs();
    const told: unknown[] = [];
    const [fault, other] = [new ServerError(), new Error('disk full')];
    let isBroken = true;
    const follower = follow(syncs.sync, {
      pollEveryMs: 2,
      onError: (error) => told.push(error),
      onSynced: () => {
        if (isBroken) throw other;
      },
    });
    await syncs.end(fault);
    await syncs.end();
    isBroken = false;
    await syncs.end();
    assert.deepEqual(told, [fault, other]);
    const stopped = follower.stop();
    syncs.end().catch(() => undefined);
    await stopped;
  });

  it('a follower ends when the app needs a new approval', async () => {
    const syncs = new HeldSyncs();
    const told: unknown[] = [];
    const follower = follow(syncs.sync, { pollEveryMs: 1, onError: (error) => told.push(error) });
    const fault = new ConnectionRevokedError();
    await syncs.end(fault);
    assert.equal(await follower.ended, 'approval_needed');
    follower.wake();
    await settled();
    assert.deepEqual([told, syncs.begun], [[fault], 1]);
  });

  it('a follower that is stopped aborts its sync, waits for it, and reports no failure', async () => {
    const syncs = new HeldSyncs();
    const told: unknown[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    const follower = follow(syncs.sync, { signal, onError: (error) => told.push(error) });
    await settled();
    controller.abort();
    await settled();
    assert.equal(syncs.running, 1);
    await syncs.end();
    assert.equal(await follower.ended, 'stopped');
    assert.deepEqual([told, syncs.running, syncs.begun], [[], 0, 1]);
  });

  it('a follower does not start with an aborted signal or an invalid poll interval', async () => {
    const syncs = new HeldSyncs();
    assert.equal(await follow(syncs.sync, { signal: AbortSignal.abort() }).ended, 'stopped');
    assert.equal(syncs.begun, 0);
    for (const pollEveryMs of [0, -1, Number.NaN, Infinity, 2 ** 31]) {
      assert.throws(() => follow(syncs.sync, { pollEveryMs }), RangeError);
    }
    for (const startWithinMs of [-1, Number.NaN, Infinity, 2 ** 31]) {
      assert.throws(() => follow(syncs.sync, { startWithinMs }), RangeError);
    }
    assert.equal(syncs.begun, 0);
  });

  for (const [title, onError] of [
    [
      'throws',
      () => {
        throw new Error('log is down');
      },
    ],
    ['rejects', async () => await Promise.reject(new Error('log is down'))],
  ] as const) {
    it(`a follower continues when onError ${title}, and writes the error to the console`, async (t) => {
      const written = t.mock.method(console, 'error', () => undefined);
      const syncs = new HeldSyncs();
      const follower = follow(syncs.sync, { pollEveryMs: 1, onError });
      await syncs.end(new ServerError());
      await syncs.end();
      const stopped = follower.stop();
      syncs.end().catch(() => undefined);
      await stopped;
      assert.equal(await follower.ended, 'stopped');
      assert.match(String(written.mock.calls[0]?.arguments[0]), /log is down/);
    });
  }

  it('a follower reports a rejection of onSynced', async () => {
    const syncs = new HeldSyncs();
    const told: unknown[] = [];
    const fault = new Error('disk full');
    const follower = follow(syncs.sync, {
      pollEveryMs: POLL_NEVER_MS,
      onSynced: async () => await Promise.reject(fault),
      onError: (error) => told.push(error),
    });
    await syncs.end();
    assert.deepEqual(told, [fault]);
    await follower.stop();
  });

  it('a follower can be stopped within onSynced, and reports an error that onSynced throws afterwards', async () => {
    const syncs = new HeldSyncs();
    const told: unknown[] = [];
    const fault = new Error('disk full');
    const follower = follow(syncs.sync, {
      onSynced: async () => {
        await follower.stop();
        throw fault;
      },
      onError: (error) => told.push(error),
    });
    await syncs.end();
    assert.equal(await follower.ended, 'stopped');
    await settled();
    assert.deepEqual([told, syncs.begun], [[fault], 1]);
  });

  it('a follower can be stopped within onError', async () => {
    const syncs = new HeldSyncs();
    const follower = follow(syncs.sync, { onError: async () => await follower.stop() });
    await syncs.end(new ServerError());
    assert.equal(await follower.ended, 'stopped');
    assert.equal(syncs.begun, 1);
  });

  it('stop waits for the running sync of a follower', async () => {
    const syncs = new HeldSyncs();
    const follower = follow(syncs.sync, {});
    const stopped = follower.stop().then(() => 'stopped');
    const running = settled().then(() => 'running');
    assert.equal(await Promise.race([stopped, running]), 'running');
    assert.equal(syncs.running, 1);
    await syncs.end();
    assert.equal(await stopped, 'stopped');
  });

  it('a follower leaves no listener on its signal after it has ended', async () => {
    const { signal } = new AbortController();
    const added = mock.method(signal, 'addEventListener');
    const removed = mock.method(signal, 'removeEventListener');
    const syncs = new HeldSyncs();
    const follower = follow(syncs.sync, { signal });
    await syncs.end();
    await follower.stop();
    const [one, other] = [added, removed].map(({ mock: { calls } }) =>
      calls.map((call) => call.arguments[1]),
    );
    assert.equal(one?.length, 1);
    assert.deepEqual(one, other);
  });
});

/** Runs `work` with mocked timers. `random` is the jitter: 0 is the minimum, 1 the maximum. */
async function withTimers(random: number, work: () => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  const drawn = mock.method(Math, 'random', () => random);
  try {
    await work();
  } finally {
    drawn.mock.restore();
    mock.timers.reset();
  }
}

/** Asserts that the next sync begins after exactly this many milliseconds. */
async function beginsAfter(syncs: HeldSyncs, ms: number): Promise<void> {
  const { begun } = syncs;
  mock.timers.tick(ms - 1);
  await settled();
  assert.equal(syncs.begun, begun, `sooner than ${ms} ms`);
  mock.timers.tick(1);
  await settled();
  assert.equal(syncs.begun, begun + 1, `not after ${ms} ms`);
}

describe('the pause of a follower', () => {
  const quiet = { onError: () => undefined };

  it('the pause doubles after failures up to pollEveryMs, and is short again after a success', async () => {
    await withTimers(0, async () => {
      const syncs = new HeldSyncs();
      const follower = follow(syncs.sync, { pollEveryMs: 30_000, ...quiet });
      for (const ms of [2_500, 5_000, 10_000, 15_000, 15_000]) {
        await syncs.end(new ServerError());
        await rested(syncs, ms);
      }
      await syncs.end();
      await beginsAfter(syncs, 27_000);
      await syncs.end(new ServerError());
      await rested(syncs, 2_500);
      await syncs.end();
      await follower.stop();
    });
  });

  /**
   * Asserts that the next sync begins after this wait. A failure sets two timers; the second starts
   * when the first has ended.
   */
  async function rested(syncs: HeldSyncs, ms: number): Promise<void> {
    mock.timers.tick(1_000);
    await settled();
    await beginsAfter(syncs, ms - 1_000);
  }

  it('a notice after a failure ends the pause, but not within its first second', async () => {
    await withTimers(0, async () => {
      const syncs = new HeldSyncs();
      const follower = follow(syncs.sync, { pollEveryMs: POLL_NEVER_MS, ...quiet });
      await syncs.end(new ServerError());
      follower.wake();
      await settled();
      await beginsAfter(syncs, 1_000);
      await syncs.end(new ServerError());
      mock.timers.tick(1_000);
      await settled();
      follower.wake();
      await settled();
      assert.equal(syncs.begun, 3);
      await syncs.end();
      await follower.stop();
    });
  });

  it('the pause lasts as long as Retry-After even if notices arrive, but at most an hour', async () => {
    await withTimers(0, async () => {
      const syncs = new HeldSyncs();
      const follower = follow(syncs.sync, { pollEveryMs: 300_000, ...quiet });
      for (const [retryAfterMs, ms] of [
        [1_800_000, 1_800_000],
        [86_400_000, 3_600_000],
      ] as const) {
        await syncs.end(new RateLimitedError({ status: 429, retryAfterMs }));
        follower.wake();
        await settled();
        await beginsAfter(syncs, ms);
      }
      await syncs.end();
      await follower.stop();
    });
    await withTimers(1, async () => {
      const syncs = new HeldSyncs();
      const follower = follow(syncs.sync, { pollEveryMs: 300_000, ...quiet });
      await syncs.end(new RateLimitedError({ status: 429, retryAfterMs: 600_000 }));
      follower.wake();
      await settled();
      await beginsAfter(syncs, 720_000);
      await syncs.end();
      await follower.stop();
    });
  });

  it('the pause before the first sync is random within startWithinMs, and a notice ends it', async () => {
    await withTimers(0.5, async () => {
      const options = { startWithinMs: 60_000, pollEveryMs: POLL_NEVER_MS };
      const [waiting, woken] = [new HeldSyncs(), new HeldSyncs()];
      const [one, other] = [follow(waiting.sync, options), follow(woken.sync, options)];
      other.wake();
      await settled();
      assert.deepEqual([waiting.begun, woken.begun], [0, 1]);
      await woken.end();
      await beginsAfter(waiting, 30_000);
      await waiting.end();
      await Promise.all([one.stop(), other.stop()]);
    });
  });

  it('the pause ends immediately when the follower is stopped', async () => {
    await withTimers(0, async () => {
      const syncs = new HeldSyncs();
      const follower = follow(syncs.sync, { startWithinMs: 60_000, ...quiet });
      follower.wake();
      await settled();
      await syncs.end(new ServerError());
      await follower.stop();
      assert.equal(await follower.ended, 'stopped');
      const never = follow(syncs.sync, { startWithinMs: 60_000 });
      await never.stop();
      assert.equal(syncs.begun, 1);
    });
  });
});
