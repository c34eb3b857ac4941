import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  findNames,
  makeSearchableCard as card,
  toSearchableCard,
  tierOf,
} from '../../test/searchable-card.ts';
import { makeCards } from '../demo/cards.ts';
import {
  CardIndex,
  compareHits,
  type Hit,
  parseQuery,
  type SearchableCard,
  wantsSimilar,
} from './card-index.ts';
import { anyCharacter } from '../../test/any-character.ts';
import { TIER } from './tier.ts';

/** The page size of GET /cards (spec 4.8). */
const LIMIT = 25;

const demoCards: readonly SearchableCard[] = makeCards().map(({ of }) => toSearchableCard(of));
const demoIndex = CardIndex.build(demoCards);

describe('the tiers of search (4.8)', () => {
  const fox = card('ソラ・キツネex', {
    localizedNames: { en: 'Sky Fox ex', 'zh-cn': '天空狐', 'ja-Hrkt': 'ソラキツネイーエックス' },
    cardNumber: '016',
    setTotalRaw: '100',
    setCode: 'HT01',
    setName: '星々の目覚め',
    setNameEn: 'Awakening Stars',
    rarityCode: 'SR',
    rarityName: 'Super Rare',
  });

  for (const [text, tier] of [
    ['016/100', TIER.numberAsTypedWithTotal],
    ['16/100', TIER.numberWithTotal],
    ['016', TIER.numberAsTyped],
    ['16', TIER.number],
    ['#016', TIER.numberAsTyped],
    ['HT01-016', TIER.setAndNumber],
    ['ht01016/100', TIER.setAndNumber],
    ['ソラキツネex', TIER.exactPrimary],
    ['そら・きつね EX', TIER.exactPrimary],
    ['SKY FOX EX', TIER.exactLocalized],
    ['天空狐', TIER.exactLocalized],
    ['sora kitsune ex', TIER.exactPhonetic],
    ['solakituneex', TIER.exactPhonetic],
    ['ソラキ', TIER.prefixPrimary],
    ['sky f', TIER.prefixLocalized],
    ['ソーラキツネex', TIER.exactLoose],
    ['キツネ', TIER.wordStartPrimary],
    ['fox', TIER.wordStartLocalized],
    ['キツネ ソラ', TIER.terms],
    ['fox sky', TIER.terms],
    ['ソラキツネex SR', TIER.terms],
    ['ソラ 星々の目覚め', TIER.terms],
    ['キツネ awakening', TIER.terms],
    ['fox ht-01 16', TIER.terms],
    ['キツネHT01', TIER.terms],
    ['ツネ', TIER.substringPrimary],
    ['kyfo', TIER.substringLocalized],
    ['02', null],
    ['ソラキツ SR 100', null],
    ['ソーラキツ', TIER.prefixLoose],
    ['キーツネ', TIER.wordStartLoose],
    ['ーツネー', TIER.substringLoose],
    ['sorakitu', TIER.prefixPhonetic],
    ['kitsune', TIER.substringPhonetic],
    ['HT01', TIER.setCode],
    ['ht-1', TIER.setCode],
    ['awakening', TIER.setName],
    ['星々', TIER.setName],
    ['016/101', null],
    ['017', null],
    ['犬', null],
  ] as const) {
    const name = Object.entries(TIER).find(([, each]) => each === tier)?.[0] ?? 'not at all';
    it(`finds the card for “${text}”: ${name}`, () => assert.equal(tierOf(fox, text), tier));
  }

  it('finds a number without its region, by its beginning, and with a slash inside', () => {
    assert.equal(tierOf(card('ソラ', { cardNumber: 'HTB-EN001' }), 'htb-001'), TIER.numberOfRegion);
    assert.equal(tierOf(card('ソラ', { cardNumber: 'HT09-091' }), 'HT09-09'), TIER.numberPrefix);
    assert.equal(
      tierOf(card('ソラ', { cardNumber: 'HT09-009' }), 'HT09-09'),
      TIER.numberUnfinished,
    );
    assert.equal(
      tierOf(card('ソラ', { cardNumber: 'HT/W41-003' }), 'ht/w41-003'),
      TIER.numberAsTyped,
    );
    assert.equal(tierOf(card('ソラ', { cardNumber: '115/204' }), '115/204'), TIER.numberAsTyped);
    assert.equal(tierOf(card('ソラ', { cardNumber: 'HT01-016' }), 'ソラ 016'), TIER.terms);
  });

  it('ignores punctuation between words, and reads a number apart from its total as one', () => {
    const fox = card('Sky Fox - Dancer', { cardNumber: '016', setTotalRaw: '100' });
    for (const text of ['dancer - fox', 'Sky Fox - Dancer 016', 'dancer 16 / 100', 'fox = 016']) {
      assert.ok(CardIndex.build([fox]).find(parseQuery(text), LIMIT).length === 1, text);
    }
    assert.equal(tierOf(fox, 'dancer 16 / 101'), null);
    const whale = card('青の札－蜜', { cardNumber: 'HTB-JP016', setName: 'Dream Pack Vol.2' });
    assert.equal(tierOf(whale, '青の札－蜜HTB-JP016'), TIER.terms);
    assert.equal(tierOf(whale, '青の札－蜜 Dream Pack Vol.2'), TIER.terms);
  });

  it('shows a whole Latin word of a name before longer words that begin so', () => {
    const names = ['Boltar', 'Storm Bolt', 'Bolt Lancer', 'Thunderbolt'].map((name) => card(name));
    assert.deepEqual(findNames(names, 'bolt'), [
      'Storm Bolt',
      'Bolt Lancer',
      'Boltar',
      'Thunderbolt',
    ]);
  });

  it('finds a name by the beginnings of its words', () => {
    assert.equal(tierOf(card('クロノ・ソラリス・キツネ'), 'クロソラ'), TIER.abbreviation);
  });

  it('treats “and” as “&” within names, but not alone', () => {
    assert.equal(tierOf(card('Fox & Whale'), 'fox and whale'), TIER.terms);
    assert.equal(tierOf(card('And'), 'and'), TIER.exactPrimary);
  });

  it('ranks the tiers as specified', () => {
    const cards = [
      card('夜のソラ'),
      card('ソラ'),
      card('アオソラ'),
      card('ソラリス'),
      card('Sky', { localizedNames: { ja: 'ソラ' } }),
    ];
    assert.deepEqual(findNames(cards, 'ソラ'), ['ソラ', 'Sky', 'ソラリス', '夜のソラ', 'アオソラ']);
  });

  it('ranks ties by the shorter name, then set code, number in natural order, id', () => {
    const [a, b] = [card('ソラ', { setCode: 'B' }), card('ソラ', { setCode: 'B' })];
    const cards = [
      card('ソラリスの海'),
      b,
      card('ソラ', { setCode: 'A', cardNumber: '10' }),
      a,
      card('ソラリス'),
      card('ソラ', { setCode: 'A', cardNumber: '2' }),
    ];
    const found = CardIndex.build(cards).find(parseQuery('ソラ'), LIMIT);
    const ids = [cards[5], cards[2], a, b, cards[4], cards[0]].map((each) => each?.id);
    assert.deepEqual(
      found.map(({ id }) => id),
      ids,
    );
  });

  it('finds each card once, in its best tier', () => {
    const only = card('ソラ', { localizedNames: { ja: 'ソラ', en: 'ソラ', ko: 'ソラリス' } });
    const found = CardIndex.build([only]).find(parseQuery('ソラ'), LIMIT);
    assert.deepEqual(
      found.map(({ rank }) => rank.tier),
      [TIER.exactPrimary],
    );
  });

  it('finds nothing for a blank text, and finds a name that is punctuation', () => {
    const cards = [card('？'), card('ソラ')];
    for (const blank of ['', '  ', '\u3000', '\u200b']) {
      assert.deepEqual(findNames(cards, blank), []);
    }
    assert.deepEqual(findNames(cards, '?'), ['？']);
    assert.deepEqual(findNames(cards, '!'), []);
  });

  it('refuses a card whose id is not a uuid: the catalog has none', () => {
    assert.throws(() => CardIndex.build([card('ソラ', { id: 'x' })]), TypeError);
  });
});

