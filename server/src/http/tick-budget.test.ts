import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeEventLoop } from '../../test/fake-event-loop.ts';
import { TickBudget } from './tick-budget.ts';

const BOUNDS = { burstMs: 500, congestedMs: 50, requestsMin: 1 };

describe('an event-loop tick (decision 0122)', () => {
  let loop: FakeEventLoop;
  let budget: TickBudget;
  beforeEach(() => {
    loop = new FakeEventLoop();
    budget = new TickBudget(loop, BOUNDS);
  });

  it('a tick admits requests for 500 ms, and the next tick admits requests again', () => {
    assert.ok(budget.tryAdmit());
    loop.advance(499);
    assert.ok(budget.tryAdmit());
    loop.advance(1);
    assert.ok(!budget.tryAdmit());
    assert.ok(!budget.tryAdmit());
    loop.endTick();
    assert.ok(budget.tryAdmit());
  });

  it('a tick admits requests for only 50 ms in the second after a request was shed', () => {
    budget.tryAdmit();
    loop.advance(500);
    assert.ok(!budget.tryAdmit());
    loop.endTick();
    loop.advance(999);
    assert.ok(budget.tryAdmit());
    loop.advance(49);
    assert.ok(budget.tryAdmit());
    loop.endTick();
    assert.ok(budget.tryAdmit(), 'a second after the shed request');
    loop.advance(499);
    assert.ok(budget.tryAdmit());
  });

  it('a tick admits requests for only 50 ms while requests are being shed', () => {
    budget.tryAdmit();
    loop.advance(500);
    assert.ok(!budget.tryAdmit());
    for (let n = 0; n < 100; n++) {
      loop.endTick();
      assert.ok(budget.tryAdmit());
      loop.advance(50);
      assert.ok(!budget.tryAdmit());
    }
  });

  it('a tick admits its minimum number of requests, however long they take', () => {
    budget = new TickBudget(loop, { ...BOUNDS, requestsMin: 3 });
    for (let n = 0; n < 3; n++) {
      assert.ok(budget.tryAdmit());
      loop.advance(500);
    }
    assert.ok(!budget.tryAdmit());
  });
});
