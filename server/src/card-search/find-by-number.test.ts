import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNames, makeSearchableCard as card, tierOf } from '../../test/searchable-card.ts';
import { CardIndex } from './card-index.ts';
import { LayeredIndex } from './layered-index.ts';
import { TIER } from './tier.ts';

/** The page size of GET /cards (spec 4.8). */
const LIMIT = 25;

describe('a number alone (4.8)', () => {
  it('finds longer numbers that end in these digits, after all better matches', () => {
    const far = card('ソラ', { cardNumber: 'HT01-016' });
    for (const text of ['016', '16', '#016', 'No.16']) {
      assert.equal(tierOf(far, text), TIER.numberEnd, text);
    }
    for (const text of ['6', '1', '116', '0161', 'a016']) assert.equal(tierOf(far, text), null);
    const total = card('ソラ', { cardNumber: 'HT01-016', setTotalRaw: '100' });
    assert.equal(tierOf(total, '16/100'), TIER.numberEnd);
    assert.equal(tierOf(total, '16/101'), null);
    const cards = [
      card('終', { cardNumber: 'HT10-016' }),
      card('次', { cardNumber: 'HT2-016' }),
      card('集', { setName: '016 Best' }),
      card('始', { cardNumber: '0161' }),
      card('名 016'),
      card('同', { cardNumber: '16' }),
      card('正', { cardNumber: '016' }),
      card('他', { cardNumber: 'HT10-017' }),
    ];
    assert.deepEqual(findNames(cards, '016'), ['正', '同', '名 016', '始', '集', '次', '終']);
    const many = Array.from({ length: 3_000 }, (_, n) => card('山', { cardNumber: `S${n}-016` }));
    assert.equal(findNames(many, '016').length, LIMIT);
  });

  it('finds numbers with a slash by what follows it, but not by a part of a word', () => {
    const far = card('ソラ', { cardNumber: 'HT/KP01-JP001' });
    for (const text of ['KP01-JP001', 'kp01jp001', 'KP1-JP1']) {
      assert.equal(findNames([far], text).length, 1, text);
    }
    assert.deepEqual(findNames([far], 'P01-JP001'), []);
  });

  it('shows the zeros as typed first, and reads a dash before a total as a slash', () => {
    const cards = [
      card('短', { cardNumber: '25', setTotalRaw: '165' }),
      card('長', { cardNumber: '025', setTotalRaw: '165' }),
    ];
    const index = new LayeredIndex(CardIndex.build(cards));
    const [short, long] = cards.map(({ id }) => id);
    for (const text of ['025/165', '025-165', '０２５－１６５']) {
      assert.deepEqual(index.find(text, LIMIT), [long, short], text);
    }
    assert.deepEqual(index.find('25/165', LIMIT), [short, long]);
    assert.deepEqual(index.find('025-166', LIMIT), []);
  });
});
