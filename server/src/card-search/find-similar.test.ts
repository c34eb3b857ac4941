import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  findSimilarNames,
  hitsOf,
  scoreOf,
  makeSearchableCard as card,
  toSearchableCard,
} from '../../test/searchable-card.ts';
import { makeCards } from '../demo/cards.ts';
import { editDistance, editDistanceToStart } from './edit-distance.ts';
import type { Hit } from './search.ts';
import { SCORE } from './score.ts';
import { SearchIndex } from './search-index.ts';
import type { SearchableCard } from './searchable-card.ts';

const demoCards: readonly SearchableCard[] = makeCards().map(({ of }) => toSearchableCard(of));
const demoIndex = SearchIndex.build(demoCards);
const demoNames = new Map(
  demoCards.map(({ id, name, localizedNames }) => [id, localizedNames['en'] ?? name]),
);

function similarTo(text: string, ...names: readonly string[]): string[] {
  return findSimilarNames(
    names.map((name) => card(name)),
    text,
  );
}

describe('similar names', () => {
  it('similar names have at most one typo below 8 characters and two from 8 characters, and fewer typos rank first', () => {
    assert.deepEqual(similarTo('drgaon', 'Dragon', 'Dagger'), ['Dragon']);
    assert.deepEqual(similarTo('drgano', 'Dragon'), []);
    assert.deepEqual(similarTo('dragxy', 'Dragon'), []);
    assert.deepEqual(similarTo('OP99', 'ホップ'), []);
    assert.deepEqual(similarTo('dragonfx', 'Dragonfly', 'Dragonf'), ['Dragonf', 'Dragonfly']);
    assert.deepEqual(similarTo('drogenfly', 'Dragonfly'), ['Dragonfly']);
    assert.deepEqual(similarTo('drogenfle', 'Dragonfly'), []);
  });

  it('a search of fewer than 4 characters finds no similar names', () => {
    assert.deepEqual(similarTo('sox', 'Fox'), []);
  });

  it('typos in romaji and across spelling variants are found', () => {
    assert.deepEqual(similarTo('kitsumeko', 'キツネコ'), ['キツネコ']);
    assert.deepEqual(similarTo('ハイオリンダ', 'ヴァイオリンダ'), ['ヴァイオリンダ']);
  });

  it('similar names are found if there is no other match, or only phonetic matches', () => {
    const cards = [card('ヒポポタス'), card('Hippopotas')];
    assert.deepEqual(findSimilarNames(cards, 'hipoppotas'), ['ヒポポタス', 'Hippopotas']);
    assert.deepEqual(findSimilarNames(cards, 'hippopotas')[0], 'Hippopotas');
    assert.deepEqual(
      findSimilarNames([card('Hippopotas'), card('Hippopotasz')], 'hippopotas').length,
      2,
    );
    assert.deepEqual(
      findSimilarNames([card('Hippopotas'), card('Hippopotus')], 'hippopotas').length,
      1,
    );
  });
});

describe('typos in a part of a name', () => {
  it('typos are found at the beginning of a name, in a word within it, and in one of several words', () => {
    for (const [text, name] of [
      ['slumbring giant', /^Slumbering Giant/],
      ['thundring dragon', /^Thundering Dragon/],
      ['Dragn Alba', /Dragon Alba/],
      ['daida slumbring', /^Slumbering Giant Daida/],
      ['daidda slumbring', /^Slumbering Giant Daida/],
    ] as const) {
      const found = hitsOf(demoIndex, text);
      assert.ok(found.length > 0, text);
      assert.match(demoNames.get(found[0]?.id ?? '') ?? '', name, text);
    }
  });

  it('typos are found phonetically at the beginning of a name', () => {
    assert.deepEqual(similarTo('lizardon', 'リザードンex', 'ピカチュウ'), ['リザードンex']);
  });

  it('typos do not make short or unrelated texts match', () => {
    for (const text of ['zzzz', 'qwerty', 'OP99-999', 'LOB-999', 'xqz', 'zzzz qwerty']) {
      assert.deepEqual(hitsOf(demoIndex, text), [], text);
    }
  });

  it('a part of a name has at most one typo below 8 characters and two from 8 characters', () => {
    const name = card('Dragonflies of Alba');
    assert.equal(scoreOf(name, 'dragxnf'), SCORE.similarStartByOne);
    assert.equal(scoreOf(name, 'drxgxnf'), null, '7 characters, two slips');
    assert.equal(scoreOf(name, 'drxgxnfl'), SCORE.similarStartByTwo, '8 characters, two slips');
    assert.equal(scoreOf(name, 'drxgxnxl'), null, '8 characters, three slips');
    const inside = card('Alba Dragonflies');
    assert.equal(scoreOf(inside, 'dragxnf'), SCORE.similarWordByOne);
    assert.equal(scoreOf(inside, 'drxgxnf'), null);
    assert.equal(scoreOf(inside, 'drxgxnfl'), SCORE.similarWordByTwo);
    assert.equal(scoreOf(inside, 'drxgxnxl'), null);
    assert.equal(scoreOf(inside, 'ragxnflies'), SCORE.similarWordByTwo, 'a letter left out first');
    assert.equal(scoreOf(card('Albadragonflies'), 'dragxnflies'), null, 'no word starts there');
  });

  it('a text with a typo needs five Latin letters or four other letters, and its digits must be exact', () => {
    assert.equal(scoreOf(card('Dragon'), 'drxg'), null);
    assert.equal(scoreOf(card('Dragon'), 'drxgo'), SCORE.similarStartByOne);
    assert.equal(scoreOf(card('キツネコダマ'), 'キタネ'), null);
    assert.equal(scoreOf(card('キツネコダマ'), 'キタネコ'), SCORE.similarStartByOne);
    assert.equal(scoreOf(card('10000 Dragons'), '10900'), null);
  });

  it('typos are allowed in each of several words, and the other words must match the card', () => {
    const fox = card('Sleepy Dragon of Alba', {
      setCode: 'HT01',
      setNameEn: 'Awakening Stars',
      cardNumber: '016',
    });
    for (const [text, tier] of [
      ['alba dragn', SCORE.termsSimilar],
      ['alba dragn sleppy', SCORE.termsSimilar],
      ['dragn HT01', SCORE.termsSimilar],
      ['dragn awakening', SCORE.termsSimilar],
      ['dragn 016', SCORE.termsSimilar],
      ['alba drgn', null],
      ['alba dxgxn', null],
      ['dragn HT02', null],
      ['dragn 017', null],
      ['dragn whale', null],
    ] as const) {
      assert.equal(scoreOf(fox, text), tier, text);
    }
  });

  it('typos in parts rank after typos in whole names: fewer typos first, beginnings before words', () => {
    const ranked = [
      'Dragonfly',
      'Dragonflz',
      'Dragonfly Alba',
      'Alba Dragonfly',
      'Dragonflz Alba',
      'Alba Dragonflz',
    ];
    assert.deepEqual(similarTo('dragomfly', ...ranked.toReversed()), ranked);
  });
});

