import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import pg from 'pg';
import { PoolLoad } from './pool-load.ts';

/** A pool as `PoolLoad` sees it. */
class HeldPool extends EventEmitter {
  waitingCount = 0;
  nowMs = 0;
  readonly #client = new pg.Client();

  /** Somebody uses a connection for so long. */
  use(ms: number): void {
    this.emit('acquire', this.#client);
    this.nowMs += ms;
    this.emit('release', undefined, this.#client);
  }
}

describe('the load of a pool (decision 0123)', () => {
  it('is too much when those who wait take longer than one may wait, by what uses took lately', () => {
    const pool = new HeldPool();
    const load = new PoolLoad(pool, { clientsMax: 8, waitMsMax: 5_000, now: () => pool.nowMs });
    pool.waitingCount = 1_000;
    assert.ok(!load.isHopeless(), 'nothing is known yet');
    for (let n = 0; n < 200; n++) pool.use(100);
    pool.waitingCount = 398;
    assert.ok(!load.isHopeless());
    pool.waitingCount = 400;
    assert.ok(load.isHopeless());
    for (let n = 0; n < 50; n++) pool.use(1);
    assert.ok(!load.isHopeless(), 'uses have become short');
  });

  it('is never too much while nobody waits', () => {
    const pool = new HeldPool();
    const load = new PoolLoad(pool, { clientsMax: 1, waitMsMax: 5_000, now: () => pool.nowMs });
    for (let n = 0; n < 100; n++) pool.use(60_000);
    assert.ok(!load.isHopeless());
    pool.waitingCount = 1;
    assert.ok(load.isHopeless());
  });
});
