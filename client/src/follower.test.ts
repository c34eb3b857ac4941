import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionRevokedError, ServerError } from './errors.ts';
import { follow } from './follower.ts';
import type { Signal } from './platform.ts';
import { throwIfAborted } from './retry.ts';
import type { SyncResult } from './sync-target.ts';

const DONE: SyncResult = { changes: 0, pages: 1, restarts: 0, isCaughtUp: true };
/** Never comes in a test. */
const POLL_NEVER_MS = 3_600_000;

/** Syncs that a test ends by hand, one after the other. */
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

  /** Waits for a sync, and ends it so. */
  async end(result: SyncResult | Error = DONE): Promise<void> {
    if (this.#ends.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#ends.shift()?.(result);
    await settled();
  }
}

/** Every promise that can go on has gone on. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('a follower', () => {
  it('syncs at once, then when it is woken, and once more for any number of wakes meanwhile', async () => {
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

  it('syncs by itself after a while, and at once when a sync was not caught up', async () => {
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

  it('tells of a failure and goes on; what onSynced throws is one too', async () => {
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

  it('ends by itself when only a new approval helps', async () => {
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

  it('that is stopped aborts its sync, waits for it, and tells of no failure', async () => {
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

  it('never begins with a signal that is aborted, and refuses a poll that is no time', async () => {
    const syncs = new HeldSyncs();
    assert.equal(await follow(syncs.sync, { signal: AbortSignal.abort() }).ended, 'stopped');
    assert.equal(syncs.begun, 0);
    for (const pollEveryMs of [0, -1, Number.NaN, Infinity, 2 ** 31]) {
      assert.throws(() => follow(syncs.sync, { pollEveryMs }), RangeError);
    }
  });
});
