import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findNames, makeSearchableCard as card } from '../../test/searchable-card.ts';
import { looseKeyOf, nameKeyOf } from './name-key.ts';
import { soundOfKana, soundOfLatin, soundOfQuery } from './romaji.ts';

function looseOf(text: string): string {
  return looseKeyOf(nameKeyOf(text).key);
}

describe('spelling keys', () => {
  it('spelling keys are equal for spellings that Japanese writers interchange', () => {
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

  it('spelling keys differ for another sound or meaning', () => {
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

  it('each form of a kanji is mapped to a form that is not mapped further', () => {
    const groups = readFileSync(join(import.meta.dirname, 'kanji-variants.txt'), 'utf8').split(
      /\s+/,
    );
    const firsts = groups.map((group) => group.charAt(0));
    for (const [today = '', ...others] of groups) {
      for (const other of others) {
        assert.equal(looseKeyOf(other), today);
        assert.ok(!firsts.includes(other), `${other} → ${today}`);
        assert.equal(other.normalize('NFKC'), other, 'the folding before has not replaced it');
      }
    }
  });
});

describe('the phonetic form of a name', () => {
  function isHeard(kana: string, ...typed: readonly string[]): void {
    const phonetic = soundOfKana(nameKeyOf(kana).key);
    assert.notEqual(phonetic, '', kana);
    for (const latin of typed) {
      assert.equal(soundOfLatin(latin), phonetic, `${kana}: ${latin}`);
    }
  }

  it('the phonetic form is the same in Hepburn, Kunrei and keyboard romaji', () => {
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

  it('the phonetic form covers the kana of foreign words', () => {
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

  it('the phonetic form is empty for a repeated letter, which would sound like one letter', () => {
    for (const typed of ['aa', 'zz', 'aaaa', 'a'.repeat(150)]) {
      assert.equal(soundOfQuery(typed), '', typed);
    }
    for (const [typed, phonetic] of [
      ['kaado', 'kado'],
      ['ookami', 'okami'],
      ['mattya', 'matya'],
      ['ou', 'o'],
      ['a', 'a'],
      ['soraiii', 'sorai'],
    ] as const) {
      assert.equal(soundOfQuery(typed), phonetic);
    }
    assert.equal(soundOfKana(nameKeyOf('おおおかみ').key), 'okami', 'a name may have it');
  });

  it('the phonetic form keeps Latin letters within kana, and is empty for kanji or other scripts', () => {
    isHeard('ソラex', 'soraex');
    assert.equal(soundOfKana('青竜'), '');
    assert.equal(soundOfKana('sora'), '');
    assert.equal(soundOfLatin('ソラ'), '');
    assert.equal(soundOfLatin('123'), '');
  });
});

describe('phonetic keys (4.8)', () => {
  it('a repeated letter finds nothing', () => {
    const cards = [card('ザクロ'), card('アオソラ'), card('オオカミ'), card('カード')];
    for (const text of ['zz', 'aaaa', 'a'.repeat(150), 'oooo', 'aaaa zz', 'zzz kado']) {
      assert.deepEqual(findNames(cards, text), [], text);
    }
    // A single letter finds only names with a sound that begins with it.
    assert.deepEqual(findNames(cards, 'z'), ['ザクロ']);
    assert.deepEqual(findNames(cards, 'o'), ['オオカミ']);
    assert.deepEqual(findNames(cards, 'ookam'), ['オオカミ']);
    assert.deepEqual(findNames(cards, 'kaado'), ['カード']);
  });
});
