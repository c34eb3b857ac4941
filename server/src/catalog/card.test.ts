import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boostCardOf, type Card } from './card.ts';

const CARD: Card = {
  id: 'c0000000-0000-4000-8000-000000000001',
  name: '蒼天竜',
  localizedNames: { en: 'Sky Dragon' },
  cardNumber: '001',
  setTotalRaw: '100',
  janCode: '4900000000000',
  languageCode: 'ja',
  variant: 'alt',
  finish: 'holo',
  imageUrl: null,
  rarity: { code: 'R', name: 'Rare' },
  set: { id: 'b0000000-0000-4000-8000-000000000001', code: 'K1', name: '雲海', nameEn: 'Clouds' },
  game: { id: 'a0000000-0000-4000-8000-000000000001', code: 'kumo', name: '雲の札' },
};

describe('BoostCard (2.3)', () => {
  it('BoostCard has the fields of the specification and no others', () => {
    const card = boostCardOf(CARD);
    assert.deepEqual(Object.keys(card), [
      'id',
      'name',
      'localizedNames',
      'cardNumber',
      'setTotalRaw',
      'languageCode',
      'imageUrl',
      'rarity',
      'set',
      'game',
    ]);
    assert.deepEqual(card.set, { id: CARD.set?.id, code: 'K1', name: '雲海' });
    assert.deepEqual({ ...CARD, ...card, set: CARD.set }, CARD);
    assert.equal(boostCardOf({ ...CARD, set: null }).set, null);
  });
});
