import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { fold, FOLDED_MAX } from './fold.ts';
import { nameKeyOf, scriptPartsOf, wordsOf } from './name-key.ts';

function keyOf(text: string): string {
  return nameKeyOf(text).key;
}

describe('folding', () => {
  it('folding ignores width, case, accents and the difference between kana', () => {
    for (const [text, key] of [
      ['ＡＢＣ１２', 'abc12'],
      ['ｶﾞﾝﾊﾞ', 'がんば'],
      ['ガンバ', 'がんば'],
      ['Ünïcödé', 'unicode'],
      ['ÉÀÇ', 'eac'],
      ['Straße', 'strasse'],
      ['Ærø', 'aero'],
      ['Łódź', 'lodz'],
      ['DIŞ ılık', 'disilik'],
      ['Ⅱ', 'ii'],
      ['①', '1'],
      ['㌔', 'きろ'],
    ] as const) {
      assert.equal(keyOf(text), key, text);
    }
  });

  it('folding keeps the voicing marks of kana, however they are written', () => {
    for (const spelled of ['ガ', 'ｶﾞ', 'カ\u3099', 'か゛', 'が']) assert.equal(keyOf(spelled), 'が');
    assert.equal(keyOf('パ'), 'ぱ');
    assert.equal(keyOf('ハ゜'), 'ぱ');
    assert.notEqual(keyOf('ガ'), keyOf('カ'));
    assert.notEqual(keyOf('パ'), keyOf('バ'));
  });

  it('folding leaves Korean and Thai unchanged', () => {
    assert.equal(keyOf('푸른 용'), '푸른용');
    assert.equal(keyOf('มังกร'), 'มังกร');
  });

  it('folding turns any dash after kana into the long-vowel mark, and drops other dashes', () => {
    for (const dash of '-‐‑‒–—―−－─〜～~ーｰ') {
      assert.equal(keyOf(`リザ${dash}ド`), 'りざーど', dash);
    }
    assert.equal(keyOf('Sky-Fox'), 'skyfox');
    assert.equal(keyOf('蒼－天'), '蒼天');
    assert.equal(keyOf('蒼天 －ソラ'), '蒼天そら');
  });

  it('folding drops punctuation and emoji, and keeps the symbols that distinguish names', () => {
    assert.equal(keyOf("Hal-Mûn's Gate"), 'halmunsgate');
    assert.equal(keyOf('Frost // Flame'), 'frostflame');
    assert.equal(keyOf('A・B＆C「D」'), 'abcd');
    assert.equal(keyOf('竜🔥'), '竜');
    for (const symbol of '☆★♀♂%') assert.equal(keyOf(`ソラ${symbol}`), `そら${symbol}`);
    assert.equal(keyOf('ソラδ'), 'そらδ');
    assert.equal(keyOf('ソラ♀\ufe0f'), 'そら♀');
    assert.notEqual(keyOf('ソラ♀'), keyOf('ソラ♂'));
  });

  it('folding keeps a name that is only punctuation', () => {
    assert.equal(keyOf('？'), '?');
    assert.equal(keyOf(' ! ? '), '!?');
    assert.equal(keyOf(' \u3000 '), '');
  });

  it('folding has bounded output for characters that expand', () => {
    assert.ok(fold('\ufdfa'.repeat(150)).length <= FOLDED_MAX);
    assert.equal(keyOf('ß'.repeat(150)).length, FOLDED_MAX);
  });

  it('folding does not throw and is idempotent, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 150 }), (text) => {
        const { key } = nameKeyOf(text);
        assert.ok(key.isWellFormed());
        assert.equal(nameKeyOf(text.toWellFormed()).key, key);
      }),
    );
    assert.doesNotThrow(() => nameKeyOf('\ud800あ\udc00'));
  });
});

describe('word starts', () => {
  function startsOf(text: string): number[] {
    const { wordStarts } = nameKeyOf(text);
    return Array.from({ length: 32 }, (_, at) => at).filter(
      (at) => ((wordStarts >>> at) & 1) === 1,
    );
  }

  it('word starts are found at spaces and punctuation, except apostrophes', () => {
    assert.deepEqual(startsOf('Sky Fox'), [0, 3]);
    assert.deepEqual(startsOf('ソラ・キツネ'), [0, 2]);
    assert.deepEqual(startsOf("Hal's Gate"), [0, 4]);
  });

  it('word starts are found at changes of script, but hiragana after kanji or katakana is an ending', () => {
    assert.deepEqual(startsOf('わるいソラex'), [0, 3, 5]);
    assert.deepEqual(startsOf('眠れる竜'), [0, 3]);
    assert.deepEqual(startsOf('ソラー'), [0]);
  });

  it('word starts are stored for the first 32 positions', () => {
    assert.equal(nameKeyOf(`${'a'.repeat(31)} b`).wordStarts >>> 31, 1);
    assert.equal(nameKeyOf(`${'a'.repeat(32)} b`).wordStarts, 1);
  });
});

describe('words and parts of a text', () => {
  it('words are separated by spaces and punctuation', () => {
    assert.deepEqual(wordsOf("Hal-Mûn's  ゲート!"), ['hal', 'muns', 'げーと']);
    assert.deepEqual(wordsOf(' ・ '), []);
  });

  it('each part of a text is either Japanese, or letters and digits', () => {
    assert.deepEqual(scriptPartsOf('ソラHT01-016'), ['ソラ', 'ht01-016']);
    assert.deepEqual(scriptPartsOf('青竜・ソラ'), ['青竜・ソラ']);
  });
});
