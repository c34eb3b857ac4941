import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../server/test/test-database.ts';
import { startEmulatorTarget } from './cardport/emulator-target.ts';
import { startServeTarget, startServeWithoutLoopbackWebhooks } from './cardport/serve-target.ts';
import { allTests } from './registry.ts';
import { formatResult } from './report.ts';
import { runTests } from './run.ts';
import { readTarget, type Target } from './target.ts';

/** Tests that need a target that sends no notices to loopback. */
const NEEDS_STRICTNESS = ['4.10-https-loopback'];
/** Tests that `cardport serve` cannot run, because its database's clock cannot be moved. */
const MOVES_CLOCK = allTests.filter(({ movesClock }) => movesClock).map(({ id }) => id);
/** Clauses whose rules depend on the current time. */
const OF_THE_CLOCK = ['2.1', '2.3', '2.5', '3.2', '4.4', '5.4', '6', 'D8'];

/** Runs every test. Expects that no test fails, and that only the tests in `leftOut` do not run. */
async function expectAllPass(target: Target, leftOut: readonly string[]): Promise<void> {
  const reading = readTarget(JSON.parse(JSON.stringify(target)));
  assert.equal(reading.kind, 'target');
  const results = await runTests(target);
  const failed = results.filter(({ outcome }) => outcome.kind === 'fail');
  assert.deepEqual(failed.map(formatResult), []);
  const notRun = results.filter(({ outcome }) => outcome.kind === 'not_run').map(({ id }) => id);
  assert.deepEqual(notRun.toSorted(), leftOut.toSorted());
  assert.equal(results.length, allTests.length);
}

describe('the specification is met', () => {
  it('`cardport serve` meets the specification, with and without webhooks on loopback', async () => {
    await using base = await openTestDatabase();
    await using running = await startServeTarget({ databaseUrl: base.url });
    await expectAllPass(running.target, [...NEEDS_STRICTNESS, ...MOVES_CLOCK]);
    await using strict = await startServeWithoutLoopbackWebhooks(running);
    const results = await runTests(strict.target, { only: ['4.10'] });
    assert.deepEqual(
      results.filter(({ outcome }) => outcome.kind !== 'pass').map(formatResult),
      [],
    );
  });

  it('`cardport emulate` meets the specification, even after its clock was moved', async () => {
    await using running = await startEmulatorTarget();
    await expectAllPass(running.target, NEEDS_STRICTNESS);
    const again = await runTests(running.target, { only: OF_THE_CLOCK });
    const notGreen = again.filter(({ outcome }) => outcome.kind !== 'pass');
    // The first run has moved the clock past the times of the boost in `opensLater`.
    assert.deepEqual(
      notGreen.map(({ id, outcome }) => [id, outcome.kind]),
      [['2.3-closes', 'not_run']],
    );
  });
});
