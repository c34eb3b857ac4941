import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { HeldLoop } from '../../test/held-loop.ts';
import { LoopRound } from './loop-round.ts';

const BOUNDS = {
  burstMs: 500,
  standingMs: 50,
  requestsMin: 1,
  windowMs: 1_000,
  restShareMin: 0.05,
};

describe('a round of the event loop (decision 0122)', () => {
  let loop: HeldLoop;
  let round: LoopRound;
  beforeEach(() => {
    loop = new HeldLoop();
    round = new LoopRound(loop, BOUNDS);
  });

  /** Ends a round of some length, in which the loop took one request, and begins the next one. */
  function nextRound(ms: number, restedMs = 0): void {
    round.hasTime();
    loop.pass(ms, restedMs);
    loop.endRound();
    assert.ok(round.hasTime(), 'the first request of a round');
  }

  it('takes requests until it is as old as a burst may be, and the next round begins anew', () => {
    assert.ok(round.hasTime());
    loop.pass(499);
    assert.ok(round.hasTime());
    loop.pass(1);
    assert.ok(!round.hasTime());
    assert.ok(!round.hasTime());
    loop.endRound();
    assert.ok(round.hasTime());
  });

  it('is short while the loop finds no rest for a second', () => {
    nextRound(999);
    loop.pass(499);
    assert.ok(round.hasTime(), 'the second is not over');
    nextRound(1);
    loop.pass(49);
    assert.ok(round.hasTime());
    loop.pass(1);
    assert.ok(!round.hasTime());
  });

  it('is long again when the loop has rested for a twentieth of a second', () => {
    nextRound(1_000);
    loop.pass(50);
    assert.ok(!round.hasTime());
    nextRound(950, 49.9);
    loop.pass(50);
    assert.ok(!round.hasTime(), 'rested too little');
    nextRound(950, 50);
    loop.pass(50);
    assert.ok(round.hasTime());
  });

  it('takes its least number of requests however long they last', () => {
    round = new LoopRound(loop, { ...BOUNDS, requestsMin: 3 });
    for (let n = 0; n < 3; n++) {
      assert.ok(round.hasTime());
      loop.pass(500);
    }
    assert.ok(!round.hasTime());
  });

  it('takes a pause of half a second after some rest for no queue', () => {
    loop.pass(600, 300);
    nextRound(500);
    loop.pass(499);
    assert.ok(round.hasTime());
  });
});
