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
import { createElementReader } from './element-reader.ts';

describe('the pokemon-tcg-data format', () => {
  const puffolk = {
    name: 'Puffolk',
    localizedNames: { en: 'Puffolk' },
    cardNumber: '4',
    setTotalRaw: '120',
    janCode: null,
    languageCode: 'en',
    variant: null,
    finish: null,
    imageUrl: 'https://pictures.example/mist1/4_hires.png',
    rarity: { code: 'RH', name: 'Rare Holo' },
    set: {
      id: deriveId('pokemon-tcg-data', 'set', 'mist1'),
      code: 'MM',
      name: 'Morning Mist',
      nameEn: 'Morning Mist',
    },
    game: games.pokemon,
  };

  it('an element without prices becomes one card, with its set from the sets file', () => {
    const readings = convertElements('pokemon-tcg-data', fixtureElements('pokemon-tcg-data'), {
      sets: 'pokemon-tcg-data-sets',
    });
    assert.deepEqual(withoutIds(cardsOf(readings[0])), [puffolk]);
    assert.deepEqual(withoutIds(cardsOf(readings[1])), [
      {
        ...puffolk,
        name: 'Old Kettle δ',
        localizedNames: { en: 'Old Kettle δ' },
        cardNumber: 'TG05',
        imageUrl: 'https://pictures.example/mist1/TG05.png',
        rarity: null,
      },
    ]);
  });

  it('a set that is not in the sets file gets its id as its name', () => {
    const [reading] = convertElements('pokemon-tcg-data', fixtureElements('pokemon-tcg-data'));
    const [card] = cardsOf(reading);
    assert.deepEqual(card?.set, { ...puffolk.set, code: 'mist1', name: 'mist1', nameEn: null });
    assert.equal(card?.setTotalRaw, null);
  });

  it('sets that are not in the sets file are reported', () => {
    const unknown: string[] = [];
    const options = {
      languages: [],
      sets: new Map(),
      onUnknownSet: (id: string) => void unknown.push(id),
    };
    const opened = createElementReader('pokemon-tcg-data', options);
    assert.ok(opened.kind === 'open');
    for (const element of fixtureElements('pokemon-tcg-data')) opened.read(element);
    for (const element of fixtureElements('pokemon-tcg-data-api')) opened.read(element);
    assert.deepEqual(unknown, ['mist1', 'mist1']);
  });

  it('an element of the API format becomes one card for each price', () => {
    const [reading] = convertElements('pokemon-tcg-data', fixtureElements('pokemon-tcg-data-api'));
    const cards = cardsOf(reading);
    assert.deepEqual(withoutIds(cards), [
      { ...puffolk, finish: 'holo' },
      { ...puffolk, finish: 'reverse' },
      { ...puffolk, finish: 'holo', variant: '1st-edition' },
      { ...puffolk, finish: 'glowInTheDark' },
    ]);
    assert.equal(new Set(cards.map(({ id }) => id)).size, 4);
  });

  it('the elements of a sets file are skipped', () => {
    const [set] = convertElements('pokemon-tcg-data', fixtureElements('pokemon-tcg-data-sets'));
    assert.deepEqual(set, { kind: 'skipped', reason: 'a set, not a card' });
  });
});
