import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openLog } from '../base/log.ts';
import { statement } from '../database/statement.ts';
import { startWorker } from '../../test/delivery-worker.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { startReceiver, WebhookBench } from '../../test/webhook-bench.ts';
import { ClockSkew, skewMsOf } from './clock-skew.ts';

const MINUTE_MS = 60_000;

export const moveSkewedHead = statement(
  'test_move_skewed_head',
  `update feed_head set seq = seq + 1, changed_at = $2 where shop_id = $1`,
);

/** A clock that is off by so much, and what is said of it. */
class WrongClock implements AsyncDisposable {
  offsetMs = 0;
  tickMs = 0;
  readonly #lines: string[] = [];
  readonly #log = openLog({
    level: 'info',
    write: (text) => void this.#lines.push(...text.trimEnd().split('\n')),
  });
  readonly skew = new ClockSkew(
    { now: () => new Date(Date.now() + this.offsetMs) },
    this.#log,
    () => this.tickMs,
  );

  told(): string[] {
    this.#log.flush();
    return this.#lines.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve(this.#log.close());
  }
}

it('the time that the database takes to answer is no skew', () => {
  const at = (ms: number): Date => new Date(1_780_000_000_000 + ms);
  assert.equal(skewMsOf(at(0), at(0), at(9_000)), 0);
  assert.equal(skewMsOf(at(0), at(9_000), at(9_000)), 0);
  assert.equal(skewMsOf(at(0), at(9_001), at(9_000)), -1);
  assert.equal(skewMsOf(at(1), at(0), at(9_000)), 1);
});

describe("the skew of a worker's clock", () => {
  it('is told once from 2 s on, and every minute beyond 60 s, while nothing may be sent', async () => {
    await using base = await openTestDatabase();
    await using wrong = new WrongClock();
    const { skew } = wrong;
    assert.deepEqual([skew.seconds, skew.isTooFar], [Number.NaN, false]);
    const lookAt = async (offsetMs: number): Promise<string[]> => {
      wrong.offsetMs = offsetMs;
      await skew.look(base.db);
      return wrong.told();
    };
    assert.deepEqual(await lookAt(0), []);
    assert.ok(Math.abs(skew.seconds) < 0.5);
    assert.match((await lookAt(-5_000)).join(), /"warn".* s behind the database's: set it by NTP/);
    assert.deepEqual(await lookAt(-5_000), []);
    // The least that it can be is told, so that the query's own time is on the safe side of the edge.
    assert.deepEqual(await lookAt(MINUTE_MS), []);
    assert.equal(skew.isTooFar, false);
    for (const [offsetMs, side] of [
      [MINUTE_MS + 30_000, 'ahead of'],
      [-MINUTE_MS - 30_000, 'behind'],
    ] as const) {
      assert.match((await lookAt(offsetMs)).join(), new RegExp(`"warn".*${side} .*no webhook is`));
      assert.equal(Math.sign(skew.seconds), Math.sign(offsetMs));
      assert.equal(skew.isTooFar, true);
      wrong.tickMs += MINUTE_MS - 1;
      assert.deepEqual(await lookAt(offsetMs), []);
      wrong.tickMs += 1;
      assert.equal((await lookAt(offsetMs)).length, 1);
      assert.match((await lookAt(0)).join(), /"info".*is right again/);
      assert.equal(skew.isTooFar, false);
    }
  });

  it('sends nothing while its clock is more than 60 s off, and what is due when it is right', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startReceiver();
    const bench = new WebhookBench(base.db);
    const hook = await bench.hook(receiver.origin);
    const clock = { offsetMs: 61_000, now: () => new Date(Date.now() + clock.offsetMs) };
    await bench.change(hook);
    await using worker = startWorker(bench, { comparesClocks: true }, base.db, clock);
    worker.delivery.wake(hook.shopId);
    await waitUntil(() => worker.delivery.state.due === 1);
    assert.ok(Math.abs(worker.delivery.state.clockSkewSeconds - 61) < 1);
    assert.ok(worker.lines.some((line) => line.includes('no webhook is told of anything')));
    assert.deepEqual([receiver.notices.length, worker.delivery.state.inFlight], [0, 0]);
    assert.deepEqual(await bench.attempts(hook), []);
    // The change is told by a clock that is behind the writer's: no wait is negative.
    clock.offsetMs = -1_000;
    await base.db.query(moveSkewedHead, [hook.shopId, new Date()]);
    await waitUntil(async () => (await bench.row(hook)).acknowledgedSeq === 2);
    assert.equal(worker.receipts.length, 1);
    assert.ok((worker.receipts[0] ?? -1) >= 0);
  });
});
