import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KANJI_VARIANTS } from './kanji-variants.ts';
import { looseKeyOf } from './loose-key.ts';
import { nameKeyOf } from './name-key.ts';
import {
  isSearchableAsSubstring,
  phoneticQueryKeyOf,
  phoneticKeyOfKana,
  phoneticKeyOfLatin,
} from './phonetic-key.ts';

function looseOf(text: string): string {
  return looseKeyOf(nameKeyOf(text).key);
}

describe('spelling keys', () => {
  it('are equal for spellings that Japanese writers interchange', () => {
    for (const [one, other] of [
      ['ヴァイオリン', 'バイオリン'],
      ['ヴィーナス', 'ビーナス'],
      ['ラヴ', 'ラブ'],
      ['ヴェール', 'ベール'],
      ['ヴォルト', 'ボルト'],
      ['フアイヤー', 'ファイヤー'],
      ['キヤツト', 'キャット'],
      ['リュックサック', 'リユツクサツク'],
      ['三ヶ月', '三ケ月'],
      ['ソーラー', 'ソラ'],
      ['つづく', 'つずく'],
      ['青竜', '青龍'],
      ['青竜', '青龙'],
      ['聖剣', '聖劍'],
      ['聖剑', '聖劔'],
      ['鉄の国', '鐵の國'],
    ] as const) {
      assert.equal(looseOf(one), looseOf(other), `${one}, ${other}`);
      assert.notEqual(nameKeyOf(one).key, nameKeyOf(other).key, 'the key itself tells them apart');
    }
  });

  it('differ for another sound or meaning', () => {
    for (const [one, other] of [
      ['ガ', 'カ'],
      ['バ', 'パ'],
      ['竜', '虎'],
      ['ソラ', 'ソロ'],
    ] as const) {
      assert.notEqual(looseOf(one), looseOf(other));
    }
    assert.equal(looseOf('Sky Fox'), 'skyfox');
  });

  it('map each form of a kanji to one that is not mapped further', () => {
    for (const [other, today] of KANJI_VARIANTS) {
      assert.equal([...other].length, 1);
      assert.equal(KANJI_VARIANTS.get(today), undefined, `${other} → ${today}`);
      assert.equal(other.normalize('NFKC'), other, 'the folding before has not replaced it');
    }
  });
});

describe('the phonetic form of a name', () => {
  function isHeard(kana: string, ...typed: readonly string[]): void {
    const phonetic = phoneticKeyOfKana(nameKeyOf(kana).key);
    assert.ok(phonetic !== null && phonetic !== '', kana);
    for (const latin of typed) {
      assert.equal(phoneticKeyOfLatin(latin), phonetic, `${kana}: ${latin}`);
    }
  }

  it('is the same in Hepburn, Kunrei and keyboard romaji', () => {
    isHeard('シノビ', 'shinobi', 'sinobi');
    isHeard('ツキ', 'tsuki', 'tuki');
    isHeard('フジ', 'fuji', 'huzi', 'huji');
    isHeard('チャカ', 'chaka', 'tyaka');
    isHeard('ショウ', 'shou', 'sho', 'syou', 'shoo');
    isHeard('ジャム', 'jamu', 'zyamu', 'jyamu');
    isHeard('シンブン', 'shinbun', 'shimbun', 'sinbun');
    isHeard('マッチャ', 'matcha', 'maccha', 'mattya');
    isHeard('カード', 'kaado', 'kado');
    isHeard('ソラ', 'sora', 'sola');
  });

  it('covers the kana of foreign words', () => {
    isHeard('ヴァイス', 'vaisu', 'baisu');
    isHeard('ティナ', 'tina');
    isHeard('ファウスト', 'fausuto');
    isHeard('ウィル', 'wiru', 'wilu');
    isHeard('ジェット', 'jetto', 'zyeto');
    isHeard('チェス', 'chesu');
    isHeard('ディーヴァ', 'diva', 'diiva');
    isHeard('フォルテ', 'forute');
    isHeard('シェル', 'sheru');
  });

  it('is empty for a repeated letter, which would sound like one letter', () => {
    for (const typed of ['aa', 'zz', 'aaaa', 'a'.repeat(150)]) {
      assert.equal(phoneticQueryKeyOf(typed), null, typed);
    }
    for (const [typed, phonetic] of [
      ['kaado', 'kado'],
      ['ookami', 'okami'],
      ['mattya', 'matya'],
      ['ou', 'o'],
      ['a', 'a'],
      ['soraiii', 'sorai'],
    ] as const) {
      assert.equal(phoneticQueryKeyOf(typed), phonetic);
    }
    assert.equal(phoneticKeyOfKana(nameKeyOf('おおおかみ').key), 'okami', 'a name may have it');
    assert.deepEqual(['', 'o', 'ok'].map(isSearchableAsSubstring), [false, false, true]);
  });

  it('keeps Latin letters within kana, and is empty for kanji or other scripts', () => {
    isHeard('ソラex', 'soraex');
    assert.equal(phoneticKeyOfKana('青竜'), null);
    assert.equal(phoneticKeyOfKana('sora'), null);
    assert.equal(phoneticKeyOfLatin('ソラ'), null);
    assert.equal(phoneticKeyOfLatin('123'), null);
  });
});
