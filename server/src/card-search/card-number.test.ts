import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cardNumberOf, codeOf, printedNumberOf, queryNumberOf } from './card-number.ts';

describe('card numbers', () => {
  it('card numbers that differ only in dashes, full-width forms or leading zeros are equal', () => {
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

  it('card numbers have natural order: 2 before 10', () => {
    const runsOf = (text: string): string => cardNumberOf(text).runs;
    const sorted = ['10', '2', 'HT01-010', 'HT01-2', 'HT2-1'].toSorted((a, b) =>
      runsOf(a) < runsOf(b) ? -1 : 1,
    );
    assert.deepEqual(sorted, ['2', '10', 'HT01-2', 'HT01-010', 'HT2-1']);
  });

  it('a query is parsed as a card number with or without prefix, leading zeros, total and region', () => {
    const { runs } = cardNumberOf('025');
    for (const typed of ['025', '#025', 'no.25', 'no 025', '25']) {
      assert.equal(queryNumberOf(typed)?.runs, runs, typed);
    }
    assert.equal(queryNumberOf('025/165')?.runs, runs);
    assert.equal(queryNumberOf('025 / 0165')?.total, codeOf('165'));
    assert.equal(printedNumberOf('HTB-EN001', '').regionless, queryNumberOf('htb-001')?.runs);
    assert.equal(queryNumberOf('sora'), null);
    assert.equal(queryNumberOf('ht09-09')?.mayBeIncomplete, true);
    assert.equal(queryNumberOf('025')?.mayBeIncomplete, false);
  });

  it('long and unusual card numbers are parsed quickly', () => {
    for (const typed of [
      '1'.repeat(150),
      '1-'.repeat(75),
      'a1'.repeat(75),
      '/'.repeat(150),
      '1/'.repeat(75),
    ]) {
      assert.doesNotThrow(() => queryNumberOf(typed));
    }
  });
});
