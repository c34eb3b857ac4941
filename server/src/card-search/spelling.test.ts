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

describe('loose keys', () => {
  it('make one of the spellings that Japanese writers are not sure of', () => {
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

  it('keep apart what sounds or means something else', () => {
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

  it('lead each form of a kanji to one that leads nowhere else', () => {
    for (const [other, today] of KANJI_VARIANTS) {
      assert.equal([...other].length, 1);
      assert.equal(KANJI_VARIANTS.get(today), undefined, `${other} → ${today}`);
      assert.equal(other.normalize('NFKC'), other, 'the folding before has not replaced it');
    }
  });
});

describe('how a name sounds', () => {
  function isHeard(kana: string, ...typed: readonly string[]): void {
    const phonetic = phoneticKeyOfKana(nameKeyOf(kana).key);
    assert.ok(phonetic !== null && phonetic !== '', kana);
    for (const latin of typed) {
      assert.equal(phoneticKeyOfLatin(latin), phonetic, `${kana}: ${latin}`);
    }
  }

  it('is one in Hepburn, in Kunrei and on a keyboard', () => {
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

  it('knows the kana that only foreign words have', () => {
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

  it('is none of a letter typed again and again, which would be one letter to the ear', () => {
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

  it('keeps Latin letters within kana, and is none for kanji or other scripts', () => {
    isHeard('ソラex', 'soraex');
    assert.equal(phoneticKeyOfKana('青竜'), null);
    assert.equal(phoneticKeyOfKana('sora'), null);
    assert.equal(phoneticKeyOfLatin('ソラ'), null);
    assert.equal(phoneticKeyOfLatin('123'), null);
  });
});
