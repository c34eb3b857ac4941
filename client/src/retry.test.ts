import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  DEFAULT_RETRY,
  readRetryAfterMs,
  reasonOf,
  retryDelayMs,
  retryPolicy,
  wait,
} from './retry.ts';

const NOW = Date.parse('2026-11-22T03:00:00.000Z');

function askedFor(headers: Readonly<Record<string, string>>, status = 429): number | null {
  return readRetryAfterMs(new Headers(headers), status, NOW);
}

describe('a retry policy', () => {
  it('a retry policy has the default for a limit that is missing or undefined', () => {
    const given = { triesMax: 3, ...Object({ totalMsMax: undefined }) };
    assert.deepEqual(retryPolicy(given), { ...DEFAULT_RETRY, triesMax: 3 });
    assert.deepEqual(retryPolicy(), DEFAULT_RETRY);
  });
});

describe('the wait before a retry', () => {
  it('the wait is random, below a limit that doubles up to a maximum', () => {
    const longest = [1, 2, 3, 6, 7, 50].map((tries) =>
      retryDelayMs(DEFAULT_RETRY, tries, null, () => 1),
    );
    assert.deepEqual(longest, [500, 1_000, 2_000, 16_000, 20_000, 20_000]);
    assert.equal(
      retryDelayMs(DEFAULT_RETRY, 7, null, () => 0),
      0,
    );
  });

  it('the wait is at least Retry-After, plus a random delay that spreads the clients', () => {
    assert.equal(
      retryDelayMs(DEFAULT_RETRY, 1, 30_000, () => 0),
      30_000,
    );
    assert.equal(
      retryDelayMs(DEFAULT_RETRY, 1, 30_000, () => 1),
      36_000,
    );
    // The extra delay is up to a fifth of `Retry-After`, or half a second if that is longer.
    assert.deepEqual(
      [0, 1_000, 2_500, 5_000, 300_000].map((askedMs) =>
        retryDelayMs(DEFAULT_RETRY, 8, askedMs, () => 1),
      ),
      [500, 1_500, 3_000, 6_000, 360_000],
    );
    const quick = { ...DEFAULT_RETRY, firstDelayMs: 1, delayMsMax: 2 };
    assert.equal(
      retryDelayMs(quick, 8, 1_000, () => 1),
      1_200,
    );
  });
});

describe('the wait that a response asks for', () => {
  it('the wait is read from Retry-After in seconds', () => {
    assert.equal(askedFor({ 'retry-after': '7' }), 7_000);
    assert.equal(askedFor({ 'retry-after': '0' }), 0);
    assert.equal(askedFor({ 'retry-after': '2' }, 503), 2_000);
  });

  it('the wait is read from a date in Retry-After, and is 0 for a past date', () => {
    assert.equal(askedFor({ 'retry-after': 'Sun, 22 Nov 2026 03:00:09 GMT' }), 9_000);
    assert.equal(askedFor({ 'retry-after': 'Sun, 22 Nov 2026 02:00:00 GMT' }), 0);
  });

  it('the wait is the t value of RateLimit only for a 429 without Retry-After', () => {
    const rateLimit = '"api-burst";r=0;t=4';
    assert.equal(askedFor({ ratelimit: rateLimit }), 4_000);
    assert.equal(askedFor({ ratelimit: rateLimit }, 503), null);
    assert.equal(askedFor({ ratelimit: rateLimit, 'retry-after': '1' }), 1_000);
  });

  it('the wait is at most a day, and null if the header is invalid', () => {
    for (const text of ['', '-1', '1.5', 'soon', '1e9', 'NaN', '99999999999999999999']) {
      assert.equal(askedFor({ 'retry-after': text }), null, text);
    }
    assert.equal(askedFor({ 'retry-after': '999999999' }), 24 * 3600 * 1000);
  });
});

describe('an aborted wait', () => {
  it('an aborted wait throws the reason of its signal, and leaves no listener on the signal', async () => {
    const reason = new Error('enough');
    await assert.rejects(wait(60_000, AbortSignal.abort(reason)), reason);
    const controller = new AbortController();
    const waiting = wait(60_000, controller.signal);
    controller.abort(reason);
    await assert.rejects(waiting, reason);
  });

  it('an aborted wait throws an AbortError if the reason of its signal is not an error', () => {
    assert.equal(reasonOf(AbortSignal.abort('enough')).name, 'AbortError');
    assert.equal(reasonOf(AbortSignal.abort('enough')).message, 'enough');
    assert.equal(reasonOf(AbortSignal.abort()).name, 'AbortError');
  });
});
