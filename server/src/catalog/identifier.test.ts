import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseIdentifier } from './identifier.ts';

describe('identifiers in a search (4.8: JAN or ID)', () => {
  it('JAN, EAN and UPC are identifiers, with any spaces, dashes and full-width digits', () => {
    for (const typed of [
      '4901234567894',
      ' 4 901234 567894 ',
      '４９０１２３４５６７８９４',
      '490-1234-567894',
    ]) {
      const found = parseIdentifier(typed);
      assert.equal(found?.kind === 'jan' && found.codes[0], '4901234567894', typed);
    }
    assert.deepEqual(parseIdentifier('49012347'), { kind: 'jan', codes: ['49012347'] });
  });

  it('identifiers are equal with and without leading zeros', () => {
    for (const typed of ['012345678905', '0012345678905', '00012345678905']) {
      const found = parseIdentifier(typed);
      assert.ok(found?.kind === 'jan');
      assert.deepEqual(
        [...found.codes].toSorted(),
        ['00012345678905', '0012345678905', '012345678905'],
        typed,
      );
      assert.equal(found.codes[0], typed);
    }
  });

  it('uuids are identifiers, even with braces, in upper case, or without dashes', () => {
    const id = '6215adda-96ef-52af-b4a6-51bc3b6b0fcc';
    for (const typed of [id, ` ${id} `, `{${id}}`, id.toUpperCase(), id.replaceAll('-', '')]) {
      assert.deepEqual(parseIdentifier(typed), { kind: 'id', id }, typed);
    }
  });

  it('no other text is an identifier', () => {
    for (const typed of [
      '',
      '1234567',
      '123456789',
      '12345678901',
      '123456789012345',
      'ソラ',
      '025/165',
    ]) {
      assert.equal(parseIdentifier(typed), null, typed);
    }
    assert.equal(parseIdentifier('6215adda-96ef-52af-b4a6-51bc3b6b0fc'), null);
    assert.equal(parseIdentifier('6215adda-96ef-52af-b4a6-51bc3b6b0fcg'), null);
  });
});
