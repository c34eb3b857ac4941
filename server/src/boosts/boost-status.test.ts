import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  BOOST_INCLUDES,
  type BoostCondition,
  type BoostStatus,
  isListed,
  isLive,
  nextListingChange,
  statusAt,
} from './boost-status.ts';

const START_MS = Date.parse('2026-06-01T12:00:10.000Z');
const END_MS = Date.parse('2026-06-01T12:00:20.000Z');
const ENDED_AT = new Date('2026-06-01T12:00:00.000Z');
const PLAIN: BoostCondition = {
  startsAt: null,
  endsAt: null,
  isPaused: false,
  endedAt: null,
  remainingQuantity: null,
};
const startsAt = new Date(START_MS);
const endsAt = new Date(END_MS);
const BOTH = { startsAt, endsAt };

/** One millisecond before, at and after `startsAt`, then the same for `endsAt`. */
const INSTANTS = [START_MS, END_MS].flatMap((ms) => [ms - 1, ms, ms + 1]);

type Six = readonly [BoostStatus, BoostStatus, BoostStatus, BoostStatus, BoostStatus, BoostStatus];

function always(status: BoostStatus): Six {
  return [status, status, status, status, status, status];
}

/**
 * Returns `status` for the time between start and end, `scheduled` before it and `expired` after
 * it.
 */
function between(status: BoostStatus): Six {
  return ['scheduled', status, status, status, 'expired', 'expired'];
}

/** The table of decision 0070: a condition, and its status at each of the six instants. */
const TABLE: readonly (readonly [string, Partial<BoostCondition>, Six])[] = [
  ['without times and limit', {}, always('open')],
  ['one left', { remainingQuantity: 1 }, always('open')],
  ['none left', { remainingQuantity: 0 }, always('filled')],
  ['paused', { isPaused: true }, always('paused')],
  ['paused with none left', { isPaused: true, remainingQuantity: 0 }, always('paused')],
  ['ended', { endedAt: ENDED_AT }, always('ended')],
  [
    'ended, paused, none left',
    { endedAt: ENDED_AT, isPaused: true, remainingQuantity: 0 },
    always('ended'),
  ],
  ['with both times', BOTH, between('open')],
  ['with both times and none left', { ...BOTH, remainingQuantity: 0 }, between('filled')],
  ['with both times, paused', { ...BOTH, isPaused: true }, between('paused')],
  [
    'with both times, paused with none left',
    { ...BOTH, isPaused: true, remainingQuantity: 0 },
    between('paused'),
  ],
  ['with both times, ended', { ...BOTH, endedAt: ENDED_AT }, always('ended')],
  ['with a start', { startsAt }, ['scheduled', 'open', 'open', 'open', 'open', 'open']],
  ['with an end', { endsAt }, ['open', 'open', 'open', 'open', 'expired', 'expired']],
  [
    'with an end, paused with none left',
    { endsAt, isPaused: true, remainingQuantity: 0 },
    ['paused', 'paused', 'paused', 'paused', 'expired', 'expired'],
  ],
];

describe('the state of a boost (3.2, decision 0070)', () => {
  for (const [name, condition, expected] of TABLE) {
    it(`the state of a boost is exact to the millisecond: ${name}`, () => {
      const boost = { ...PLAIN, ...condition };
      const states = INSTANTS.map((ms) => statusAt(boost, new Date(ms)));
      assert.deepEqual(states, expected);
      for (const [index, ms] of INSTANTS.entries()) {
        const isOver = expected[index] === 'ended' || expected[index] === 'expired';
        assert.equal(isLive(boost, new Date(ms)), !isOver);
      }
    });
  }

  it('open boosts are always listed, filled boosts with include=filled, and no others (3.2)', () => {
    const listed = (include: (typeof BOOST_INCLUDES)[number]): BoostStatus[] =>
      (['open', 'filled', 'scheduled', 'paused', 'expired', 'ended'] as const).filter((status) =>
        isListed(status, include),
      );
    assert.deepEqual(listed('open'), ['open']);
    assert.deepEqual(listed('filled'), ['open', 'filled']);
  });
});

/** The range is small, so that generated instants often coincide. */
const instant = fc.option(fc.integer({ min: 0, max: 8 }).map((ms) => new Date(START_MS + ms)));
const boosts: fc.Arbitrary<BoostCondition> = fc
  .record({
    startsAt: instant,
    endsAt: instant,
    isPaused: fc.boolean(),
    endedAt: instant,
    remainingQuantity: fc.option(fc.integer({ min: 0, max: 2 })),
  })
  .filter(({ startsAt: start, endsAt: end }) => start === null || end === null || start < end);
const anyNow = fc.integer({ min: -2, max: 10 }).map((ms) => new Date(START_MS + ms));
const includes = fc.constantFrom(...BOOST_INCLUDES);

describe('a random boost at a random instant', () => {
  it('a random boost is listed exactly as the visibility rules require', () => {
    fc.assert(
      fc.property(boosts, anyNow, includes, (boost, now, include) => {
        const hasStarted = boost.startsAt === null || boost.startsAt <= now;
        const isOver = boost.endsAt !== null && boost.endsAt <= now;
        const mayShow = hasStarted && !isOver && !boost.isPaused && boost.endedAt === null;
        const status = statusAt(boost, now);
        const isNoneLeft = boost.remainingQuantity === 0;
        assert.equal(isListed(status, include), mayShow && (!isNoneLeft || include === 'filled'));
        if (mayShow) assert.equal(status, isNoneLeft ? 'filled' : 'open');
      }),
      { numRuns: 2_000 },
    );
  });

  it('a boost enters or leaves a list exactly at the predicted instant, with a new status', () => {
    fc.assert(
      fc.property(boosts, anyNow, includes, (boost, now, include) => {
        const next = nextListingChange(boost, include, now);
        const isListedAt = (ms: number): boolean =>
          isListed(statusAt(boost, new Date(ms)), include);
        const isListedNow = isListedAt(now.getTime());
        const untilMs = next?.getTime() ?? START_MS + 20;
        for (let ms = now.getTime(); ms < untilMs; ms++) {
          assert.equal(isListedAt(ms), isListedNow);
          if (isListedNow) assert.equal(statusAt(boost, new Date(ms)), statusAt(boost, now));
        }
        if (next === null) return;
        assert.ok(next > now);
        assert.equal(isListedAt(next.getTime()), !isListedNow);
      }),
      { numRuns: 2_000 },
    );
  });
});
