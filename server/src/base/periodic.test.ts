import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runPeriodically } from './periodic.ts';

const nextTurn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

describe('periodic work', () => {
  it('periodic work continues after a failure, which it reports, and does not run again after stop', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const faults: unknown[] = [];
    let runs = 0;
    const work = runPeriodically(
      1_000,
      async () => {
        runs += 1;
        await Promise.reject(new Error('once'));
      },
      (error) => faults.push(error),
    );
    for (let second = 0; second < 3; second++) {
      test.mock.timers.tick(1_000);
      await nextTurn();
    }
    await work.stop();
    test.mock.timers.tick(10_000);
    assert.deepEqual([runs, faults.length], [3, 3]);
  });

  it('stop sends an abort signal to periodic work, and waits at most 5 s for a run that hangs', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const hanging = Promise.withResolvers<never>();
    const faults: unknown[] = [];
    let isTold = false;
    const work = runPeriodically(
      1_000,
      async (signal) => {
        signal.addEventListener('abort', () => (isTold = true));
        await hanging.promise;
      },
      (error) => faults.push(error),
    );
    work.wake();
    let isStopped = false;
    const stopping = work.stop().then(() => (isStopped = true));
    assert.ok(isTold);
    test.mock.timers.tick(4_999);
    await nextTurn();
    assert.ok(!isStopped);
    test.mock.timers.tick(1);
    await stopping;
    hanging.reject(new Error('the connection was closed'));
    await nextTurn();
    assert.deepEqual(faults, []);
  });
});
