import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { AttemptResult } from '../webhooks/attempt.ts';
import {
  type AfterAttempt,
  unchangedState,
  settleAttempt,
  type WebhookProgress,
} from './schedule.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
];

const DELIVERED: AttemptResult = { kind: 'delivered', status: 204, latencyMs: 7 };
const FAILED = {
  kind: 'failed',
  status: 500,
  error: 'status',
  latencyMs: 7,
  retryAfterSeconds: null,
} as const satisfies AttemptResult;
const INTERRUPTED: AttemptResult = { ...FAILED, status: null, error: 'interrupted' };
const REGULAR = { startedAt: NOW, isEarly: false };
const EARLY = { startedAt: NOW, isEarly: true };

function progressOf(changes: Partial<WebhookProgress> = {}): WebhookProgress {
  return {
    acknowledged: { epoch: 1, seq: 4 },
    covers: { epoch: 1, seq: 9 },
    failures: 0,
    failingSince: null,
    nextAttemptAt: null,
    notBefore: null,
    earlyAt: null,
    ...changes,
  };
}

function plus(ms: number, from = NOW): Date {
  return new Date(from.getTime() + ms);
}

function middle(): number {
  return 0.5;
}

function waiting(after: AfterAttempt): Extract<AfterAttempt, { kind: 'waiting' }> {
  assert.equal(after.kind, 'waiting');
  if (after.kind !== 'waiting') throw new Error('unreachable');
  return after;
}

describe('a delivered attempt', () => {
  it('a delivered attempt acknowledges its position, ends the failing state, and leaves no delay', () => {
    const failing = { failures: 3, failingSince: plus(-HOUR), notBefore: plus(HOUR) };
    const early = plus(-1);
    const after = settleAttempt(
      progressOf({ ...failing, earlyAt: early }),
      REGULAR,
      DELIVERED,
      NOW,
      middle,
    );
    assert.deepEqual(after, {
      kind: 'waiting',
      acknowledged: { epoch: 1, seq: 9 },
      isEventKept: false,
      failures: 0,
      failingSince: null,
      nextAttemptAt: null,
      notBefore: null,
      earlyAt: null,
    });
  });
});

describe('the retry schedule', () => {
  for (const [failures, step] of STEPS.entries()) {
    it(`the retry after failure ${failures + 1} waits ${step / SECOND} s, 20 % more or less`, () => {
      const failingSince = failures === 0 ? null : plus(-MINUTE);
      const at = (chance: number): number =>
        Number(
          waiting(
            settleAttempt(
              progressOf({ failures, failingSince }),
              REGULAR,
              FAILED,
              NOW,
              () => chance,
            ),
          ).nextAttemptAt,
        ) - NOW.getTime();
      assert.deepEqual([at(0), at(0.5), at(1)], [step * 0.8, step, step * 1.2]);
    });
  }

  it('a failure is counted, and the event and the time of the first failure are kept', () => {
    const first = waiting(settleAttempt(progressOf(), REGULAR, FAILED, NOW, middle));
    assert.deepEqual([first.failures, first.failingSince, first.isEventKept], [1, NOW, true]);
    assert.deepEqual(first.acknowledged, { epoch: 1, seq: 4 });
    const later = plus(5 * SECOND);
    const progress = progressOf({ failures: 1, failingSince: NOW, nextAttemptAt: later });
    const begin = { startedAt: later, isEarly: false };
    const second = waiting(settleAttempt(progress, begin, FAILED, later, middle));
    assert.deepEqual([second.failures, second.failingSince], [2, NOW]);
  });

  it('the last attempt is made on day 14, and the webhook is removed only if that attempt fails', () => {
    const failingSince = NOW;
    const late = { failures: 20, failingSince };
    const before = plus(14 * DAY - 1);
    const progress = progressOf({ ...late, nextAttemptAt: before });
    const kept = waiting(
      settleAttempt(progress, { startedAt: before, isEarly: false }, FAILED, before, middle),
    );
    assert.deepEqual(kept.nextAttemptAt, plus(1, before));
    const day13 = plus(13 * DAY + HOUR);
    const last = waiting(
      settleAttempt(
        progressOf({ ...late, nextAttemptAt: day13 }),
        { startedAt: day13, isEarly: false },
        FAILED,
        day13,
        middle,
      ),
    );
    assert.deepEqual(last.nextAttemptAt, plus(14 * DAY));
    const end = plus(14 * DAY);
    const begin = { startedAt: end, isEarly: false };
    const at = progressOf({ ...late, nextAttemptAt: end });
    assert.deepEqual(settleAttempt(at, begin, FAILED, plus(15 * SECOND, end), middle), {
      kind: 'removed',
      reason: 'failing',
    });
    assert.equal(waiting(settleAttempt(at, begin, DELIVERED, end, middle)).failures, 0);
    // It is unknown whether the receiver got the event of an interrupted attempt.
    assert.equal(waiting(settleAttempt(at, begin, INTERRUPTED, end, middle)).failures, 20);
  });
});

