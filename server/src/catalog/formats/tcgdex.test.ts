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

describe('the TCGdex format', () => {
  const readings = convertElements('tcgdex', fixtureElements('tcgdex'), { languages: ['ja'] });
  const kotorin = {
    name: 'コトリン',
    localizedNames: { ja: 'コトリン' },
    cardNumber: '007',
    setTotalRaw: '71',
    janCode: null,
    languageCode: 'ja',
    variant: null,
    finish: 'normal',
    imageUrl: 'https://pictures.example/ja/kr/KR1/007/high.webp',
    rarity: { code: 'R', name: 'Rare' },
    set: { id: deriveId('tcgdex', 'set', 'KR1'), code: 'KR1', name: '霧の里', nameEn: null },
    game: games.pokemon,
  };

  it('each detailed version becomes a card', () => {
    assert.deepEqual(withoutIds(cardsOf(readings[0])), [
      kotorin,
      { ...kotorin, finish: 'reverse', variant: 'cosmos' },
      { ...kotorin, variant: 'set-logo, snowflake, jumbo' },
    ]);
  });

  it('each plain variant becomes a card if there are no detailed variants', () => {
    const teahouse = {
      ...kotorin,
      name: '里の茶屋',
      localizedNames: { ja: '里の茶屋' },
      cardNumber: '12',
      setTotalRaw: null,
      finish: 'holo',
      imageUrl: null,
      rarity: null,
    };
    assert.deepEqual(withoutIds(cardsOf(readings[1])), [
      teahouse,
      { ...teahouse, variant: '1st-edition' },
      { ...teahouse, variant: 'w-Promo' },
    ]);
  });

  it('a detailed and a plain variant get the same id', () => {
    const [element = {}] = fixtureElements('tcgdex');
    const [plain] = convertElements('tcgdex', [{ ...element, variants_detailed: [] }], {
      languages: ['ja'],
    });
    assert.equal(cardsOf(plain)[0]?.id, cardsOf(readings[0])[0]?.id);
  });

  it('each language of a card gets a different id, although TCGdex uses one id', () => {
    const ids = ['ja', 'en', 'zh-tw', 'zh-TW'].map((language) => {
      const [reading] = convertElements('tcgdex', fixtureElements('tcgdex'), {
        languages: [language],
      });
      return cardsOf(reading)[0]?.id;
    });
    assert.equal(new Set(ids).size, 3);
    assert.equal(ids[2], ids[3]);
  });

  it('cards of the mobile game are skipped', () => {
    assert.deepEqual(readings[2], { kind: 'skipped', reason: 'digital only' });
  });

  it('the brief cards of lists are refused', () => {
    const [brief] = convertElements(
      'tcgdex',
      [{ id: 'KR1-007', localId: '007', name: 'コトリン' }],
      {
        languages: ['ja'],
      },
    );
    assert.ok(brief?.kind === 'refused');
    assert.match(brief.reason, /Card lists contain only brief entries/);
  });
});
