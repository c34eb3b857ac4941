import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LookPace } from './look-pace.ts';

describe('the pace of looks at a whole table', () => {
  it('is every 500 ms while a look takes 10 ms, then fifty times as long, at most 10 s', () => {
    const pace = new LookPace(500);
    const afterLookOf = (ms: number): number => {
      pace.looked(1_000, 1_000 + ms);
      return pace.nextAtMs - 1_000 - ms;
    };
    assert.equal(pace.nextAtMs, Number.NEGATIVE_INFINITY);
    assert.deepEqual([0, 10, 11, 200, 201].map(afterLookOf), [500, 500, 550, 10_000, 10_000]);
  });

  it('is hastened by news that may have been missed', () => {
    const pace = new LookPace(500);
    pace.looked(0, 5_000);
    pace.hasten();
    assert.equal(pace.nextAtMs, Number.NEGATIVE_INFINITY);
  });
});