/** Generates names of sample cards with reordered, omitted and misspelled words. */
const slippedNames = fc
  .tuple(
    fc.constantFrom(...demoNames.values()),
    fc.array(fc.nat(40), { maxLength: 3 }),
    fc.boolean(),
    fc.nat(2),
  )
  .map(([name, places, isReversed, dropped]) => {
    const words = name.split(' ').slice(dropped);
    const text = (isReversed ? words.toReversed() : words).join(' ');
    return places.reduce((slipped, at) => `${slipped.slice(0, at)}x${slipped.slice(at + 1)}`, text);
  });

describe('similar names from a base with a layer', () => {
  it('similar names from a base with a layer have the same scores as from one index', () => {
    const isNewer = fc.array(fc.boolean(), {
      minLength: demoCards.length,
      maxLength: demoCards.length,
    });
    const texts = fc.array(slippedNames, { minLength: 20, maxLength: 20 });
    let found = 0;
    fc.assert(
      fc.property(isNewer, texts, (newer, asked) => {
        const index = SearchIndex.build(demoCards.filter((_, at) => newer[at] !== true));
        const cards = demoCards.filter((_, at) => newer[at]);
        index.apply(
          cards.map(({ id }) => id),
          cards,
        );
        for (const text of asked) {
          const all = hitsOf(demoIndex, text);
          found += all.length;
          const scores = (hits: readonly Hit[]): unknown =>
            hits.map(({ score, text: of }) => [score, of]);
          assert.deepEqual(scores(hitsOf(index, text)), scores(all), text);
        }
      }),
      { numRuns: 8 },
    );
    assert.ok(found > 0);
  });
});

describe('edit distance', () => {
  it('an inserted, deleted, replaced or transposed letter counts as one typo', () => {
    assert.equal(editDistance('dragon', 'dragon', 2), 0);
    for (const slip of ['dragoon', 'dagon', 'dragan', 'drgaon']) {
      assert.equal(editDistance('dragon', slip, 2), 1, slip);
      assert.equal(editDistance(slip, 'dragon', 2), 1, slip);
    }
    assert.equal(editDistance('dragon', 'drago', 0), 1);
    assert.equal(editDistance('dragon', 'tiger', 2), 3);
    assert.equal(editDistance('', 'ab', 2), 2);
  });

  it('the edit distance equals that of the full table, up to its limit', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: 1, max: 2 }), (a, b, max) => {
        assert.equal(editDistance(a, b, max), Math.min(wholeDistance(a, b), max + 1));
      }),
      { numRuns: 2_000 },
    );
  });

  it('the edit distance of a prefix is the distance to the nearest beginning of the name', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
    const anySlips = fc.integer({ min: 1, max: 2 });
    fc.assert(
      fc.property(letters, letters, fc.nat(10), anySlips, (a, b, at, max) => {
        const rest = b.slice(Math.min(at, b.length));
        const all = Array.from({ length: rest.length + 1 }, (_, end) =>
          wholeDistance(a, rest.slice(0, end)),
        );
        const found = editDistanceToStart(a, b, Math.min(at, b.length), max);
        assert.equal(found, Math.min(...all, max + 1));
      }),
      { numRuns: 2_000 },
    );
  });

  function wholeDistance(a: string, b: string): number {
    const table = Array.from({ length: a.length + 1 }, (_, i) =>
      Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : i)),
    );
    for (let i = 1; i <= a.length; i++) {
      for (let j = 1; j <= b.length; j++) {
        const isSame = a[i - 1] === b[j - 1];
        const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
        const row = table[i] ?? [];
        row[j] = Math.min(
          (table[i - 1]?.[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (table[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (table[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        );
      }
    }
    return table[a.length]?.[b.length] ?? 0;
  }
});
