import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useTestDatabase } from '../../test/shared.ts';
import {
  attemptKey,
  budgetKey,
  cleanAttempts,
  cleanBudgets,
  countAttempt,
  DEVICE_BUDGET,
  refundAttempt,
  refundFailure,
  spendFailure,
  UNKNOWN_DEVICES_BUDGET,
} from './sign-in-throttle.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

describe('the throttle of sign-ins', () => {
  const base = useTestDatabase();

  it('the throttle allows exactly 60 of many concurrent attempts in a minute', async () => {
    const key = attemptKey('person', 'hana@kumo.example', '192.0.2.1');
    const answers = await Promise.all(
      Array.from({ length: 65 }, async () => await countAttempt(base.db, key, 60, NOW)),
    );
    assert.equal(answers.filter(({ kind }) => kind === 'allowed').length, 60);
    assert.deepEqual(await countAttempt(base.db, key, 60, at(59_999)), {
      kind: 'throttled',
      retryAfterSeconds: 1,
    });
    assert.equal((await countAttempt(base.db, key, 60, at(60_000))).kind, 'allowed');
  });

  it('the throttle does not count successes', async () => {
    const key = attemptKey('person', 'aki@kumo.example', '192.0.2.1');
    for (let count = 0; count < 200; count++) {
      assert.equal((await countAttempt(base.db, key, 2, NOW)).kind, 'allowed');
      await refundAttempt(base.db, key);
    }
  });

  it('the count of attempts is deleted when the minute is over', async () => {
    await countAttempt(base.db, attemptKey('app', 'app_x', '192.0.2.9'), 1, at(30_000));
    assert.ok((await cleanAttempts(base.db, at(60_000))) >= 1);
    assert.equal(await cleanAttempts(base.db, at(89_999)), 0);
    assert.ok((await cleanAttempts(base.db, at(200_000))) >= 1);
  });
});

describe('the budget of failures', () => {
  const base = useTestDatabase();

  for (const [budget, atOnce, perHour] of [
    [UNKNOWN_DEVICES_BUDGET, 60, 100],
    [DEVICE_BUDGET, 5, 10],
  ] as const) {
    it(`the budget allows ${atOnce} concurrent failures and ${perHour} in the first hour`, async () => {
      const key = budgetKey('account', `hana-${perHour}@kumo.example`);
      const spend = async (ms: number): Promise<string> =>
        (await spendFailure(base.db, key, budget, at(ms))).kind;
      const first = await Promise.all(
        Array.from({ length: atOnce + 5 }, async () => await spend(0)),
      );
      assert.equal(first.filter((kind) => kind === 'allowed').length, atOnce);
      const { refillMs } = budget;
      const seconds = refillMs / 1_000;
      const refused = await spendFailure(base.db, key, budget, NOW);
      assert.deepEqual(refused, { kind: 'throttled', retryAfterSeconds: seconds });
      assert.equal(await spend(refillMs - 1), 'throttled');
      let passed = atOnce;
      for (let ms = 0; ms <= 3_600_000; ms += 30_000) {
        if ((await spend(ms)) === 'allowed') passed++;
      }
      assert.equal(passed, perHour);
    });
  }

  it('the budget does not count successes, and is deleted when it is full again', async () => {
    const key = budgetKey('account', 'aki@kumo.example');
    for (let count = 0; count < 100; count++) {
      assert.equal((await spendFailure(base.db, key, DEVICE_BUDGET, NOW)).kind, 'allowed');
      await refundFailure(base.db, key, DEVICE_BUDGET);
    }
    const later = at(100 * 3_600_000);
    await cleanBudgets(base.db, later);
    await spendFailure(base.db, key, DEVICE_BUDGET, later);
    const end = new Date(later.getTime() + DEVICE_BUDGET.refillMs);
    assert.equal(await cleanBudgets(base.db, new Date(end.getTime() - 1)), 0);
    assert.equal(await cleanBudgets(base.db, end), 1);
  });
});

describe('the key of an attempt', () => {
  it('the key of an attempt contains neither name nor address', () => {
    const key = attemptKey('person', 'hana@kumo.example', '192.0.2.1');
    assert.match(key, /^[A-Za-z0-9_-]{43}$/);
  });

  it('the key is the same for every spelling of an address, and different for each name and kind', () => {
    const key = attemptKey('person', 'hana@kumo.example', '2001:db8:0:1::1');
    assert.equal(attemptKey('person', 'hana@kumo.example', '[2001:0db8:0000:0001::9]:80'), key);
    assert.notEqual(attemptKey('person', 'aki@kumo.example', '2001:db8:0:1::1'), key);
    assert.notEqual(attemptKey('person', 'hana@kumo.example', '2001:db8:0:2::1'), key);
    assert.notEqual(attemptKey('app', 'hana@kumo.example', '2001:db8:0:1::1'), key);
  });
});

function at(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}
