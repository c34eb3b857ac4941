import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WaitEstimate } from './wait-estimate.ts';

/** A queue of which a test moves the clock; a work may wait for 5 s, and 8 run at once. */
class HeldQueue {
  nowMs = 0;
  readonly estimate = new WaitEstimate({ concurrency: 8, waitMsMax: 5_000 }, () => this.nowMs);

  /** Lets time pass in which works end evenly while so many wait. */
  pass(ms: number, ended: number, waiting: number): void {
    this.nowMs += ms;
    for (let n = 0; n < ended; n++) this.estimate.recordEnd(waiting);
  }
}

describe('the estimate of a wait (decision 0122)', () => {
  it('turns nobody away in a burst, however slow the works before it were', () => {
    const queue = new HeldQueue();
    queue.pass(60_000, 1, 0);
    for (let waiting = 0; waiting < 10_000; waiting++) {
      assert.ok(!queue.estimate.wouldTimeOut(waiting));
    }
    queue.pass(2_499, 0, 10_000);
    assert.ok(
      !queue.estimate.wouldTimeOut(10_000),
      'it stands for less than half of the longest wait',
    );
    queue.pass(1, 0, 10_000);
    assert.ok(queue.estimate.wouldTimeOut(10_000));
  });

  it('turns away whoever would wait for longer than 5 s at the pace since it stands', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(2_500, 192, 100);
    // 192 ended in 2.5 s, and 8 run: that is 400 in 5 s.
    assert.ok(!queue.estimate.wouldTimeOut(399));
    assert.ok(queue.estimate.wouldTimeOut(400));
  });

  it('lets those wait for whom it is enough that what runs ends now', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(5_000, 0, 7);
    assert.ok(!queue.estimate.wouldTimeOut(7));
    assert.ok(queue.estimate.wouldTimeOut(8));
  });

  it('follows the pace of lately when the works become shorter', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(10_000, 10, 100);
    assert.ok(queue.estimate.wouldTimeOut(100));
    queue.pass(5_000, 500, 100);
    assert.ok(!queue.estimate.wouldTimeOut(100));
  });

  it('knows nothing any more once nobody waits', () => {
    const queue = new HeldQueue();
    assert.ok(!queue.estimate.wouldTimeOut(1));
    queue.pass(5_000, 0, 100);
    assert.ok(queue.estimate.wouldTimeOut(100));
    queue.pass(0, 1, 0);
    assert.ok(!queue.estimate.wouldTimeOut(100));
    queue.pass(5_000, 0, 100);
    assert.ok(!queue.estimate.wouldTimeOut(0), 'nobody waits');
    assert.ok(!queue.estimate.wouldTimeOut(100));
  });
});
