import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { amountText, parseAmount } from '../shops/amount-text.ts';
import { parseCount } from './parse-count.ts';
import { formatLocalInstant, parseLocalInstant } from './local-instant.ts';

describe('local times of a shop', () => {
  for (const [text, zone, instant] of [
    ['2026-11-22T10:30', 'Asia/Tokyo', '2026-11-22T01:30:00.000Z'],
    ['2026-11-22T10:30:15.5', 'UTC', '2026-11-22T10:30:15.500Z'],
    // A time that a clock change skips is read as an hour later. A repeated time is read as its
    // first occurrence.
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['1900-01-01T00:00', 'UTC', '1900-01-01T00:00:00.000Z'],
    ['1899-12-31T23:59', 'UTC', null],
    ['9999-12-31T23:59', 'UTC', '9999-12-31T23:59:00.000Z'],
    // This instant is in the year 10000 in UTC.
    ['9999-12-31T23:59', 'America/New_York', null],
    ['2026-02-30T10:00', 'UTC', null],
    ['2026-11-22T24:00', 'UTC', null],
    ['2026-11-22', 'UTC', null],
    ['2026-11-22T10:00Z', 'UTC', null],
    ['soon', 'UTC', null],
    ['', 'UTC', null],
  ] as const) {
    it(`${text} in ${zone} is ${instant}`, () => {
      assert.equal(parseLocalInstant(text, zone)?.toISOString() ?? null, instant);
    });
  }

  it('local times are formatted to the minute, in the format that the field accepts', () => {
    const instant = new Date('2026-11-22T01:30:59.999Z');
    assert.equal(formatLocalInstant(instant, 'Asia/Tokyo'), '2026-11-22T10:30');
  });
});

describe('amounts as they are typed', () => {
  for (const [text, currency, expected] of [
    ['1200', 'JPY', 1_200],
    ['1,200', 'JPY', 1_200],
    [' １，２００ ', 'JPY', 1_200],
    ['12.50', 'USD', 1_250],
    ['12.5', 'EUR', 1_250],
    ['12.500', 'EUR', 'digits'],
    ['1.000', 'JPY', 'digits'],
    ['0.019', 'KWD', 19],
    ['0', 'JPY', 0],
    ['1000000000000', 'JPY', 1_000_000_000_000],
    ['1000000000001', 'JPY', 'too_large'],
    ['12.5', 'JPY', 'digits'],
    ['12.505', 'USD', 'digits'],
    ['-1', 'JPY', 'no_amount'],
    ['1,20', 'JPY', 'no_amount'],
    ['1e3', 'JPY', 'no_amount'],
    ['¥1,200', 'JPY', 1_200],
    ['1200円', 'JPY', 1_200],
    ['', 'JPY', 'empty'],
  ] as const) {
    it(`${text} ${currency}: ${expected}`, () => {
      const typed = parseAmount(text, currency);
      assert.equal(typed.kind === 'amount' ? typed.minor : typed.kind, expected);
    });
  }

  it('amounts are formatted as a person types them', () => {
    assert.equal(amountText(1_200, 'JPY'), '1200');
    assert.equal(amountText(5, 'USD'), '0.05');
    assert.equal(amountText(1_250, 'USD'), '12.50');
    assert.equal(amountText(null, 'USD'), '');
  });

  it('counts must be whole numbers within their limits', () => {
    assert.equal(parseCount('１２', 1, 12), 12);
    assert.equal(parseCount('13', 1, 12), null);
    assert.equal(parseCount('0', 1, 12), null);
    assert.equal(parseCount('1.5', 0, 12), null);
    assert.equal(parseCount('', 0, 12), null);
  });
});
