import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cardNumberOf, parseQueryNumber } from './card-number.ts';
import { parseIdentifier } from '../catalog/identifier.ts';
import { compareNumbers, tailOf } from './number-table.ts';

describe('card numbers', () => {
  it('are equal without dashes, full-width forms and leading zeros', () => {
    const { runs } = cardNumberOf('HT01-001');
    for (const typed of [
      'ht01-001',
      'HT01 001',
      'ＨＴ０１－００１',
      'ht1-1',
      'HT-01-1',
      'ht01—001',
    ]) {
      assert.equal(cardNumberOf(typed).runs, runs, typed);
    }
    assert.notEqual(cardNumberOf('HT01-010').runs, runs);
    assert.equal(cardNumberOf('HT01-001').joined, cardNumberOf('ht01001').joined);
    assert.equal(cardNumberOf('000').runs, cardNumberOf('0').runs);
    assert.deepEqual(cardNumberOf(''), { joined: '', runs: '' });
  });

  it('have natural order: 2 before 10, and fewer zeros first', () => {
    const sorted = ['10', '2', '02', 'HT01-010', 'HT01-2', 'HT2-1'].toSorted((a, b) =>
      compareNumbers(cardNumberOf(a), cardNumberOf(b)),
    );
    assert.deepEqual(sorted, ['2', '02', '10', 'HT01-2', 'HT01-010', 'HT2-1']);
  });

  it('end with their last digits', () => {
    const sixteen = tailOf(cardNumberOf('016').runs);
    assert.equal(tailOf(cardNumberOf('HT01-016').runs), sixteen);
    assert.notEqual(tailOf(cardNumberOf('HT01-116').runs), sixteen);
    assert.equal(tailOf(cardNumberOf('HT01-016a').runs), '');
  });

  it('are found without a prefix, with a total, and without a region', () => {
    const { runs } = cardNumberOf('025');
    for (const typed of ['025', '#025', 'no.25', 'no 025', '25']) {
      assert.equal(parseQueryNumber(typed)?.runs, runs, typed);
    }
    assert.equal(parseQueryNumber('025/165')?.runs, runs);
    assert.equal(parseQueryNumber('025 / 0165')?.total, cardNumberOf('165').runs);
    assert.ok(parseQueryNumber('htb-001')?.regional.includes(cardNumberOf('HTB-EN001').runs));
    assert.equal(parseQueryNumber('sora'), null);
    assert.equal(parseQueryNumber('ht09-09')?.mayBeIncomplete, true);
    assert.equal(parseQueryNumber('025')?.mayBeIncomplete, false);
  });

  it('are parsed quickly, however long and unusual', () => {
    for (const typed of [
      '1'.repeat(150),
      '1-'.repeat(75),
      'a1'.repeat(75),
      '/'.repeat(150),
      '1/'.repeat(75),
    ]) {
      assert.doesNotThrow(() => parseQueryNumber(typed));
    }
  });
});

describe('identifiers in a search (4.8: JAN or ID)', () => {
  it('are JAN, EAN and UPC with any spaces, dashes and full-width digits', () => {
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

  it('are equal with and without leading zeros', () => {
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

  it('are uuids with braces, in upper case, without dashes', () => {
    const id = '6215adda-96ef-52af-b4a6-51bc3b6b0fcc';
    for (const typed of [id, ` ${id} `, `{${id}}`, id.toUpperCase(), id.replaceAll('-', '')]) {
      assert.deepEqual(parseIdentifier(typed), { kind: 'id', id }, typed);
    }
  });

  it('are nothing else', () => {
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
