import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cardsOf, fixtureElements, readForm, withoutIds } from '../../../test/form-fixture.ts';
import { games } from './games.ts';
import { deriveId } from './derived-id.ts';
import { openFormat } from './open-format.ts';

describe('the form of pokemon-tcg-data', () => {
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

  it('makes one card of a card without prices, its set from the file of sets', () => {
    const readings = readForm('pokemon-tcg-data', fixtureElements('pokemon-tcg-data'), {
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

  it('names a set by its id when nothing tells more, and keeps its id', () => {
    const [reading] = readForm('pokemon-tcg-data', fixtureElements('pokemon-tcg-data'));
    const [card] = cardsOf(reading);
    assert.deepEqual(card?.set, { ...puffolk.set, code: 'mist1', name: 'mist1', nameEn: null });
    assert.equal(card?.setTotalRaw, null);
  });

  it('tells of sets that it knows by their ids alone', () => {
    const unknown: string[] = [];
    const options = {
      languages: [],
      sets: new Map(),
      onUnknownSet: (id: string) => void unknown.push(id),
    };
    const opened = openFormat('pokemon-tcg-data', options);
    assert.ok(opened.kind === 'open');
    for (const element of fixtureElements('pokemon-tcg-data')) opened.read(element);
    for (const element of fixtureElements('pokemon-tcg-data-api')) opened.read(element);
    assert.deepEqual(unknown, ['mist1', 'mist1']);
  });

  it('makes a card for each price of the API form', () => {
    const [reading] = readForm('pokemon-tcg-data', fixtureElements('pokemon-tcg-data-api'));
    const cards = cardsOf(reading);
    assert.deepEqual(withoutIds(cards), [
      { ...puffolk, finish: 'holo' },
      { ...puffolk, finish: 'reverse' },
      { ...puffolk, finish: 'holo', variant: '1st-edition' },
      { ...puffolk, finish: 'glowInTheDark' },
    ]);
    assert.equal(new Set(cards.map(({ id }) => id)).size, 4);
  });

  it('passes over sets', () => {
    const [set] = readForm('pokemon-tcg-data', fixtureElements('pokemon-tcg-data-sets'));
    assert.deepEqual(set, { kind: 'passed_over', reason: 'a set, not a card' });
  });
});
