import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { PoolLoad } from './pool-load.ts';

/** A pool as `PoolLoad` sees it. */
class HeldPool extends EventEmitter {
  waitingCount = 0;
  nowMs = 0;

  /** Connections are given back, and somebody waits for each. */
  giveBack(count: number): void {
    for (let n = 0; n < count; n++) this.emit('release');
  }
}

describe('the load of a pool (decision 0123)', () => {
  it('is too much when those who wait take longer than one may wait, by how many were served lately', () => {
    const pool = new HeldPool();
    const load = new PoolLoad(pool, { clientsMax: 8, waitMsMax: 5_000, now: () => pool.nowMs });
    pool.waitingCount = 1_000;
    assert.ok(!load.isHopeless(), 'nothing is known yet');
    pool.nowMs = 5_000;
    pool.giveBack(392);
    pool.waitingCount = 399;
    assert.ok(!load.isHopeless());
    pool.waitingCount = 400;
    assert.ok(load.isHopeless());
  });

  it('is never too much while nobody waits', () => {
    const pool = new HeldPool();
    const load = new PoolLoad(pool, { clientsMax: 1, waitMsMax: 5_000, now: () => pool.nowMs });
    pool.waitingCount = 9;
    assert.ok(!load.isHopeless());
    pool.nowMs = 50_000;
    assert.ok(load.isHopeless());
    pool.waitingCount = 0;
    assert.ok(!load.isHopeless());
    pool.waitingCount = 9;
    assert.ok(!load.isHopeless(), 'a slow minute is not remembered');
  });
});
