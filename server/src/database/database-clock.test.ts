import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openLog } from '../base/log.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { DatabaseClock } from './database-clock.ts';
import { openChannel } from './open-channel.ts';

const START_MS = Date.parse('2026-06-01T12:00:00Z');

// Holds a `DatabaseClock` for which a test sets the database's clock and the machine's clock. The
// monotonic time begins at 0.
class ClockScene {
  monotonicMs = 0;
  /** How far the database's clock is ahead of `START_MS` plus the monotonic time. */
  databaseAheadMs = 0;
  /** How far the machine's clock is ahead of `START_MS` plus the monotonic time. */
  machineAheadMs = 0;
  readonly #lines: string[] = [];
  readonly clock = new DatabaseClock({
    log: openLog({ level: 'info', write: (text) => void this.#lines.push(text) }),
    machineNow: () => START_MS + this.monotonicMs + this.machineAheadMs,
    monotonicNow: () => this.monotonicMs,
  });

  hear(roundTripMs = 2, share = 0.5): void {
    const sentMs = this.monotonicMs;
    const at = new Date(START_MS + sentMs + roundTripMs * share + this.databaseAheadMs);
    this.monotonicMs += roundTripMs;
    this.clock.addReading({ sentMs, at, receivedMs: this.monotonicMs });
  }

  errorMs(): number {
    const trueMs = START_MS + this.monotonicMs + this.databaseAheadMs;
    return this.clock.now().getTime() - trueMs;
  }
}

describe('the estimate of the database clock (decision 0219)', () => {
  it('the estimate has no value before the first reading', () => {
    const scene = new ClockScene();
    assert.throws(() => scene.clock.now(), /has not been read/);
    assert.match(scene.clock.problem ?? '', /could not be read for/);
    assert.ok(Number.isNaN(scene.clock.machineSkewSeconds));
  });

  it('the estimate is as exact as the fastest response, and a slow response does not change it', () => {
    const scene = new ClockScene();
    scene.hear(400, 1);
    scene.hear(4);
    const error = scene.errorMs();
    assert.ok(Math.abs(error) <= 4, `${error} ms`);
    for (const share of [0, 1]) scene.hear(5_000, share);
    assert.ok(Math.abs(scene.errorMs()) <= Math.abs(error));
    assert.equal(scene.clock.problem, null);
  });

  it('the estimate follows a step forward immediately, and a small step back by running slower', () => {
    const scene = new ClockScene();
    scene.hear();
    scene.databaseAheadMs = 3_600_000;
    scene.hear();
    assert.ok(Math.abs(scene.errorMs()) <= 2);
    assert.equal(scene.clock.problem, null);
    scene.databaseAheadMs -= 4_000;
    let lastMs = scene.clock.now().getTime();
    for (let beat = 0; beat < 40; beat++) {
      scene.hear();
      scene.monotonicMs += 198;
      const nowMs = scene.clock.now().getTime();
      assert.ok(nowMs > lastMs, `beat ${beat}: ${nowMs - lastMs} ms`);
      lastMs = nowMs;
    }
    scene.monotonicMs += 200;
    assert.ok(Math.abs(scene.errorMs()) <= 2, `${scene.errorMs()} ms after 8 s`);
  });

  it('the estimate reports a problem for 10 s after a step back of more than 5 s, and then follows the step', () => {
    const scene = new ClockScene();
    scene.hear();
    scene.databaseAheadMs = -600_000;
    const before = scene.clock.now();
    for (let beat = 0; beat < 49; beat++) {
      scene.hear();
      assert.match(scene.clock.problem ?? '', /went back by (600|59\d)\.\d s/);
      assert.ok(scene.clock.now() > before);
      scene.monotonicMs += 198;
    }
    scene.monotonicMs += 400;
    scene.hear();
    assert.equal(scene.clock.problem, null);
    assert.ok(Math.abs(scene.errorMs()) <= 2);
  });

  it('the estimate reports a problem if it was not updated for more than 60 s', () => {
    const scene = new ClockScene();
    scene.hear();
    scene.monotonicMs += 60_000;
    assert.equal(scene.clock.problem, null);
    scene.monotonicMs += 1;
    assert.match(scene.clock.problem ?? '', /could not be read for 60\.0 s/);
    scene.hear();
    assert.equal(scene.clock.problem, null);
  });

  it('the estimate does not depend on the machine’s clock, and reports how far that clock is off', () => {
    const scene = new ClockScene();
    scene.hear();
    scene.machineAheadMs = -300_000;
    assert.ok(Math.abs(scene.errorMs()) <= 2);
    assert.ok(Math.abs(scene.clock.machineSkewSeconds + 300) < 0.01);
  });

  it('the estimate follows a real database through the heartbeats of its channel', async () => {
    await using base = await openTestDatabase();
    const clock = new DatabaseClock({
      log: openLog({ level: 'silent' }),
      machineNow: () => Date.now() + 300_000,
    });
    await clock.read(base.db);
    assert.ok(Math.abs(clock.now().getTime() - Date.now()) < 60_000);
    assert.ok(Math.abs(clock.machineSkewSeconds - 300) < 60);
    let heard = 0;
    const channel = await openChannel(base.engine, {
      onFault: (error) => assert.fail(error),
      onTime: (reading) => {
        clock.addReading(reading);
        heard++;
      },
    });
    await waitUntil(() => heard >= 3);
    await channel.close();
    assert.ok(Math.abs(clock.now().getTime() - Date.now()) < 60_000);
  });
});
