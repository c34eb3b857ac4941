import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatMoney } from '../src/markup.ts';

describe('amounts of the example app', () => {
  it('have the decimal places of ISO 4217, even if shops usually show fewer', () => {
    for (const [minor, currency, shown] of [
      [1_200, 'JPY', '¥1,200'],
      [1_200, 'USD', '$12.00'],
      [50_000, 'HUF', 'HUF 500.00'],
      [500_000, 'IQD', 'IQD 500.000'],
      [1_234, 'KWD', 'KWD 1.234'],
    ] as const) {
      assert.equal(formatMoney(minor, currency).replaceAll('\u00A0', ' '), shown);
    }
  });
});
