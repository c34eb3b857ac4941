import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { RateLimiter } from './rate-limit.ts';

const START = new Date('2026-06-01T12:00:00Z');

describe('a rate limit (decision 0008)', () => {
  it('a rate limit allows a burst, refuses the next request, and allows another after the interval', () => {
    const clock = new ManualClock(START);
    const limiter = new RateLimiter('api', { perMinute: 600, burst: 3 }, clock);
    for (let left = 2; left >= 0; left--) {
      const decision = limiter.take('a');
      assert.equal(decision.isAllowed, true);
      assert.equal(decision.remaining, left);
    }
    assert.deepEqual(limiter.take('a'), {
      isAllowed: false,
      remaining: 0,
      resetSeconds: 1,
      retryAfterSeconds: 1,
    });
    assert.equal(limiter.take('b').isAllowed, true, 'each key has a bucket of its own');
    clock.advance(99);
    assert.equal(limiter.take('a').isAllowed, false);
    clock.advance(1);
    assert.equal(limiter.take('a').isAllowed, true);
    assert.equal(limiter.take('a').isAllowed, false);
  });

  it('a rate limit allows no more than the burst after a pause, and works if the clock is set back', () => {
    const clock = new ManualClock(START);
    const limiter = new RateLimiter('api', { perMinute: 60, burst: 2 }, clock);
    limiter.take('a');
    clock.advance(3_600_000);
    assert.equal(limiter.take('a').remaining, 1, 'the burst and no more');
    clock.advance(-3_600_000);
    assert.equal(limiter.take('a').remaining, 0);
    assert.equal(limiter.take('a').isAllowed, false);
    clock.advance(1_000);
    assert.equal(limiter.take('a').isAllowed, true);
  });

  it('the response headers have the policy and the remaining requests as in the IETF draft', () => {
    const limiter = new RateLimiter(
      'api',
      { perMinute: 6_000, burst: 1_000 },
      new ManualClock(START),
    );
    assert.deepEqual(limiter.headers(limiter.take('a')), {
      'ratelimit-policy': '"api";q=6000;w=60, "api-burst";q=1000;w=10',
      ratelimit: '"api-burst";r=999;t=1',
    });
    assert.deepEqual(limiter.headers(limiter.fullBucket())['ratelimit'], '"api-burst";r=1000;t=0');
  });

  it('a rate limit that is off sends no headers and allows every request', () => {
    const limiter = new RateLimiter('api', null, new ManualClock(START));
    for (let call = 0; call < 10_000; call++) assert.equal(limiter.take('a').isAllowed, true);
    assert.deepEqual(limiter.headers(limiter.take('a')), {});
  });

  it('a rate limit remembers a key while 99,999 other keys are used, with a limited number of buckets', () => {
    const limiter = new RateLimiter('api', { perMinute: 1, burst: 1 }, new ManualClock(START));
    limiter.take('debtor');
    for (let key = 0; key < 99_999; key++) limiter.take(String(key));
    assert.equal(limiter.take('debtor').isAllowed, false);
    for (let key = 0; key < 500_000; key++) limiter.take(`other ${key}`);
    assert.ok(limiter.bucketCount <= 200_000);
  });
});
