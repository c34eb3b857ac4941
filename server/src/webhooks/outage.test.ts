import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openLog } from '../base/log.ts';
import { Outage } from './outage.ts';

describe('an outage of the database', () => {
  it('is told of at its begin, every minute, and when it is over with its length', () => {
    const state = { nowMs: 5_000, lines: '' };
    const log = openLog({ level: 'info', write: (lines) => void (state.lines += lines) });
    const outage = new Outage(log, () => state.nowMs);
    const told = (): string[] => {
      log.flush();
      const shown = state.lines.matchAll(/"level":"(\w+)".*"seconds":(\d+)/g);
      state.lines = '';
      return [...shown].map(([, level, seconds]) => `${level} ${seconds}`);
    };
    outage.passed();
    assert.deepEqual(told(), []);
    outage.failed(new Error('away'));
    assert.deepEqual(told(), ['warn 0']);
    state.nowMs += 59_999;
    outage.failed(new Error('away'));
    assert.deepEqual(told(), []);
    state.nowMs += 1;
    outage.failed(new Error('away'));
    outage.failed(new Error('away'));
    assert.deepEqual(told(), ['warn 60']);
    state.nowMs += 7_000;
    outage.passed();
    outage.passed();
    assert.deepEqual(told(), ['info 67']);
    // The next one is told of at once.
    outage.failed(new Error('away'));
    assert.deepEqual(told(), ['warn 0']);
    log.close();
  });
});
