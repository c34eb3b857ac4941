import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { hasJustResumed, onPause, runningMs } from './process-pauses.ts';

const PAUSE_MS = 1_500;

describe('pauses of the process', () => {
  it('a pause of more than a second is reported, and does not count as time in which the process ran', async () => {
    const reported: number[] = [];
    {
      using _ = onPause((milliseconds) => reported.push(milliseconds));
      const startedAtMs = runningMs();
      pauseProcess(PAUSE_MS);
      assert.ok(runningMs() - startedAtMs < PAUSE_MS);
      assert.equal(hasJustResumed(), true);
      assert.equal(reported.length, 1);
      assert.ok((reported[0] ?? 0) >= PAUSE_MS);
      await untilRecovered();
    }
    pauseProcess(PAUSE_MS);
    assert.equal(hasJustResumed(), true);
    assert.equal(reported.length, 1, 'the handler was removed');
    await untilRecovered();
  });

  it('the clock never goes back, and goes on while the process runs', async () => {
    let [beforeMs, startedAtMs] = [runningMs(), runningMs()];
    await waitUntil(() => {
      const nowMs = runningMs();
      assert.ok(nowMs >= beforeMs);
      beforeMs = nowMs;
      return nowMs - startedAtMs > 300;
    });
    startedAtMs = runningMs();
    pauseProcess(300);
    assert.ok(runningMs() - startedAtMs >= 300, 'a short delay is normal load');
  });
});
