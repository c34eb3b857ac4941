import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { STOCK_DAYS, stockDays, stockDaysStart } from './stock-days.ts';

const at = (text: string): Date => new Date(text);
const levels = (days: readonly { readonly units: number }[]): number[] =>
  days.map(({ units }) => units);

describe('the stock at the end of each day', () => {
  it('is the current stock minus later changes, by days of the shop’s time zone', () => {
    const now = at('2026-06-02T03:00:00Z'); // noon of 2 June in Tokyo
    const movements = [
      { quarter: at('2026-05-30T14:45:00Z'), delta: 5 }, // the last quarter-hour of 30 May
      { quarter: at('2026-05-30T15:00:00Z'), delta: 2 }, // the first quarter-hour of 31 May
      { quarter: at('2026-06-02T02:45:00Z'), delta: -1 },
    ];
    const days = stockDays(10, movements, now, 'Asia/Tokyo');
    assert.equal(days.length, STOCK_DAYS);
    assert.deepEqual(levels(days).slice(-5), [4, 9, 11, 11, 10]);
    assert.deepEqual(
      levels(days).slice(0, 25),
      Array.from({ length: 25 }, () => 4),
    );
    assert.deepEqual(days.at(-1)?.at, at('2026-06-02T03:00:00Z'));
  });

  it('begins at the end of the oldest day that is shown', () => {
    const now = at('2026-06-02T03:00:00Z');
    assert.deepEqual(stockDaysStart(now, 'Asia/Tokyo'), at('2026-05-04T15:00:00Z'));
    const since = [{ quarter: at('2026-05-04T15:00:00Z'), delta: 3 }];
    assert.deepEqual(levels(stockDays(3, since, now, 'Asia/Tokyo')).slice(0, 2), [0, 3]);
  });

  it('follows daylight saving time', () => {
    const now = at('2026-03-29T12:00:00Z'); // Berlin skips an hour on this day
    const movements = [
      { quarter: at('2026-03-28T22:45:00Z'), delta: 1 }, // 28 March, winter time
      { quarter: at('2026-03-28T23:00:00Z'), delta: 2 }, // 29 March
    ];
    const days = stockDays(3, movements, now, 'Europe/Berlin');
    assert.deepEqual(levels(days).slice(-3), [0, 1, 3]);
    assert.deepEqual(days.at(-1)?.at, at('2026-03-29T10:00:00Z'));
  });
});