describe('Retry-After', () => {
  const asking = (retryAfterSeconds: number): AttemptResult => ({ ...FAILED, retryAfterSeconds });

  it('Retry-After delays the retry if it asks for more than the schedule', () => {
    const settle = (seconds: number): Date | null =>
      waiting(settleAttempt(progressOf(), REGULAR, asking(seconds), NOW, middle)).nextAttemptAt;
    assert.deepEqual(settle(4), plus(5 * SECOND));
    assert.deepEqual(settle(6), plus(6 * SECOND));
    assert.deepEqual(settle(86_400), plus(DAY));
    assert.deepEqual(settle(86_401), plus(DAY));
  });

  it('Retry-After does not delay the last attempt on day 14', () => {
    const progress = progressOf({ failures: 9, failingSince: plus(-14 * DAY + HOUR) });
    const after = settleAttempt(progress, REGULAR, asking(86_400), NOW, middle);
    assert.deepEqual(waiting(after).nextAttemptAt, plus(HOUR));
  });

  it('Retry-After delays early attempts too, and still applies after a test delivery that was sent despite it', () => {
    const earlyAt = plus(-1);
    const after = waiting(settleAttempt(progressOf({ earlyAt }), REGULAR, asking(60), NOW, middle));
    assert.deepEqual([after.earlyAt, after.notBefore], [plus(MINUTE), plus(MINUTE)]);
    const notBefore = plus(HOUR);
    const early = waiting(settleAttempt(progressOf({ notBefore }), EARLY, FAILED, NOW, middle));
    assert.deepEqual(early.nextAttemptAt, notBefore);
  });
});

describe('an early attempt', () => {
  it('an early attempt that fails does not advance the schedule', () => {
    const regular = plus(2 * HOUR);
    const failing = { failures: 6, failingSince: plus(-HOUR), nextAttemptAt: regular };
    const after = waiting(settleAttempt(progressOf(failing), EARLY, FAILED, NOW, middle));
    assert.deepEqual(
      [after.failures, after.failingSince, after.nextAttemptAt, after.isEventKept],
      [6, plus(-HOUR), regular, true],
    );
    assert.equal(after.earlyAt, null);
  });

  it('an early attempt that is delivered acknowledges the event, and a 410 removes the webhook', () => {
    const progress = progressOf({ nextAttemptAt: plus(HOUR) });
    assert.equal(
      waiting(settleAttempt(progress, EARLY, DELIVERED, NOW, middle)).isEventKept,
      false,
    );
    const gone: AttemptResult = { ...FAILED, status: 410, error: 'gone' };
    const removed = { kind: 'removed', reason: 'gone' };
    assert.deepEqual(settleAttempt(progress, EARLY, gone, NOW, middle), removed);
  });

  it('an interrupted early attempt is repeated', () => {
    const regular = plus(2 * HOUR);
    const after = waiting(
      settleAttempt(progressOf({ nextAttemptAt: regular }), EARLY, INTERRUPTED, NOW, middle),
    );
    assert.deepEqual([after.earlyAt, after.nextAttemptAt], [NOW, regular]);
  });
});

describe('a test delivery without a change', () => {
  const trial = progressOf({ covers: { epoch: 1, seq: 4 } });

  it('a test delivery that fails is dropped, and does not advance the schedule', () => {
    const after = waiting(settleAttempt(trial, REGULAR, FAILED, NOW, middle));
    assert.deepEqual([after.isEventKept, after.failures, after.failingSince], [false, 0, null]);
    assert.equal(after.nextAttemptAt, null);
    const asked = { ...FAILED, retryAfterSeconds: 60 };
    const putOff = waiting(settleAttempt(trial, REGULAR, asked, NOW, middle));
    assert.deepEqual([putOff.nextAttemptAt, putOff.notBefore], [plus(MINUTE), plus(MINUTE)]);
    assert.equal(putOff.failures, 0);
  });

  it('a test delivery is a regular event if the epoch has changed', () => {
    const other = { ...trial, covers: { epoch: 2, seq: 4 } };
    assert.equal(waiting(settleAttempt(other, REGULAR, FAILED, NOW, middle)).failures, 1);
  });
});

