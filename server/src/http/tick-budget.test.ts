import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeEventLoop } from '../../test/fake-event-loop.ts';
import { TickBudget } from './tick-budget.ts';

const BOUNDS = { burstMs: 500, congestedMs: 50, requestsMin: 1 };

describe('a turn of the event loop (decision 0122)', () => {
  let loop: FakeEventLoop;
  let round: TickBudget;
  beforeEach(() => {
    loop = new FakeEventLoop();
    round = new TickBudget(loop, BOUNDS);
  });

  it('accepts requests up to the maximum age of a burst, and the next turn starts again', () => {
    assert.ok(round.tryAdmit());
    loop.advance(499);
    assert.ok(round.tryAdmit());
    loop.advance(1);
    assert.ok(!round.tryAdmit());
    assert.ok(!round.tryAdmit());
    loop.endTick();
    assert.ok(round.tryAdmit());
  });

  it('is short for a second after a request was shed, and then long again', () => {
    round.tryAdmit();
    loop.advance(500);
    assert.ok(!round.tryAdmit());
    loop.endTick();
    loop.advance(999);
    assert.ok(round.tryAdmit());
    loop.advance(49);
    assert.ok(round.tryAdmit());
    loop.endTick();
    assert.ok(round.tryAdmit(), 'a second after the shed request');
    loop.advance(499);
    assert.ok(round.tryAdmit());
  });

  it('stays short while requests are shed', () => {
    round.tryAdmit();
    loop.advance(500);
    assert.ok(!round.tryAdmit());
    for (let n = 0; n < 100; n++) {
      loop.endTick();
      assert.ok(round.tryAdmit());
      loop.advance(50);
      assert.ok(!round.tryAdmit());
    }
  });

  it('accepts its minimum number of requests however long they take', () => {
    round = new TickBudget(loop, { ...BOUNDS, requestsMin: 3 });
    for (let n = 0; n < 3; n++) {
      assert.ok(round.tryAdmit());
      loop.advance(500);
    }
    assert.ok(!round.tryAdmit());
  });
});
