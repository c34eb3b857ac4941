import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AMOUNT_MINOR_MAX } from '../shops/amount-field.ts';
import { amountText, parseAmount } from '../shops/amount-text.ts';
import { createFormatter } from './format.ts';

describe('amounts as a person types them', () => {
  it('amounts are read in the major unit, with or without digit grouping, in half-width or full-width digits', () => {
    for (const [text, currency, minor] of [
      ['1200', 'JPY', 1_200],
      ['1,200', 'JPY', 1_200],
      ['¥1,200円', 'JPY', 1_200],
      ['１２００', 'JPY', 1_200],
      ['1200.00', 'USD', 120_000],
      ['12.5', 'USD', 1_250],
      ['0', 'JPY', 0],
      ['1.234', 'KWD', 1_234],
      // The API counts in the minor units of ISO 4217, including those that no longer circulate,
      // such as fillér and fils (spec 2.3).
      ['500', 'HUF', 50_000],
      ['500', 'IQD', 500_000],
      [String(AMOUNT_MINOR_MAX), 'JPY', AMOUNT_MINOR_MAX],
    ] as const) {
      assert.deepEqual(parseAmount(text, currency), { kind: 'amount', minor }, text);
    }
  });

  it('amounts are rejected if they have too many decimals, exceed the limit, or have an invalid form', () => {
    assert.deepEqual(parseAmount('12.5', 'JPY'), { kind: 'digits', digits: 0 });
    assert.deepEqual(parseAmount('1.000', 'JPY'), { kind: 'digits', digits: 0 });
    assert.deepEqual(parseAmount('1.000', 'USD'), { kind: 'digits', digits: 2 });
    assert.deepEqual(parseAmount('1.005', 'USD'), { kind: 'digits', digits: 2 });
    assert.deepEqual(parseAmount('1.005', 'HUF'), { kind: 'digits', digits: 2 });
    assert.deepEqual(parseAmount('1.0005', 'IQD'), { kind: 'digits', digits: 3 });
    assert.deepEqual(parseAmount(String(AMOUNT_MINOR_MAX + 1), 'JPY'), { kind: 'too_large' });
    assert.deepEqual(parseAmount(' ', 'JPY'), { kind: 'empty' });
    for (const text of ['-1', '1e3', '1,2', '12,00', '.5', 'x', '1 2,3', '9'.repeat(16)]) {
      assert.deepEqual(parseAmount(text, 'USD'), { kind: 'no_amount' }, text);
    }
  });

  it('amounts are shown in a field as a person can type them', () => {
    for (const [minor, currency, text] of [
      [1_200, 'JPY', '1200'],
      [5, 'USD', '0.05'],
      [1_250, 'USD', '12.50'],
      [0, 'KWD', '0.000'],
      [50_000, 'HUF', '500.00'],
      [500_000, 'IQD', '500.000'],
    ] as const) {
      assert.equal(amountText(minor, currency), text);
      assert.deepEqual(parseAmount(text, currency), { kind: 'amount', minor });
    }
    assert.equal(amountText(null, 'JPY'), '');
  });

  it('amounts are shown with all decimals of their currency', () => {
    const { money } = createFormatter('en', 'UTC', new Date(0));
    for (const [minor, currency, shown] of [
      [1_200, 'JPY', '¥1,200'],
      [1_250, 'USD', 'US$12.50'],
      [50_000, 'HUF', 'HUF 500.00'],
      [500_000, 'IQD', 'IQD 500.000'],
      [1_234, 'KWD', 'KWD 1.234'],
    ] as const) {
      assert.equal(money(minor, currency).replaceAll('\u00A0', ' '), shown);
    }
    assert.equal(createFormatter('ja', 'UTC', new Date(0)).money(1_200, 'JPY'), '￥1,200');
  });
});
