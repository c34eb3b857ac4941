import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatLocalInstant, parseLocalInstant } from './local-instant.ts';

describe('local times in form fields', () => {
  it('are converted to the field and back, to the minute', () => {
    const instant = new Date('2026-11-22T00:30:00.000Z');
    assert.equal(formatLocalInstant(instant, 'Asia/Tokyo'), '2026-11-22T09:30');
    assert.deepEqual(parseLocalInstant('2026-11-22T09:30', 'Asia/Tokyo'), instant);
    assert.deepEqual(parseLocalInstant('2026-11-22T09:30:15', 'UTC')?.getUTCSeconds(), 15);
  });

  it('mean the later instant if clocks skip them, and the first if they occur twice (RFC 5545 §3.3.5)', () => {
    const skipped = parseLocalInstant('2026-03-29T02:30', 'Europe/Berlin');
    assert.equal(skipped?.toISOString(), '2026-03-29T01:30:00.000Z');
    const twice = parseLocalInstant('2026-10-25T02:30', 'Europe/Berlin');
    assert.equal(twice?.toISOString(), '2026-10-25T00:30:00.000Z');
  });

  it('are rejected if they do not exist or are out of range', () => {
    for (const text of [
      '',
      '2026-02-30T10:00',
      '2026-01-01T24:00',
      '2026-01-01',
      '2026-01-01T10:00Z',
      '1899-12-31T00:00',
      '10000-01-01T00:00',
      '12026-01-01T00:00',
    ]) {
      assert.equal(parseLocalInstant(text, 'Asia/Tokyo'), null, text);
    }
  });
});