describe('an outdated result', () => {
  it('an outdated result changes nothing', () => {
    const failing = { failures: 2, failingSince: plus(-HOUR), notBefore: plus(HOUR) };
    const waits = { nextAttemptAt: plus(HOUR), earlyAt: plus(-5) };
    assert.deepEqual(unchangedState(progressOf({ ...failing, ...waits })), {
      kind: 'waiting',
      acknowledged: { epoch: 1, seq: 4 },
      isEventKept: true,
      ...failing,
      ...waits,
    });
  });
});

describe('an attempt on a reused connection that was dead', () => {
  const stale: AttemptResult = { ...FAILED, status: null, error: 'reset', isStale: true };

  it('an attempt on a dead connection does not advance the schedule, because the receiver may not have seen the event', () => {
    const fresh = waiting(settleAttempt(progressOf(), REGULAR, stale, NOW, middle));
    assert.deepEqual([fresh.failures, fresh.nextAttemptAt, fresh.isEventKept], [0, null, true]);
    const failing = { failures: 6, failingSince: plus(-14 * DAY), nextAttemptAt: NOW };
    const again = waiting(settleAttempt(progressOf(failing), REGULAR, stale, NOW, middle));
    assert.deepEqual([again.failures, again.nextAttemptAt], [6, NOW]);
    const waits = progressOf({ failures: 6, failingSince: NOW, nextAttemptAt: plus(HOUR) });
    const early = waiting(settleAttempt(waits, EARLY, stale, NOW, middle));
    assert.deepEqual([early.earlyAt, early.nextAttemptAt], [NOW, plus(HOUR)]);
  });

  it('an attempt on a new connection that was dead is an ordinary failure', () => {
    const reset: AttemptResult = { ...FAILED, status: null, error: 'reset' };
    const after = waiting(settleAttempt(progressOf(), REGULAR, reset, NOW, middle));
    assert.deepEqual([after.failures, after.nextAttemptAt], [1, plus(5 * SECOND)]);
  });
});

describe('the schedule for every sequence of results', () => {
  const instants = fc.integer({ min: -14 * DAY, max: 2 * DAY }).map((ms) => plus(ms));
  const progresses = fc
    .record({
      seq: fc.integer({ min: 4, max: 9 }),
      failures: fc.nat(30),
      failingForMs: fc.integer({ min: 0, max: 14 * DAY }),
      nextAttemptAt: fc.option(instants),
      notBefore: fc.option(instants),
      earlyAt: fc.option(instants),
    })
    .map(({ seq, failures, failingForMs, nextAttemptAt, ...rest }) =>
      progressOf({
        ...rest,
        nextAttemptAt: failures === 0 ? nextAttemptAt : (nextAttemptAt ?? NOW),
        covers: { epoch: 1, seq },
        failures,
        failingSince: failures === 0 ? null : plus(-failingForMs),
      }),
    );
  const results = fc.oneof(
    fc.constant(DELIVERED),
    fc.constant(INTERRUPTED),
    fc
      .option(fc.nat(200_000))
      .map((retryAfterSeconds): AttemptResult => ({ ...FAILED, retryAfterSeconds })),
  );

  it('the schedule is never faster than its steps, never goes past day 14, and never loses a change', () => {
    fc.assert(
      fc.property(
        progresses,
        fc.boolean(),
        results,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (progress, isEarly, result, chance) => {
          const begin = { startedAt: NOW, isEarly };
          const after = settleAttempt(progress, begin, result, NOW, () => chance);
          if (after.kind === 'removed') {
            assert.ok(!isEarly && result.kind === 'failed' && progress.failures > 0);
            return;
          }
          const { nextAttemptAt, earlyAt, notBefore, failures, failingSince } = after;
          const isAnswer = result.kind === 'failed' && result.error !== 'interrupted';
          assert.ok(earlyAt === null || notBefore === null || earlyAt >= notBefore || !isAnswer);
          assert.equal(failures === 0, failingSince === null);
          assert.ok(failures === 0 || nextAttemptAt !== null);
          assert.ok(failures <= progress.failures + 1);
          if (result.kind === 'failed' && failingSince !== null && failures > progress.failures) {
            const last = failingSince.getTime() + 14 * DAY;
            const soonest = Math.min(last, plus(4 * SECOND).getTime());
            assert.ok(Number(nextAttemptAt) <= last && Number(nextAttemptAt) >= soonest);
          }
          const isTold = after.acknowledged.seq >= progress.covers.seq;
          assert.ok(isTold || after.isEventKept);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
