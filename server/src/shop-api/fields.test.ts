import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { instantField } from '../base/instant-field.ts';
import { countryField, timezoneField } from '../inventory/place-field.ts';

function instantOf(text: string): string | null {
  const reading = instantField('When.').parse('at', text);
  return reading.ok ? reading.value.toISOString() : null;
}

describe('date-times', () => {
  it('date-times are read with any offset', () => {
    const from = Date.UTC(1900, 0, 2);
    const to = Date.UTC(9999, 11, 30);
    const offset = fc.integer({ min: -1_439, max: 1_439 });
    fc.assert(
      fc.property(fc.integer({ min: from, max: to }), offset, (ms, minutes) => {
        const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
        const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const digits = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
        const text = `${local}${minutes < 0 ? '-' : '+'}${digits}`;
        assert.equal(instantOf(text), new Date(ms).toISOString(), text);
      }),
    );
  });

  it('date-times may be in lower case, and have up to nine decimals of a second', () => {
    assert.equal(instantOf('2024-02-29t23:59:59z'), '2024-02-29T23:59:59.000Z');
    assert.equal(instantOf('2024-02-29T23:59:59.9Z'), '2024-02-29T23:59:59.900Z');
    assert.equal(instantOf('2024-02-29T23:59:59.123999999Z'), '2024-02-29T23:59:59.123Z');
    assert.equal(instantOf('1900-01-01T00:00:00Z'), '1900-01-01T00:00:00.000Z');
    assert.equal(instantOf('9999-12-31T23:59:59.999Z'), '9999-12-31T23:59:59.999Z');
  });

  it('date-times that do not exist are refused', () => {
    const bad = [
      '2023-02-29T00:00:00Z',
      '2024-13-01T00:00:00Z',
      '2024-00-01T00:00:00Z',
      '2024-01-00T00:00:00Z',
      '2024-01-01T23:60:00Z',
      '2024-01-01T23:59:60Z',
      '2024-01-01T00:00:00+24:00',
      '2024-01-01T00:00:00+00:60',
      '2024-01-01T00:00:00.Z',
      '2024-01-01T00:00:00.1234567890Z',
      '2024-01-01 00:00:00Z',
      '2024-01-01T00:00:00+0900',
      '1899-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59-00:01',
      '0000-01-01T00:00:00Z',
      '+02024-01-01T00:00:00Z',
      ' 2024-01-01T00:00:00Z',
      '2024-01-01T00:00:00Z\n',
      '',
    ];
    for (const text of bad) assert.equal(instantOf(text), null, text);
  });
});

describe('countries and time zones', () => {
  it('every time zone of the runtime and all 249 countries are accepted', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      assert.equal(timezoneField.parse('timezone', zone).ok, true, zone);
    }
    const letters = Array.from({ length: 26 }, (_, n) => String.fromCharCode(65 + n));
    const codes = letters.flatMap((a) => letters.map((b) => `${a}${b}`));
    const countries = codes.filter((code) => countryField.parse('countryCode', code).ok);
    assert.equal(countries.length, 249);
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    for (const code of countries) assert.ok(names.of(code) !== undefined, code);
  });

  it('aliases of time zones are stored as written, and the right spelling is suggested for a misspelled time zone', () => {
    for (const zone of ['Asia/Tokyo', 'Asia/Kolkata', 'US/Pacific', 'UTC', 'Etc/GMT-9', 'Japan']) {
      assert.deepEqual(timezoneField.parse('timezone', zone), { ok: true, value: zone });
    }
    for (const [zone, right] of [
      ['ASIA/TOKYO', 'Asia/Tokyo'],
      ['America/Port-Au-Prince', 'America/Port-au-Prince'],
      ['Utc', 'UTC'],
    ] as const) {
      const reading = timezoneField.parse('timezone', zone);
      assert.equal(reading.ok ? zone : reading.problem, `timezone must be written as ${right}.`);
    }
    for (const zone of ['Asia/Edo', 'asia/tokyo', '+09:00', '', null]) {
      assert.equal(timezoneField.parse('timezone', zone).ok, false);
    }
  });
});
