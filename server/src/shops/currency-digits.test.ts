import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currencyDigits } from './currency-digits.ts';
import { isCurrency } from './shop.ts';

describe('the decimals of a currency', () => {
  it('the decimals are those of ISO 4217, even where shops usually use fewer', () => {
    for (const [currency, digits] of [
      ['JPY', 0],
      ['KRW', 0],
      ['USD', 2],
      ['HUF', 2],
      ['IDR', 2],
      ['IQD', 3],
      ['KWD', 3],
    ] as const) {
      assert.ok(isCurrency(currency), currency);
      assert.equal(currencyDigits(currency), digits, currency);
    }
    assert.equal(currencyDigits('CLF'), 4);
  });

  it('an unlisted code has two decimals', () => {
    assert.equal(currencyDigits('ZZZ'), 2);
  });
});
