import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findNames,
  hitsOf,
  scoreOf,
  makeSearchableCard as card,
} from '../../test/searchable-card.ts';
import { isAbbreviation } from './find-matching.ts';
import { nameKeyOf, wordsIn } from './name-key.ts';
import { SCORE } from './score.ts';
import { SearchIndex } from './search-index.ts';

/** The page size of GET /cards (spec 4.8). */
const LIMIT = 25;

describe('the scores of search (4.8)', () => {
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

  for (const [text, score] of [
    ['016/100', SCORE.numberAsTyped],
    ['16/100', SCORE.number],
    ['016', SCORE.numberAsTyped],
    ['16', SCORE.number],
    ['#016', SCORE.numberAsTyped],
    ['HT01-016', SCORE.setAndNumber],
    ['ht01016/100', SCORE.setAndNumber],
    ['ソラキツネex', SCORE.primary.exact],
    ['そら・きつね EX', SCORE.primary.exact],
    ['SKY FOX EX', SCORE.localized.exact],
    ['天空狐', SCORE.localized.exact],
    ['sora kitsune ex', SCORE.sound.exact],
    ['solakituneex', SCORE.sound.exact],
    ['ソラキ', SCORE.primary.prefix],
    ['sky f', SCORE.localized.prefix],
    ['ソーラキツネex', SCORE.loose.exact],
    ['キツネ', SCORE.primary.start],
    ['fox', SCORE.localized.start],
    ['キツネ ソラ', SCORE.terms],
    ['fox sky', SCORE.terms],
    ['ソラキツネex SR', SCORE.terms],
    ['ソラ 星々の目覚め', SCORE.terms],
    ['キツネ awakening', SCORE.terms],
    ['fox ht-01 16', SCORE.terms],
    ['キツネHT01', SCORE.terms],
    ['ツネ', SCORE.primary.inside],
    ['kyfo', SCORE.localized.inside],
    ['02', null],
    ['ソラキツ SR 100', null],
    ['ソーラキツ', SCORE.loose.prefix],
    ['キーツネ', SCORE.loose.start],
    ['ーツネー', SCORE.loose.inside],
    ['sorakitu', SCORE.sound.prefix],
    ['kitsune', SCORE.sound.inside],
    ['HT01', SCORE.setCode],
    ['ht-1', SCORE.setCode],
    ['awakening', SCORE.setName],
    ['星々', SCORE.setName],
    ['016/101', null],
    ['017', null],
    ['犬', null],
  ] as const) {
    it(`a search for “${text}” finds the card with score ${score}`, () =>
      assert.equal(scoreOf(fox, text), score));
  }

  it('a number is found without its region, by its beginning, and with a slash inside', () => {
    assert.equal(
      scoreOf(card('ソラ', { cardNumber: 'HTB-EN001' }), 'htb-001'),
      SCORE.numberOfRegion,
    );
    assert.equal(scoreOf(card('ソラ', { cardNumber: 'HT09-091' }), 'HT09-09'), SCORE.numberStart);
    assert.equal(
      scoreOf(card('ソラ', { cardNumber: 'HT09-009' }), 'HT09-09'),
      SCORE.numberUnfinished,
    );
    assert.equal(
      scoreOf(card('ソラ', { cardNumber: 'HT/W41-003' }), 'ht/w41-003'),
      SCORE.numberAsTyped,
    );
    assert.equal(scoreOf(card('ソラ', { cardNumber: '115/204' }), '115/204'), SCORE.numberAsTyped);
    assert.equal(scoreOf(card('ソラ', { cardNumber: 'HT01-016' }), 'ソラ 016'), SCORE.terms);
  });

  it('punctuation between words is ignored, and a number separated from its total counts as one number', () => {
    const fox = card('Sky Fox - Dancer', { cardNumber: '016', setTotalRaw: '100' });
    for (const text of ['dancer - fox', 'Sky Fox - Dancer 016', 'dancer 16 / 100', 'fox = 016']) {
      assert.ok(scoreOf(fox, text) !== null, text);
    }
    assert.equal(scoreOf(fox, 'dancer 16 / 101'), null);
    const whale = card('青の札－蜜', { cardNumber: 'HTB-JP016', setName: 'Dream Pack Vol.2' });
    assert.equal(scoreOf(whale, '青の札－蜜HTB-JP016'), SCORE.terms);
    assert.equal(scoreOf(whale, '青の札－蜜 Dream Pack Vol.2'), SCORE.terms);
  });

  it('names with the whole Latin word rank before names with longer words that begin with it', () => {
    const names = ['Boltar', 'Storm Bolt', 'Bolt Lancer', 'Thunderbolt'].map((name) => card(name));
    assert.deepEqual(findNames(names, 'bolt'), [
      'Storm Bolt',
      'Bolt Lancer',
      'Boltar',
      'Thunderbolt',
    ]);
  });

  it('a name is found by the beginnings of its words', () => {
    assert.equal(scoreOf(card('クロノ・ソラリス・キツネ'), 'クロソラ'), SCORE.abbreviation);
  });

  it('“and” matches “&” within names, but not alone', () => {
    assert.equal(scoreOf(card('Fox & Whale'), 'fox and whale'), SCORE.terms);
    assert.equal(scoreOf(card('And'), 'and'), SCORE.primary.exact);
  });

  it('the tiers rank as specified', () => {
    const cards = [
      card('夜のソラ'),
      card('ソラ'),
      card('アオソラ'),
      card('ソラリス'),
      card('Sky', { localizedNames: { ja: 'ソラ' } }),
    ];
    assert.deepEqual(findNames(cards, 'ソラ'), ['ソラ', 'Sky', 'ソラリス', '夜のソラ', 'アオソラ']);
  });

  it('ties rank by the shorter name, then set code, number in natural order, and id', () => {
    const [a, b] = [card('ソラ', { setCode: 'B' }), card('ソラ', { setCode: 'B' })];
    const cards = [
      card('ソラリスの海'),
      b,
      card('ソラ', { setCode: 'A', cardNumber: '10' }),
      a,
      card('ソラリス'),
      card('ソラ', { setCode: 'A', cardNumber: '2' }),
    ];
    const found = SearchIndex.build(cards).find('ソラ', LIMIT);
    const ids = [cards[5], cards[2], a, b, cards[4], cards[0]].map((each) => each?.id);
    assert.deepEqual(found, ids);
  });

  it('each card is found once, in its best tier', () => {
    const only = card('ソラ', { localizedNames: { ja: 'ソラ', en: 'ソラ', ko: 'ソラリス' } });
    const hits = hitsOf(SearchIndex.build([only]), 'ソラ');
    assert.deepEqual(
      hits.map(({ score }) => score),
      [SCORE.primary.exact],
    );
  });

  it('a blank text finds nothing, and a name that consists of punctuation is found', () => {
    const cards = [card('？'), card('ソラ')];
    for (const blank of ['', '  ', '\u3000', '\u200b']) {
      assert.deepEqual(findNames(cards, blank), []);
    }
    assert.deepEqual(findNames(cards, '?'), ['？']);
    assert.deepEqual(findNames(cards, '!'), []);
  });
});