describe('similar names', () => {
  function similarTo(text: string, ...names: readonly string[]): string[] {
    const cards = names.map((name) => card(name));
    const nameOf = new Map(cards.map(({ id, name }) => [id, name]));
    return CardIndex.build(cards)
      .findSimilar(parseQuery(text), LIMIT)
      .map(({ id }) => nameOf.get(id) ?? '');
  }

  it('allow one typo below 8 characters and two from there, and rank fewer first', () => {
    assert.deepEqual(similarTo('drgaon', 'Dragon', 'Dagger'), ['Dragon']);
    assert.deepEqual(similarTo('drgano', 'Dragon'), []);
    assert.deepEqual(similarTo('dragxy', 'Dragon'), []);
    assert.deepEqual(similarTo('OP99', 'ホップ'), []);
    assert.deepEqual(similarTo('dragonfx', 'Dragonfly', 'Dragonf'), ['Dragonf', 'Dragonfly']);
    assert.deepEqual(similarTo('drogenfly', 'Dragonfly'), ['Dragonfly']);
    assert.deepEqual(similarTo('drogenfle', 'Dragonfly'), []);
  });

  it('allow none in fewer than 4 characters', () => {
    assert.deepEqual(similarTo('sox', 'Fox'), []);
  });

  it('find typos in romaji and across spelling variants', () => {
    assert.deepEqual(similarTo('kitsumeko', 'キツネコ'), ['キツネコ']);
    assert.deepEqual(similarTo('ハイオリンダ', 'ヴァイオリンダ'), ['ヴァイオリンダ']);
  });

  it('are used if nothing else was found, or only phonetic matches', () => {
    assert.equal(wantsSimilar([]), true);
    const cards = [card('ヒポポタス'), card('Hippopotas')];
    const index = CardIndex.build(cards);
    const bySound = index.find(parseQuery('hipoppotas'), LIMIT);
    assert.deepEqual(
      bySound.map(({ id }) => id),
      [cards[0]?.id],
    );
    assert.equal(wantsSimilar(bySound), true);
    const similar = index.findSimilar(parseQuery('hipoppotas'), LIMIT);
    assert.ok(similar.some(({ id }) => id === cards[1]?.id));
    assert.equal(wantsSimilar(index.find(parseQuery('hippopotas'), LIMIT)), false);
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
  it('returns at most the limit, no hidden card, none twice, in order, and never throws', () => {
    fc.assert(
      fc.property(anyQuery, fc.integer({ min: 1, max: LIMIT }), fc.nat(7), (text, limit, rest) => {
        const query = parseQuery(text);
        const isHidden = (id: string): boolean => Number.parseInt(id.slice(-1), 16) % 8 === rest;
        const found = demoIndex.find(query, limit, isHidden);
        for (const hits of [found, demoIndex.findSimilar(query, limit, isHidden)]) {
          assert.ok(hits.length <= limit);
          assert.ok(hits.every(({ id }) => !isHidden(id)));
          assert.equal(new Set(hits.map(({ id }) => id)).size, hits.length);
          assert.deepEqual(hits.toSorted(compareHits), hits);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('finds each card by its exact name, unless more cards than the limit share it', () => {
    const sharing = Map.groupBy(demoCards, ({ name }) => name);
    for (const [name, cards] of sharing) {
      const found = new Set(demoIndex.find(parseQuery(name), LIMIT).map(({ id }) => id));
      const isWhole = cards.every(({ id }) => found.has(id));
      assert.ok(isWhole || cards.length > LIMIT, name);
    }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (name) => {
        fc.pre(name.trim() !== '' && parseQuery(name).whole.key !== '');
        const index = CardIndex.build([...demoCards.slice(0, 5), card(name)]);
        const ids = index.find(parseQuery(name), LIMIT).map(({ id }) => id);
        assert.ok(
          ids.some((id) => id.startsWith('00000000-0000-4000-8000-')),
          name,
        );
      }),
    );
  });

  it('gives the same result from a base with a newer layer as from one index', () => {
    const isNewer = fc.array(fc.boolean(), {
      minLength: demoCards.length,
      maxLength: demoCards.length,
    });
    const renamed = (each: SearchableCard): SearchableCard => ({
      ...each,
      name: `${each.name}改`,
      cardNumber: `${each.cardNumber ?? ''}a`,
    });
    fc.assert(
      fc.property(isNewer, fc.array(anyQuery, { minLength: 20, maxLength: 20 }), (newer, texts) => {
        // The base index still has the previous texts of the changed cards.
        const delta = demoCards.filter((_, at) => newer[at]);
        const older = delta.map(renamed);
        const base = CardIndex.build([
          ...older,
          ...demoCards.filter((_, at) => newer[at] !== true),
        ]);
        const layer = CardIndex.build(delta);
        const hidden = new Set(delta.map(({ id }) => id));
        for (const text of texts) {
          const query = parseQuery(text);
          const merged = (
            ask: (index: CardIndex, isHidden?: (id: string) => boolean) => Hit[],
          ): Hit[] =>
            [...ask(base, (id) => hidden.has(id)), ...ask(layer)]
              .toSorted(compareHits)
              .slice(0, LIMIT);
          assert.deepEqual(
            merged((index, isHidden) => index.find(query, LIMIT, isHidden)),
            demoIndex.find(query, LIMIT),
            text,
          );
          assert.deepEqual(
            merged((index, isHidden) => index.findSimilar(query, LIMIT, isHidden)),
            demoIndex.findSimilar(query, LIMIT),
            text,
          );
        }
      }),
      { numRuns: 10 },
    );
  });

  it('does not depend on the order of the cards', () => {
    const backwards = CardIndex.build(demoCards.toReversed());
    fc.assert(
      fc.property(anyQuery, (text) => {
        const query = parseQuery(text);
        assert.deepEqual(backwards.find(query, LIMIT), demoIndex.find(query, LIMIT));
      }),
    );
  });

  it('gives the same after the index was sent to a thread', () => {
    const query = parseQuery('ソラ HT01-016/100');
    assert.deepEqual(structuredClone(query), query);
    const hits = demoIndex.find(parseQuery('HT01'), 3);
    assert.deepEqual(structuredClone(hits), hits);
  });
});

describe('an index', () => {
  it('may be empty', () => {
    const index = CardIndex.build([]);
    assert.equal(index.size, 0);
    assert.deepEqual(index.find(parseQuery('ソラ 1/2'), LIMIT), []);
    assert.deepEqual(index.findSimilar(parseQuery('ソラソラ'), LIMIT), []);
  });

  it('contains the cards that it was built from', () => {
    assert.equal(demoIndex.size, demoCards.length);
  });
});
