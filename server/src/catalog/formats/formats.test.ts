import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cardsOf, fixtureElements, convertElements } from '../../../test/format-fixture.ts';
import { FORMAT_NAMES } from './format.ts';
import { games } from './games.ts';
import { deriveId } from './derived-id.ts';
import { createElementReader } from './element-reader.ts';

const V5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids derived from words (RFC 9562 §5.5)', () => {
  it('derived ids have version 5, never change, and differ for different words', () => {
    assert.equal(games.magic.id, '811884ef-8e0e-5472-9d47-8bd5c1b6e582');
    assert.equal(games.pokemon.id, 'b66d7065-e369-5cc4-afea-10c7834b32aa');
    assert.equal(games.yugioh.id, 'd2ea92f2-e097-57f3-b32a-6dacd8224f2e');
    const ids = [
      deriveId('a', 'b'),
      deriveId('a', 'b', null),
      deriveId('a', 'b', ''),
      deriveId('ab'),
      deriveId('a","b'),
    ];
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, V5);
  });
});

describe('every public format', () => {
  const publicForms = FORMAT_NAMES.filter((form) => form !== 'cardport');
  const languages = ['en'];

  it('a format refuses invalid values with a reason', () => {
    const [scryfall = {}] = fixtureElements('scryfall');
    const [pokemon = {}] = fixtureElements('pokemon-tcg-data');
    const [tcgdex = {}] = fixtureElements('tcgdex');
    const [ygoprodeck = {}] = fixtureElements('ygoprodeck');
    const long = 'x'.repeat(501);
    const cases = [
      ['scryfall', { ...scryfall, name: long }, /^name must have at most 500 characters/],
      ['scryfall', { ...scryfall, name: null }, /^name must be a string/],
      ['scryfall', { ...scryfall, id: 'x' }, /`id` is not a UUID/],
      ['scryfall', { ...scryfall, object: 'error' }, /Not a Scryfall card/],
      ['scryfall', { ...scryfall, lang: '?' }, /^languageCode must be a language tag/],
      ['scryfall', { ...scryfall, image_uris: { normal: 'ftp://x' } }, /^imageUrl must be/],
      ['scryfall', { ...scryfall, collector_number: '1\u0000' }, /control character/],
      ['pokemon-tcg-data', { ...pokemon, number: 'x'.repeat(101) }, /^cardNumber must have/],
      ['pokemon-tcg-data', { ...pokemon, number: undefined }, /`number` is missing/],
      ['tcgdex', { ...tcgdex, image: 'x' }, /^imageUrl must be/],
      ['tcgdex', { ...tcgdex, name: '\ud800' }, /an unpaired surrogate/],
      ['ygoprodeck', { ...ygoprodeck, type: undefined }, /`id` or `type` is missing/],
      ['ygoprodeck', { ...ygoprodeck, card_sets: [{ set_code: long }] }, /^cardNumber must have/],
      [
        'ygoprodeck',
        { ...ygoprodeck, card_sets: Array.from({ length: 1_001 }, () => ({ set_code: 'A-1' })) },
        /at most 1000 cards/,
      ],
    ] as const;
    for (const [form, element, reason] of cases) {
      const options = form === 'tcgdex' ? { languages } : {};
      const [reading] = convertElements(form, [element], options);
      assert.ok(reading?.kind === 'refused', JSON.stringify(reading));
      assert.match(reading.reason, reason);
    }
  });

  it('a format does not throw for any element', () => {
    const members = publicForms.flatMap((form) => fixtureElements(form).flatMap(Object.keys));
    const element = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...new Set(members)), fc.jsonValue(), { maxKeys: 30 }),
      fc
        .tuple(
          fc.constantFrom(...publicForms.flatMap((form) => fixtureElements(form))),
          fc.constantFrom(...new Set(members)),
          fc.jsonValue(),
        )
        .map(([whole, member, value]) => ({ ...whole, [member]: value })),
    );
    fc.assert(
      fc.property(element, fc.constantFrom(...publicForms), (each, form) => {
        const [reading] = convertElements(form, [each], { languages });
        assert.ok(['entries', 'skipped', 'refused'].includes(reading?.kind ?? ''));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a format treats words such as `constructor` as ordinary values', () => {
    const [scryfall = {}] = fixtureElements('scryfall');
    const [pokemon = {}] = fixtureElements('pokemon-tcg-data');
    for (const word of ['constructor', 'toString', '__proto__']) {
      const prices: unknown = JSON.parse(`{"${word}": {}}`);
      const [rare] = convertElements('scryfall', [{ ...scryfall, rarity: word }], {});
      const [priced] = convertElements(
        'pokemon-tcg-data',
        [{ ...pokemon, tcgplayer: { prices } }],
        {},
      );
      assert.equal(cardsOf(rare)[0]?.rarity?.name, word);
      assert.equal(cardsOf(priced)[0]?.finish, word);
    }
  });

  it('an element is read independently of earlier elements', () => {
    for (const form of publicForms) {
      const elements = fixtureElements(form);
      const forwards = convertElements(form, elements, { languages });
      const backwards = convertElements(form, elements.toReversed(), { languages });
      assert.deepEqual(backwards.toReversed(), forwards);
    }
  });

  it('two formats of one game describe the game identically', () => {
    const gameOf = (form: 'tcgdex' | 'pokemon-tcg-data'): unknown =>
      cardsOf(convertElements(form, fixtureElements(form), { languages })[0])[0]?.game;
    assert.deepEqual(gameOf('tcgdex'), gameOf('pokemon-tcg-data'));
  });

  it('a format accepts one language, or several if its files may contain several', () => {
    const sets = new Map();
    const kinds = (form: (typeof publicForms)[number], ...given: string[]): string =>
      createElementReader(form, { languages: given, sets }).kind;
    for (const form of publicForms) {
      assert.equal(kinds(form, 'ja'), 'open');
      assert.equal(kinds(form, 'no_tag'), 'misused');
      assert.equal(kinds(form), form === 'tcgdex' ? 'misused' : 'open');
      assert.equal(kinds(form, 'ja', 'en'), form === 'scryfall' ? 'open' : 'misused');
    }
  });
});
