import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cardsOf,
  fixtureElements,
  convertElements,
  withoutIds,
} from '../../../test/format-fixture.ts';
import { games } from './games.ts';
import { deriveId } from './derived-id.ts';

describe('the YGOPRODeck format', () => {
  const badger = {
    name: 'Clockwork Badger',
    localizedNames: { en: 'Clockwork Badger' },
    cardNumber: 'ROTB-EN007',
    setTotalRaw: null,
    janCode: null,
    languageCode: 'en',
    variant: null,
    finish: null,
    imageUrl: 'https://pictures.example/900000017.jpg',
    rarity: { code: 'UR', name: 'Ultra Rare' },
    set: {
      id: deriveId('ygoprodeck', 'set', 'ROTB', 'Rise of the Burrow'),
      code: 'ROTB',
      name: 'Rise of the Burrow',
      nameEn: 'Rise of the Burrow',
    },
    game: games.yugioh,
  };

  it('each printing becomes a card, in the language of its code', () => {
    const [reading] = convertElements('ygoprodeck', fixtureElements('ygoprodeck'));
    const cards = cardsOf(reading);
    assert.deepEqual(withoutIds(cards), [
      badger,
      { ...badger, rarity: { code: 'QCSR', name: 'Quarter Century Secret Rare' } },
      {
        ...badger,
        cardNumber: 'BST-012',
        variant: '1st Edition',
        rarity: null,
        set: {
          id: deriveId('ygoprodeck', 'set', 'BST', 'Burrow Starter'),
          code: 'BST',
          name: 'Burrow Starter',
          nameEn: 'Burrow Starter',
        },
      },
      {
        ...badger,
        cardNumber: 'ROTB-JP007',
        languageCode: 'ja',
        rarity: { code: 'R', name: 'Rare' },
      },
    ]);
    assert.equal(new Set(cards.map(({ id }) => id)).size, 4);
  });

  it('the language of a card is derived from the region in its code', () => {
    const language = (code: string): string | undefined => {
      const element = {
        id: 1,
        name: 'N',
        type: 'T',
        card_sets: [{ set_code: code, set_name: 'S' }],
      };
      return cardsOf(convertElements('ygoprodeck', [element])[0])[0]?.languageCode;
    };
    assert.deepEqual(
      ['LOB-EN001', 'LOB-001', 'LOB-E001', 'SDK-G001', 'CT10-SP001', 'AE01-AE002'].map(language),
      ['en', 'en', 'en', 'de', 'es', 'en'],
    );
    assert.deepEqual(
      [
        'X-JP001',
        'X-JPS01',
        'X-KR001',
        'X-K001',
        'X-FR001',
        'X-SC001',
        'X-TC001',
        'X-PT001',
        'X',
        'X-',
      ].map(language),
      ['ja', 'ja', 'ko', 'ko', 'fr', 'zh-Hans', 'zh-Hant', 'pt', 'en', 'en'],
    );
  });

  it('English printings stay English in a file of another language', () => {
    const [element = {}] = fixtureElements('ygoprodeck');
    const german = { ...element, name: 'Uhrwerkdachs', name_en: 'Clockwork Badger' };
    const [reading] = convertElements('ygoprodeck', [german], { languages: ['de'] });
    const [card] = cardsOf(reading);
    assert.equal(card?.name, 'Clockwork Badger');
    assert.deepEqual(card.localizedNames, { de: 'Uhrwerkdachs', en: 'Clockwork Badger' });
  });

  it('a card that was never printed is skipped', () => {
    const readings = convertElements('ygoprodeck', fixtureElements('ygoprodeck'));
    assert.deepEqual(readings[1], { kind: 'skipped', reason: 'no known printing' });
  });
});
