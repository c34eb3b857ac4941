import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import type { FaultEffects, NewWireFault } from './wire-fault.ts';
import { WireFaults } from './wire-faults.ts';

const START = new Date('2026-06-01T12:00:00.000Z');
const API = { path: '/partner/v1/connection', isRefresh: false };
const REFRESH = { path: '/auth/oauth2/token', isRefresh: true };
const UNHARMED: FaultEffects = {
  kinds: [],
  delayMs: 0,
  substitute: null,
  loss: null,
  chunkDelayMs: 0,
};

function fault(kind: NewWireFault['kind'], more: Partial<NewWireFault> = {}): NewWireFault {
  return { kind, path: null, left: null, until: null, delayMs: null, status: null, ...more };
}

describe('network faults', () => {
  it('a fault applies to exactly the requested number of requests', () => {
    const faults = new WireFaults(new ManualClock(START));
    faults.add(fault('lose-answers', { left: 2 }));
    assert.equal(faults.applyTo(API).loss, 'all');
    assert.equal(faults.list()[0]?.left, 1);
    assert.equal(faults.applyTo(API).loss, 'all');
    assert.deepEqual(faults.list(), []);
    assert.deepEqual(faults.applyTo(API), UNHARMED);
  });

  it('a fault applies for the requested time, exact to the millisecond, and reports the time left', () => {
    const clock = new ManualClock(START);
    const faults = new WireFaults(clock);
    const until = new Date(START.getTime() + 10_000);
    faults.add(fault('rate-limit', { until, status: 429 }));
    clock.advance(1);
    assert.deepEqual(faults.applyTo(API).substitute, { status: 429, retryAfterSeconds: 10 });
    clock.advance(9_998);
    assert.deepEqual(faults.applyTo(API).substitute, { status: 429, retryAfterSeconds: 1 });
    clock.advance(1);
    assert.deepEqual(faults.applyTo(API), UNHARMED);
  });

  it('faults combine: a delayed response can be dropped, but a substituted response does not count as dropped', () => {
    const faults = new WireFaults(new ManualClock(START));
    faults.add(fault('slow-answers', { delayMs: 50 }));
    faults.add(fault('lose-answers', { left: 1 }));
    faults.add(fault('fail-answers', { left: 1, status: 503 }));
    const first = faults.applyTo(API);
    assert.deepEqual(first.kinds, ['slow-answers', 'fail-answers']);
    assert.deepEqual(first.substitute, { status: 503, retryAfterSeconds: 2 });
    assert.equal(first.loss, null);
    const second = faults.applyTo(API);
    assert.deepEqual(second.kinds, ['slow-answers', 'lose-answers']);
    assert.deepEqual([second.delayMs, second.substitute, second.loss], [50, null, 'all']);
    assert.deepEqual(faults.applyTo(API).kinds, ['slow-answers']);
  });

  it('a fault for token refreshes applies to no other request, and bodies are inspected only while one is active', () => {
    const faults = new WireFaults(new ManualClock(START));
    assert.equal(faults.needsRefreshDetection, false);
    faults.add(fault('lose-refresh-answers', { left: 1 }));
    assert.equal(faults.needsRefreshDetection, true);
    assert.deepEqual(faults.applyTo(API), UNHARMED);
    assert.deepEqual(faults.applyTo({ ...REFRESH, isRefresh: false }), UNHARMED);
    assert.equal(faults.applyTo(REFRESH).loss, 'all');
    assert.equal(faults.needsRefreshDetection, false);
  });

  it('a fault applies to all requests of apps, or to those below a path, compared by complete segments', () => {
    const faults = new WireFaults(new ManualClock(START));
    faults.add(fault('cut-answers'));
    for (const path of ['/shop/v1/units', '/docs', '/auth/oauth2/authorize', '/partner/v10']) {
      assert.deepEqual(faults.applyTo({ path, isRefresh: false }), UNHARMED, path);
    }
    for (const path of ['/partner/v1', '/partner/v1/cards', '/auth/oauth2/revoke']) {
      assert.equal(faults.applyTo({ path, isRefresh: false }).loss, 'half', path);
    }
    faults.clear();
    faults.add(fault('cut-answers', { path: '/shop/v1/units' }));
    assert.deepEqual(faults.applyTo(API), UNHARMED);
    assert.equal(faults.applyTo({ path: '/shop/v1/units/x', isRefresh: false }).loss, 'half');
  });

  it('at most 100 faults can be active', () => {
    const faults = new WireFaults(new ManualClock(START));
    for (let count = 0; count < 100; count++) assert.ok(faults.add(fault('lose-answers')));
    assert.equal(faults.add(fault('lose-answers')), null);
    faults.clear();
    assert.equal(faults.add(fault('lose-answers'))?.id, 101);
  });
});
