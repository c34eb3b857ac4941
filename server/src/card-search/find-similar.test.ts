import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { makeSearchableCard as card, toSearchableCard } from '../../test/searchable-card.ts';
import { makeCards } from '../demo/cards.ts';
import {
  CardIndex,
  compareHits,
  type Hit,
  parseQuery,
  type SearchableCard,
  wantsSimilar,
} from './card-index.ts';
import { TIER } from './tier.ts';

/** The page size of GET /cards (spec 4.8). */
const LIMIT = 25;

const demoCards: readonly SearchableCard[] = makeCards().map(({ of }) => toSearchableCard(of));
const demoIndex = CardIndex.build(demoCards);
const demoNames = new Map(
  demoCards.map(({ id, name, localizedNames }) => [id, localizedNames['en'] ?? name]),
);

/** Returns the hits for a text, including similar cards if `needsSimilar` asks for them. */
function foundIn(index: CardIndex, text: string): Hit[] {
  const query = parseQuery(text);
  const hits = index.find(query, LIMIT);
  return wantsSimilar(hits) ? [...hits, ...index.findSimilar(query, LIMIT)] : hits;
}

/** Returns the tier in which the index finds its only card as similar, or null if it does not. */
function tierOf(only: SearchableCard, text: string): number | null {
  return CardIndex.build([only]).findSimilar(parseQuery(text), LIMIT)[0]?.rank.tier ?? null;
}

function similarTo(text: string, ...names: readonly string[]): string[] {
  const cards = names.map((name) => card(name));
  const nameOf = new Map(cards.map(({ id, name }) => [id, name]));
  return CardIndex.build(cards)
    .findSimilar(parseQuery(text), LIMIT)
    .map(({ id }) => nameOf.get(id) ?? '');
}

describe('typos in a part of a name', () => {
  it('are found at its beginning, in a word within, and in one of several words', () => {
    for (const [text, name] of [
      ['slumbring giant', /^Slumbering Giant/],
      ['thundring dragon', /^Thundering Dragon/],
      ['Dragn Alba', /Dragon Alba/],
      ['daida slumbring', /^Slumbering Giant Daida/],
      ['daidda slumbring', /^Slumbering Giant Daida/],
    ] as const) {
      const found = foundIn(demoIndex, text);
      assert.ok(found.length > 0, text);
      assert.match(demoNames.get(found[0]?.id ?? '') ?? '', name, text);
    }
  });

  it('are found phonetically at the beginning of a name', () => {
    assert.deepEqual(similarTo('lizardon', 'リザードンex', 'ピカチュウ'), ['リザードンex']);
  });

  it('do not make short or unrelated texts match', () => {
    for (const text of ['zzzz', 'qwerty', 'OP99-999', 'LOB-999', 'xqz', 'zzzz qwerty']) {
      assert.deepEqual(foundIn(demoIndex, text), [], text);
    }
  });

  it('are at most one below 8 characters and two from there', () => {
    const name = card('Dragonflies of Alba');
    assert.equal(tierOf(name, 'dragxnf'), TIER.similarStartByOne);
    assert.equal(tierOf(name, 'drxgxnf'), null, '7 characters, two slips');
    assert.equal(tierOf(name, 'drxgxnfl'), TIER.similarStartByTwo, '8 characters, two slips');
    assert.equal(tierOf(name, 'drxgxnxl'), null, '8 characters, three slips');
    const inside = card('Alba Dragonflies');
    assert.equal(tierOf(inside, 'dragxnf'), TIER.similarWordByOne);
    assert.equal(tierOf(inside, 'drxgxnf'), null);
    assert.equal(tierOf(inside, 'drxgxnfl'), TIER.similarWordByTwo);
    assert.equal(tierOf(inside, 'drxgxnxl'), null);
    assert.equal(tierOf(inside, 'ragxnflies'), TIER.similarWordByTwo, 'a letter left out first');
    assert.equal(tierOf(card('Albadragonflies'), 'dragxnflies'), null, 'no word starts there');
  });

  it('need five Latin letters, or four others; digits must be exact', () => {
    assert.equal(tierOf(card('Dragon'), 'drxg'), null);
    assert.equal(tierOf(card('Dragon'), 'drxgo'), TIER.similarStartByOne);
    assert.equal(tierOf(card('キツネコダマ'), 'キタネ'), null);
    assert.equal(tierOf(card('キツネコダマ'), 'キタネコ'), TIER.similarStartByOne);
    assert.equal(tierOf(card('10000 Dragons'), '10900'), null);
  });

  it('are allowed in each of several words, and the other words must match the card', () => {
    const fox = card('Sleepy Dragon of Alba', {
      setCode: 'HT01',
      setNameEn: 'Awakening Stars',
      cardNumber: '016',
    });
    for (const [text, tier] of [
      ['alba dragn', TIER.similarTermByOne],
      ['alba dragn sleppy', TIER.similarTermByMore],
      ['dragn HT01', TIER.similarTermByOne],
      ['dragn awakening', TIER.similarTermByOne],
      ['dragn 016', TIER.similarTermByOne],
      ['alba drgn', null],
      ['alba dxgxn', null],
      ['dragn HT02', null],
      ['dragn 017', null],
      ['dragn whale', null],
    ] as const) {
      assert.equal(tierOf(fox, text), tier, text);
    }
  });

  it('rank after typos in whole names: fewer first, beginnings before words', () => {
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

describe('similar names from several indexes', () => {
  it('are the same as from one index of all cards (decision 0090)', () => {
    const isNewer = fc.array(fc.boolean(), {
      minLength: demoCards.length,
      maxLength: demoCards.length,
    });
    const texts = fc.array(slippedNames, { minLength: 20, maxLength: 20 });
    let found = 0;
    fc.assert(
      fc.property(isNewer, texts, (newer, asked) => {
        const base = CardIndex.build(demoCards.filter((_, at) => newer[at] !== true));
        const layer = CardIndex.build(demoCards.filter((_, at) => newer[at]));
        for (const text of asked) {
          const query = parseQuery(text);
          const merged = [base, layer]
            .flatMap((index) => index.findSimilar(query, LIMIT))
            .toSorted(compareHits)
            .slice(0, LIMIT);
          const all = demoIndex.findSimilar(query, LIMIT);
          found += all.length;
          assert.deepEqual(merged, all, text);
        }
      }),
      { numRuns: 8 },
    );
    assert.ok(found > 0);
  });
});
