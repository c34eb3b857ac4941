import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { HeldLoop } from '../../test/held-loop.ts';
import { LoopRound } from './loop-round.ts';

const BOUNDS = { burstMs: 500, standingMs: 50, requestsMin: 1 };

describe('a round of the event loop (decision 0122)', () => {
  let loop: HeldLoop;
  let round: LoopRound;
  beforeEach(() => {
    loop = new HeldLoop();
    round = new LoopRound(loop, BOUNDS);
  });

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

  it('is short for a second after a request was shed, and then long again', () => {
    round.hasTime();
    loop.pass(500);
    assert.ok(!round.hasTime());
    loop.endRound();
    loop.pass(999);
    assert.ok(round.hasTime());
    loop.pass(49);
    assert.ok(round.hasTime());
    loop.endRound();
    assert.ok(round.hasTime(), 'a second after the shed request');
    loop.pass(499);
    assert.ok(round.hasTime());
  });

  it('stays short while requests are shed', () => {
    round.hasTime();
    loop.pass(500);
    assert.ok(!round.hasTime());
    for (let n = 0; n < 100; n++) {
      loop.endRound();
      assert.ok(round.hasTime());
      loop.pass(50);
      assert.ok(!round.hasTime());
    }
  });

  it('takes its least number of requests however long they last', () => {
    round = new LoopRound(loop, { ...BOUNDS, requestsMin: 3 });
    for (let n = 0; n < 3; n++) {
      assert.ok(round.hasTime());
      loop.pass(500);
    }
    assert.ok(!round.hasTime());
  });
});
