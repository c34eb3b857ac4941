import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WaitEstimate } from './wait-estimate.ts';

/** A queue with a manual clock. Eight tasks run concurrently; others may wait for 5 s. */
class HeldQueue {
  nowMs = 0;
  readonly estimate = new WaitEstimate({ concurrency: 8, waitMsMax: 5_000 }, () => this.nowMs);

  /** Advances the clock by `ms`, during which tasks ended evenly while `waiting` tasks waited. */
  pass(ms: number, ended: number, waiting: number): void {
    this.nowMs += ms;
    for (let n = 0; n < ended; n++) this.estimate.recordEnd(waiting);
  }
}

describe('the estimate of a wait (decision 0122)', () => {
  it('the estimate accepts a burst for 2.5 s, even after a very slow task', () => {
    const queue = new HeldQueue();
    queue.pass(60_000, 1, 0);
    for (let waiting = 0; waiting < 10_000; waiting++) {
      assert.ok(!queue.estimate.wouldTimeOut(waiting));
    }
    queue.pass(2_499, 0, 10_000);
    assert.ok(
      !queue.estimate.wouldTimeOut(10_000),
      'the queue has lasted for less than half of the longest wait',
    );
    queue.pass(1, 0, 10_000);
    assert.ok(queue.estimate.wouldTimeOut(10_000));
  });

  it('the estimate refuses tasks that would wait longer than 5 s at the rate since the queue formed', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(2_500, 192, 100);
    assert.ok(!queue.estimate.wouldTimeOut(399));
    assert.ok(queue.estimate.wouldTimeOut(400));
  });

  it('the estimate accepts as many waiting tasks as are running, even if no task has ended', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(5_000, 0, 7);
    assert.ok(!queue.estimate.wouldTimeOut(7));
    assert.ok(queue.estimate.wouldTimeOut(8));
  });

  it('the estimate accepts tasks again soon after the running tasks have become faster', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(10_000, 10, 100);
    assert.ok(queue.estimate.wouldTimeOut(100));
    queue.pass(5_000, 500, 100);
    assert.ok(!queue.estimate.wouldTimeOut(100));
  });

  it('the count starts again when no task waits', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(5_000, 0, 100);
    assert.ok(queue.estimate.wouldTimeOut(100));
    queue.pass(0, 1, 0);
    assert.ok(!queue.estimate.wouldTimeOut(100));
    queue.pass(5_000, 0, 100);
    assert.ok(!queue.estimate.wouldTimeOut(0), 'no task waits');
    assert.ok(!queue.estimate.wouldTimeOut(100));
  });
});
