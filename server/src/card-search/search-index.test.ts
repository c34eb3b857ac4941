import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { hitsOf, makeSearchableCard, toSearchableCard } from '../../test/searchable-card.ts';
import { makeCards } from '../demo/cards.ts';
import { compareHits, type Hit } from './search.ts';
import { parseQuery } from './query.ts';
import { LAYER_CARDS_MAX, SearchIndex } from './search-index.ts';
import type { SearchableCard } from './searchable-card.ts';

/** The page size of GET /cards (spec 4.8). */
const LIMIT = 25;

const demoCards: readonly SearchableCard[] = makeCards().map(({ of }) => toSearchableCard(of));
const demoIndex = SearchIndex.build(demoCards);

/** Returns a card with an id that depends only on `n`. */
function numbered(n: number, name: string): SearchableCard {
  return makeSearchableCard(name, { id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` });
}

/** Applies a change of `cards` and a removal of `gone`. */
function apply(
  index: SearchIndex,
  cards: readonly SearchableCard[],
  gone: readonly string[] = [],
): void {
  index.apply([...cards.map(({ id }) => id), ...gone], cards);
}

describe('an index with layers', () => {
  it('the index answers from the base, with the changes of each layer', () => {
    const index = SearchIndex.build([numbered(1, '青竜'), numbered(2, '白竜')]);
    assert.deepEqual(index.find('竜', 25).toSorted(), [numbered(1, '').id, numbered(2, '').id]);
    apply(index, [numbered(3, '赤竜')]);
    assert.equal(index.find('竜', 25).length, 3);
    assert.deepEqual(index.find('赤竜', 25), [numbered(3, '').id]);
  });

  it('outdated results of a changed card are hidden, in the base and in every layer', () => {
    const index = SearchIndex.build([numbered(1, '青竜')]);
    for (const name of ['白い虎', '黒い亀', '赤い鳥']) {
      apply(index, [numbered(1, name)]);
      assert.deepEqual(index.find(name, 25), [numbered(1, '').id], name);
      assert.deepEqual(index.find('青竜', 25), []);
    }
    assert.deepEqual(index.find('白い虎', 25), []);
    assert.deepEqual(index.find('黒い亀', 25), []);
  });

  it('outdated results in a layer that is full are hidden', () => {
    const index = SearchIndex.build([]);
    const many = Array.from({ length: LAYER_CARDS_MAX }, (_, n) => numbered(n, `竜${n}`));
    apply(index, many);
    apply(index, [numbered(7, '白い虎')], [numbered(8, '').id]);
    assert.deepEqual(index.find('白い虎', 25), [numbered(7, '').id]);
    for (const n of [7, 8]) assert.ok(!index.find(`竜${n}`, 25).includes(numbered(n, '').id));
    assert.equal(index.find('竜9', 25)[0], numbered(9, '').id);
  });

  it('a card that is no longer active is hidden, and shown when it is active again', () => {
    const index = SearchIndex.build([numbered(1, '青竜')]);
    apply(index, [], [numbered(1, '').id]);
    assert.deepEqual(index.find('青竜', 25), []);
    apply(index, [numbered(1, '青竜')]);
    assert.deepEqual(index.find('青竜', 25), [numbered(1, '').id]);
  });

  it('the hits of all layers rank together, up to the limit', () => {
    const index = SearchIndex.build([numbered(1, '青竜の長い名前')]);
    apply(index, [numbered(2, '青竜')]);
    assert.deepEqual(index.find('青竜', 25), [numbered(2, '').id, numbered(1, '').id]);
    assert.deepEqual(index.find('青竜', 1), [numbered(2, '').id]);
  });

  it('a card counts once, however often it changes', () => {
    const index = SearchIndex.build([numbered(1, '青竜')]);
    for (let n = 0; n < 50; n++) apply(index, [numbered(1, `竜${n}`)]);
    assert.deepEqual(index.size, { base: 1, layered: 1 });
  });

  it('the cards of every layer are found, after single changes and after larger ones', () => {
    const index = SearchIndex.build([]);
    const batch = LAYER_CARDS_MAX / 4;
    for (let n = 0; n < 9; n++) {
      apply(
        index,
        Array.from({ length: batch }, (_, at) => numbered(n * batch + at, `竜${n * batch + at}`)),
      );
    }
    for (let n = 0; n < 10; n++) apply(index, [numbered(n, `虎${n}`)]);
    assert.equal(index.size.layered, 9 * batch);
    for (const n of [10, batch, 9 * batch - 1]) {
      assert.equal(index.find(`竜${n}`, 25)[0], numbered(n, '').id);
    }
    for (const n of [0, 9]) assert.equal(index.find(`虎${n}`, 25)[0], numbered(n, '').id);
  });

  it('a word that matches no remaining card is dropped, but not every word', () => {
    const index = SearchIndex.build([numbered(1, '青竜'), numbered(2, '白竜')]);
    apply(index, [{ ...numbered(3, 'Charizard'), cardNumber: '44' }]);
    assert.deepEqual(index.find('PSA 44', 25), []);
    assert.deepEqual(index.find('qqqq charizard 44', 25), [numbered(3, '').id]);
    assert.deepEqual(index.find('青竜 qqqq 白竜', 25).length, 1);
    assert.deepEqual(index.find('PSA10 charizard', 25), [numbered(3, '').id]);
    assert.deepEqual(index.find('charzard qqqq', 25), [numbered(3, '').id]);
    assert.deepEqual(index.find('qqqq wwww', 25), []);
    assert.deepEqual(index.find('qqqq', 25), []);
  });

  it('a card is found by its name with its game, language, variant and finish', () => {
    const look = { gameCode: 'pokemon', languageCode: 'ja', variant: '1st Edition' };
    const first = { ...numbered(1, 'ソラ'), ...look, finish: 'reverse' };
    const second = { ...numbered(2, 'ソラ'), gameCode: 'yugioh', languageCode: 'en' };
    const index = SearchIndex.build([first, second]);
    for (const words of ['ポケカ', '日本語', 'japanese', '初版', '1st edition', 'reverse foil']) {
      assert.deepEqual(index.find(`ソラ ${words}`, 25), [first.id], words);
    }
    for (const words of ['遊戯王', '英語', 'english ygo']) {
      assert.deepEqual(index.find(`${words} ソラ`, 25), [second.id], words);
    }
    assert.equal(index.find('ソラ 英語 パラレル', 25)[0], second.id);
  });

  it('a promotional card is found by its number and the code of its set after a slash', () => {
    const promo = { ...numbered(1, 'ソラ'), cardNumber: '001', setCode: 'SV-P' };
    const other = {
      ...numbered(2, 'ソラ'),
      cardNumber: '001',
      setTotalRaw: '165',
      setCode: 'SV2a',
    };
    const index = SearchIndex.build([promo, other]);
    for (const text of ['001/SV-P', '1/SVP', 'ソラ 001/SV-P', '001 / SV-P']) {
      assert.deepEqual(index.find(text, 25)[0], promo.id, text);
    }
    assert.deepEqual(index.find('001/SV-P', 25), [promo.id]);
    assert.deepEqual(index.find('001/165', 25), [other.id]);
  });
});

/** Generates realistic queries and arbitrary texts. */
const anyQuery = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 150 }),
  fc.string({
    unit: fc.constantFrom('ソ', 'ラ', 'ー', 'a', '0', '1', '-', '/', ' ', '竜', 'ex'),
    maxLength: 150,
  }),
  fc.constantFrom(...demoCards).chain(({ name, cardNumber, setCode, rarityCode }) =>
    fc
      .array(
        fc.constantFrom(name, name.slice(0, 3), cardNumber ?? '', setCode ?? '', rarityCode ?? ''),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((parts) => [...parts.join(' ')].slice(0, 150).join('')),
  ),
);

describe('any query (4.8)', () => {
  it('any query returns at most the limit, no card twice, best first, and does not throw', () => {
    fc.assert(
      fc.property(anyQuery, fc.integer({ min: 1, max: LIMIT }), (text, limit) => {
        const hits = hitsOf(demoIndex, text, limit);
        assert.ok(hits.length <= limit);
        assert.equal(new Set(hits.map(({ id }) => id)).size, hits.length);
        assert.deepEqual(hits.toSorted(compareHits), hits);
        assert.ok(demoIndex.find(text, limit).length <= limit);
      }),
      { numRuns: 200 },
    );
  });

  it('each card is found by its exact name, unless more cards than the limit share the name', () => {
    const sharing = Map.groupBy(demoCards, ({ name }) => name);
    for (const [name, cards] of sharing) {
      const found = new Set(demoIndex.find(name, LIMIT));
      assert.ok(cards.every(({ id }) => found.has(id)) || cards.length > LIMIT, name);
    }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (name) => {
        fc.pre(parseQuery(name).whole.key !== '');
        const only = makeSearchableCard(name);
        const index = SearchIndex.build([...demoCards.slice(0, 5), only]);
        assert.ok(index.find(name, LIMIT).includes(only.id), name);
      }),
    );
  });

  it('a base with a layer gives the same scores as one index', () => {
    const isNewer = fc.array(fc.boolean(), {
      minLength: demoCards.length,
      maxLength: demoCards.length,
    });
    const renamed = (each: SearchableCard): SearchableCard => ({
      ...each,
      name: `${each.name}改`,
      cardNumber: `${each.cardNumber ?? ''}a`,
    });
    const scores = (hits: readonly Hit[]): unknown => hits.map(({ score, text }) => [score, text]);
    fc.assert(
      fc.property(isNewer, fc.array(anyQuery, { minLength: 20, maxLength: 20 }), (newer, texts) => {
        // The base still has the previous texts of the changed cards.
        const index = SearchIndex.build(
          demoCards.map((each, at) => (newer[at] === true ? renamed(each) : each)),
        );
        apply(
          index,
          demoCards.filter((_, at) => newer[at]),
        );
        for (const text of texts) {
          assert.deepEqual(scores(hitsOf(index, text)), scores(hitsOf(demoIndex, text)), text);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('the result does not depend on the order of the cards', () => {
    const backwards = SearchIndex.build(demoCards.toReversed());
    fc.assert(
      fc.property(anyQuery, (text) => {
        assert.deepEqual(hitsOf(backwards, text), hitsOf(demoIndex, text));
      }),
    );
  });
});

describe('an index', () => {
  it('an index may be empty', () => {
    const index = SearchIndex.build([]);
    assert.deepEqual(index.size, { base: 0, layered: 0 });
    for (const text of ['ソラ 1/2', 'ソラソラ', '']) assert.deepEqual(index.find(text, LIMIT), []);
  });

  it('an index contains the cards that it was built from', () => {
    assert.equal(demoIndex.size.base, demoCards.length);
  });

  it('an index refuses a card whose id is not a uuid', () => {
    assert.throws(() => SearchIndex.build([makeSearchableCard('ソラ', { id: 'x' })]), TypeError);
  });
});
