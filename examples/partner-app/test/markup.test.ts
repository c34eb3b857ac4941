import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readdirSync, readFileSync } from 'node:fs';
import JAPANESE from '../ja.json' with { type: 'json' };
import { formatMoney, formatTime, markup, say } from '../src/markup.ts';

describe('amounts of the example app', () => {
  it('amounts have the decimal places of ISO 4217, even if shops usually show fewer', () => {
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

describe('texts of the example app', () => {
  it('texts are rendered in both languages, with escaped values', () => {
    const left = '<2>';
    assert.deepEqual(markup`<p>${[say('We take … more', left), false, null]}</p>`, {
      en: '<p>We take &#60;2&#62; more</p>',
      ja: '<p>残り &#60;2&#62; 点</p>',
    });
  });

  it('texts have times in the form of each language, in the shop’s time zone', () => {
    assert.deepEqual(formatTime('2026-12-22T21:36:00Z', 'Asia/Tokyo'), {
      en: '23 Dec 2026, 06:36',
      ja: '2026/12/23 6:36',
    });
  });

  it('all texts are used, and have a value in both languages or in neither', () => {
    const folder = new URL('../src/', import.meta.url);
    const code = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    for (const [english, japanese] of Object.entries(JAPANESE)) {
      assert.ok(code.join('').includes(`'${english}'`), english);
      assert.equal(japanese.split('…').length, english.split('…').length, english);
    }
  });
});
