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

const V5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the Scryfall format', () => {
  const readings = convertElements('scryfall', fixtureElements('scryfall'));
  const marsh = {
    id: '33333333-aaaa-4aaa-8aaa-000000000001',
    code: 'QMR',
    name: 'Quiet Marsh',
    nameEn: 'Quiet Marsh',
  };
  const heron = {
    name: 'Lantern Heron',
    localizedNames: { en: 'Lantern Heron' },
    cardNumber: '12a',
    setTotalRaw: null,
    janCode: null,
    languageCode: 'en',
    variant: 'borderless, showcase, surgefoil',
    imageUrl: 'https://pictures.example/normal/1.jpg?1700000000',
    rarity: { code: 'M', name: 'Mythic Rare' },
    set: marsh,
    game: games.magic,
  };

  it('each finish becomes a card, and the nonfoil card keeps the id of the printing', () => {
    const cards = cardsOf(readings[0]);
    assert.deepEqual(withoutIds(cards), [
      { ...heron, finish: 'nonfoil' },
      { ...heron, finish: 'foil' },
      { ...heron, finish: 'etched' },
    ]);
    const [plain, foil, etched] = cards.map(({ id }) => id);
    assert.equal(plain, '11111111-aaaa-4aaa-8aaa-000000000001');
    assert.match(foil ?? '', V5);
    assert.equal(etched, deriveId('scryfall', 'card', plain ?? '', 'etched'));
  });

  it('a card has the printed name, but no placeholder image and no missing rarity', () => {
    assert.deepEqual(cardsOf(readings[1]), [
      {
        ...heron,
        id: '11111111-aaaa-4aaa-8aaa-000000000002',
        name: '灯籠鷺',
        localizedNames: { ja: '灯籠鷺', en: 'Lantern Heron' },
        cardNumber: '12★',
        languageCode: 'ja',
        variant: null,
        finish: 'nonfoil',
        imageUrl: null,
        rarity: null,
      },
    ]);
  });

  it('a card has the joined names of its faces and the image of its front', () => {
    const [moth, ...others] = cardsOf(readings[2]);
    assert.deepEqual(others, []);
    assert.match(moth?.id ?? '', V5);
    assert.equal(moth?.name, '昼蛾 // Night Moth');
    assert.deepEqual(moth.localizedNames, {
      'zh-Hans': '昼蛾 // Night Moth',
      en: 'Day Moth // Night Moth',
    });
    assert.equal(moth.languageCode, 'zh-Hans');
    assert.equal(moth.imageUrl, 'https://pictures.example/front.jpg');
    assert.match(moth.set?.id ?? '', V5);
    assert.deepEqual(moth.rarity, { code: 'R', name: 'Rare' });
  });

  it('tokens, alternative printed names, and the flags of old exports are accepted', () => {
    const cards = cardsOf(readings[3]);
    assert.deepEqual(
      cards.map(({ finish }) => finish),
      ['nonfoil', 'foil'],
    );
    assert.deepEqual(cards[0]?.localizedNames, { en: 'Frog', 'en-x-printed': 'Uncle Puddle' });
    assert.equal(cards[0]?.variant, 'fullart');
    assert.equal(cards[0]?.set?.code, 'TQMR');
  });

  it('digital cards, art series, sets, and languages that were not selected are skipped', () => {
    assert.deepEqual(readings.slice(4), [
      { kind: 'skipped', reason: 'digital only' },
      { kind: 'skipped', reason: 'art series' },
    ]);
    const [set] = convertElements('scryfall', fixtureElements('scryfall-sets'));
    assert.deepEqual(set, { kind: 'skipped', reason: 'a set, not a card' });
    const asked = convertElements('scryfall', fixtureElements('scryfall'), {
      languages: ['ja', 'ZH-hans'],
    });
    assert.deepEqual(
      asked.map(({ kind }) => kind),
      ['skipped', 'entries', 'entries', 'skipped', 'skipped', 'skipped'],
    );
    assert.deepEqual(asked[0], { kind: 'skipped', reason: 'another language' });
  });

  it('the printed total is read from the sets file', () => {
    const [first, second] = convertElements('scryfall', fixtureElements('scryfall'), {
      sets: 'scryfall-sets',
    });
    assert.equal(cardsOf(first)[0]?.setTotalRaw, '261');
    assert.equal(cardsOf(second)[0]?.setTotalRaw, '261');
  });
});
