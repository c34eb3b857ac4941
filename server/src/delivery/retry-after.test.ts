import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRetryAfter, RETRY_AFTER_SECONDS_MAX } from './retry-after.ts';

const NOW = new Date('1994-11-06T08:49:00.500Z');

describe('Retry-After (RFC 9110 §10.2.3)', () => {
  it('Retry-After is read as whole seconds, at most a day', () => {
    assert.equal(readRetryAfter('0', NOW), 0);
    assert.equal(readRetryAfter('120', NOW), 120);
    assert.equal(readRetryAfter(' 120 ', NOW), 120);
    assert.equal(readRetryAfter('86400', NOW), 86_400);
    assert.equal(readRetryAfter('86401', NOW), RETRY_AFTER_SECONDS_MAX);
    assert.equal(readRetryAfter('9'.repeat(400), NOW), RETRY_AFTER_SECONDS_MAX);
  });

  it('Retry-After is read as a date in any of the three forms, rounded up, by the worker’s clock', () => {
    for (const date of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      assert.equal(readRetryAfter(date, NOW), 37, date);
    }
    assert.equal(readRetryAfter('Sun, 06 Nov 1994 08:48:37 GMT', NOW), 0);
    assert.equal(readRetryAfter('Mon, 06 Nov 2034 08:49:37 GMT', NOW), RETRY_AFTER_SECONDS_MAX);
  });

  it('Retry-After is ignored if it is invalid or repeated', () => {
    for (const value of [
      undefined,
      '',
      'soon',
      '-5',
      '+5',
      '1.5',
      '5s',
      '1e3',
      '0x10',
      '5, 6',
      '1994-11-06T08:49:37Z',
      'Sun, 06 Nov 1994 08:49:37 +0200',
      'Sun, 99 Nov 1994 99:49:37 GMT',
      ['5', '5'],
    ]) {
      assert.equal(readRetryAfter(value, NOW), null, String(value));
    }
  });
});
