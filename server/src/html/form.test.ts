import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFormType, parseForm } from './form.ts';

describe('parsing forms', () => {
  it('forms are decoded as UTF-8, and plus signs as spaces', () => {
    const form = parseForm(Buffer.from('name=%E9%9B%B2+x&empty=&raw=雲'));
    assert.deepEqual(form.kind === 'form' && [...form.fields], [
      ['name', '雲 x'],
      ['empty', ''],
      ['raw', '雲'],
    ]);
  });

  for (const [name, body] of [
    ['a field twice', 'a=1&a=2'],
    ['a NUL byte', 'a=%00'],
    ['a NUL byte in a name', '%00=1'],
    ['broken UTF-8', 'a=%ff'],
    ['101 fields', Array.from({ length: 101 }, (_, n) => `f${n}=`).join('&')],
  ] as const) {
    it(`forms are rejected with ${name}`, () => {
      assert.equal(parseForm(Buffer.from(body)).kind, 'invalid');
    });
  }

  it('forms are recognized by their content type', () => {
    assert.equal(isFormType('application/x-www-form-urlencoded'), true);
    assert.equal(isFormType('Application/X-WWW-Form-Urlencoded; charset=UTF-8'), true);
    assert.equal(isFormType('multipart/form-data'), false);
    assert.equal(isFormType(undefined), false);
  });
});
