import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cardsOf, fixtureElements, convertElements } from '../../../test/format-fixture.ts';
import { rarityCodeOf } from './rarity-code.ts';

describe('the code of a rarity', () => {
  it('consists of the letters printed on Japanese Pokémon cards', () => {
    const letters = (name: string): string | null => rarityCodeOf('pokemon', 'ja', 'SV2a', name);
    assert.equal(letters('Double rare'), 'RR');
    assert.equal(letters('Ultra Rare'), 'SR');
    assert.equal(letters('Illustration rare'), 'AR');
    assert.equal(letters('Special illustration rare'), 'SAR');
    assert.equal(letters('Hyper rare'), 'UR');
    assert.equal(letters('One Diamond'), null);
  });

  it('depends on the era, because the letters of gold and rainbow cards changed', () => {
    assert.equal(rarityCodeOf('pokemon', 'ja', 'S8', 'Hyper rare'), 'HR');
    assert.equal(rarityCodeOf('pokemon', 'ja', 'SM9', 'Secret Rare'), 'UR');
    assert.equal(rarityCodeOf('pokemon', 'ja', 'M2a', 'Hyper rare'), 'UR');
  });

  it('differs for English cards', () => {
    assert.equal(rarityCodeOf('pokemon', 'en', 'MEW', 'Double rare'), 'RR');
    assert.equal(rarityCodeOf('pokemon', 'en', 'MEW', 'Special illustration rare'), null);
    assert.equal(rarityCodeOf('yugioh', 'ja', null, 'Secret Rare'), 'SE');
    assert.equal(rarityCodeOf('yugioh', 'en', null, 'Secret Rare'), 'ScR');
    assert.equal(rarityCodeOf('magic', 'en', null, 'Rare'), null);
  });

  it('is not part of the card’s id, so a later import can change it', () => {
    const [element = {}] = fixtureElements('tcgdex');
    const read = (language: string): { id: string | undefined; code: string | undefined } => {
      const [reading] = convertElements(
        'tcgdex',
        [{ ...element, rarity: 'Special illustration rare' }],
        {
          languages: [language],
        },
      );
      const [card] = cardsOf(reading);
      return { id: card?.id, code: card?.rarity?.code };
    };
    const [plain] = convertElements('tcgdex', [element], { languages: ['ja'] });
    assert.deepEqual(read('ja'), { id: cardsOf(plain)[0]?.id, code: 'SAR' });
    assert.equal(read('en').code, 'SIR');
  });
});