describe('a number alone (4.8)', () => {
  it('a number alone finds longer numbers that end in its digits, after all better matches', () => {
    const far = card('ソラ', { cardNumber: 'HT01-016' });
    for (const text of ['016', '16', '#016', 'No.16']) {
      assert.equal(scoreOf(far, text), SCORE.numberEnd, text);
    }
    for (const text of ['6', '1', '116', '0161', 'a016']) assert.equal(scoreOf(far, text), null);
    const total = card('ソラ', { cardNumber: 'HT01-016', setTotalRaw: '100' });
    assert.equal(scoreOf(total, '16/100'), SCORE.numberEnd);
    assert.equal(scoreOf(total, '16/101'), null);
    const cards = [
      card('終', { cardNumber: 'HT10-016' }),
      card('次', { cardNumber: 'HT2-016' }),
      card('集', { setName: '016 Best' }),
      card('始', { cardNumber: '0161' }),
      card('名 016'),
      card('同', { cardNumber: '16' }),
      card('正', { cardNumber: '016' }),
      card('他', { cardNumber: 'HT10-017' }),
    ];
    assert.deepEqual(findNames(cards, '016'), ['正', '同', '名 016', '始', '集', '次', '終']);
    const many = Array.from({ length: 3_000 }, (_, n) => card('山', { cardNumber: `S${n}-016` }));
    assert.equal(findNames(many, '016').length, LIMIT);
  });

  it('a number with a slash is found by its part after the slash, but not by a part of a word', () => {
    const far = card('ソラ', { cardNumber: 'HT/KP01-JP001' });
    for (const text of ['KP01-JP001', 'kp01jp001', 'KP1-JP1']) {
      assert.equal(findNames([far], text).length, 1, text);
    }
    assert.deepEqual(findNames([far], 'P01-JP001'), []);
  });

  it('numbers with the zeros as typed rank first, and a dash before a total counts as a slash', () => {
    const cards = [
      card('短', { cardNumber: '25', setTotalRaw: '165' }),
      card('長', { cardNumber: '025', setTotalRaw: '165' }),
    ];
    const index = SearchIndex.build(cards);
    const [short, long] = cards.map(({ id }) => id);
    for (const text of ['025/165', '025-165', '０２５－１６５']) {
      assert.deepEqual(index.find(text, LIMIT), [long, short], text);
    }
    assert.deepEqual(index.find('25/165', LIMIT), [short, long]);
    assert.deepEqual(index.find('025-166', LIMIT), []);
  });
});

describe('abbreviations of names', () => {
  function isShortFor(short: string, name: string): boolean {
    const { key, wordStarts } = nameKeyOf(name);
    return isAbbreviation(nameKeyOf(short).key, wordsIn(key, wordStarts));
  }

  it('abbreviations are the beginnings of consecutive words', () => {
    assert.ok(isShortFor('クロソラキツ', 'クロノ・ソラリス・キツネ'));
    assert.ok(isShortFor('クロソラキツネ', 'クロノ・ソラリス・キツネ'));
    assert.ok(isShortFor('クロソラ', 'クロノ・ソラリス・キツネ'));
    assert.ok(isShortFor('黒竜', '黒き竜'));
    assert.ok(isShortFor('clockfox', 'Clockwork Fox'));
  });

  it('abbreviations contain no gaps, no middles of words and no single letters', () => {
    assert.ok(!isShortFor('クロキツ', 'クロノ・ソラリス・キツネ'));
    assert.ok(!isShortFor('ロノソラ', 'クロノ・ソラリス・キツネ'));
    assert.ok(!isShortFor('クソキ', 'クロノ・ソラリス・キツネ'));
    assert.ok(!isShortFor('クロノ', 'クロノ・ソラリス・キツネ'), 'one word: that is a prefix');
    assert.ok(!isShortFor('クロソラキツネコ', 'クロノ・ソラリス・キツネ'));
  });
});
