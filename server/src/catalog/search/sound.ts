import { toRomaji } from 'wanakana';

/** Kana pairs that only foreign words have; wanakana spells them by their parts (ティ as teii, ファ as fua). */
const FOREIGN_PAIRS: Readonly<Record<string, string>> = {
  ゔぁ: 'ba',
  ゔぃ: 'bi',
  ゔぇ: 'be',
  ゔぉ: 'bo',
  ゔゅ: 'byu',
  ゔ: 'bu',
  ふぁ: 'fa',
  ふぃ: 'fi',
  ふぇ: 'fe',
  ふぉ: 'fo',
  ふゅ: 'fyu',
  てぃ: 'ti',
  でぃ: 'di',
  てゅ: 'tyu',
  でゅ: 'dyu',
  とぅ: 'tu',
  どぅ: 'du',
  うぃ: 'wi',
  うぇ: 'we',
  うぉ: 'wo',
  いぇ: 'ye',
  しぇ: 'she',
  じぇ: 'je',
  ちぇ: 'che',
  つぁ: 'tsa',
  つぃ: 'tsi',
  つぇ: 'tse',
  つぉ: 'tso',
  くぁ: 'kwa',
  くぃ: 'kwi',
  くぇ: 'kwe',
  くぉ: 'kwo',
  ぐぁ: 'gwa',
  きぇ: 'kye',
  にぇ: 'nye',
  ひぇ: 'hye',
};

const HIRAGANA = Array.from({ length: 0x30_96 - 0x30_41 + 1 }, (_, index) =>
  String.fromCharCode(0x30_41 + index),
);
const SMALL_Y = ['ゃ', 'ゅ', 'ょ'];

/** Each kana or pair of kana → Hepburn. Asked of wanakana once for each, which is 30 times quicker than for each name. */
const MORAE: ReadonlyMap<string, string> = new Map([
  ...HIRAGANA.map((kana) => [kana, toRomaji(kana)] as const),
  ...HIRAGANA.flatMap((kana) =>
    SMALL_Y.map((small) => [kana + small, toRomaji(kana + small)] as const),
  ),
  ...Object.entries(FOREIGN_PAIRS),
  // Doubled consonants and long vowels are not told apart.
  ['っ', ''],
  ['ー', ''],
]);

const KANA_NAME = /^(?=.*[\u3041-\u3096])[\u3041-\u3096ー0-9a-z☆★♀♂%+×]+$/;

/** Spellings of one sound, in the order in which they are replaced: Hepburn to Kunrei, then what no ear tells apart. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[ct]ch/g, 'ch'],
  [/sh(?=i)/g, 's'],
  [/sh/g, 'sy'],
  [/ch(?=i)/g, 't'],
  [/ch/g, 'ty'],
  [/ts(?=u)/g, 't'],
  [/fu/g, 'hu'],
  [/j(?=i)/g, 'z'],
  [/jy?/g, 'zy'],
  [/dz(?=u)/g, 'z'],
  [/m(?=[bpm])/g, 'n'],
  [/l/g, 'r'],
  [/v/g, 'b'],
  [/ou/g, 'o'],
  [/([a-z])\1+/g, '$1'],
];

const LATIN_KEY = /^(?=.*[a-z])[a-z0-9☆★♀♂%+×]+$/;

/**
 * How a Latin key sounds to someone who types Japanese by ear: long vowels, doubled consonants, Hepburn or Kunrei, n or
 * m, l or r, v or b make no difference. Null when the key is not plain Latin.
 */
export function soundOfLatin(key: string): string | null {
  if (!LATIN_KEY.test(key)) return null;
  return SPELLINGS.reduce((text, [pattern, spelling]) => text.replace(pattern, spelling), key);
}

/** One letter, again and again. (Within a text it may be the numeral III.) */
const ONE_LETTER_REPEATED = /^([a-z])\1+$/;

/**
 * How a Latin key that was typed sounds, or null where the sound would be that of another text: doubled letters are one
 * letter to the ear, so `aaaa` would be an a, which is in nearly every sound.
 */
export function soughtSoundOf(key: string): string | null {
  return ONE_LETTER_REPEATED.test(key) ? null : soundOfLatin(key);
}

/** One letter is in nearly every sound: that a sound holds it says nothing, only that it begins with it. */
export function isWorthSeekingInside(sound: string): boolean {
  return sound.length > 1;
}

/** How a key of kana (with Latin letters in between) sounds; null when it holds kanji or no kana. */
export function soundOfKana(key: string): string | null {
  if (!KANA_NAME.test(key)) return null;
  let romaji = '';
  for (let at = 0; at < key.length; at++) {
    const pair = MORAE.get(key.slice(at, at + 2));
    if (pair !== undefined && at + 1 < key.length) {
      romaji += pair;
      at++;
    } else romaji += MORAE.get(key.charAt(at)) ?? key.charAt(at);
  }
  return soundOfLatin(romaji);
}
