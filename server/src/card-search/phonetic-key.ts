import { toRomaji } from 'wanakana';

/** Kana pairs of foreign words; wanakana converts each kana separately (ティ as teii). */
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

/**
 * Maps each kana or pair of kana to Hepburn romaji. Calling wanakana once for each kana is 30 times
 * faster than calling it for each name.
 */
const MORAE: ReadonlyMap<string, string> = new Map([
  ...HIRAGANA.map((kana) => [kana, toRomaji(kana)] as const),
  ...HIRAGANA.flatMap((kana) =>
    SMALL_Y.map((small) => [kana + small, toRomaji(kana + small)] as const),
  ),
  ...Object.entries(FOREIGN_PAIRS),
  ['っ', ''],
  ['ー', ''],
]);

const KANA_NAME = /^(?=.*[\u3041-\u3096])[\u3041-\u3096ー0-9a-z☆★♀♂%+×]+$/;

/**
 * Unifies the spellings of a sound, in this order: Hepburn to Kunrei, then sounds that listeners
 * confuse.
 */
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
 * Returns a Latin key as Japanese hear it: without long vowels and doubled consonants, and with one
 * spelling for Hepburn and Kunrei, n and m, l and r, v and b. Null if it is not plain Latin.
 */
export function phoneticKeyOfLatin(key: string): string | null {
  if (!LATIN_KEY.test(key)) return null;
  return SPELLINGS.reduce((text, [pattern, spelling]) => text.replace(pattern, spelling), key);
}

/** Matches complete texts only: within a longer text, `iii` may be the numeral III. */
const ONE_LETTER_REPEATED = /^([a-z])\1+$/;

/**
 * Returns the phonetic key of a query, or null for one repeated letter: doubled letters sound like
 * a single letter, so `aaaa` would become `a`, which nearly every sound contains.
 */
export function phoneticQueryKeyOf(key: string): string | null {
  return ONE_LETTER_REPEATED.test(key) ? null : phoneticKeyOfLatin(key);
}

/** Returns false for a single letter: nearly every sound contains it, so only prefixes match. */
export function isSearchableAsSubstring(phonetic: string): boolean {
  return phonetic.length > 1;
}

/** Returns the sound of a key in kana and Latin letters, or null if it has kanji or no kana. */
export function phoneticKeyOfKana(key: string): string | null {
  if (!KANA_NAME.test(key)) return null;
  let romaji = '';
  for (let at = 0; at < key.length; at++) {
    const pair = MORAE.get(key.slice(at, at + 2));
    if (pair !== undefined && at + 1 < key.length) {
      romaji += pair;
      at++;
    } else romaji += MORAE.get(key.charAt(at)) ?? key.charAt(at);
  }
  return phoneticKeyOfLatin(romaji);
}
