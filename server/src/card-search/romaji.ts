import { toRomaji } from 'wanakana';

/** Kana pairs of foreign words, because wanakana converts each kana separately (ティ as teii). */
const FOREIGN_PAIRS =
  'ゔぁba ゔぃbi ゔぇbe ゔぉbo ゔゅbyu ゔbu ふぁfa ふぃfi ふぇfe ふぉfo ふゅfyu てぃti でぃdi てゅtyu ' +
  'でゅdyu とぅtu どぅdu うぃwi うぇwe うぉwo いぇye しぇshe じぇje ちぇche つぁtsa つぃtsi つぇtse つぉtso ' +
  'くぁkwa くぃkwi くぇkwe くぉkwo ぐぁgwa きぇkye にぇnye ひぇhye';

const HIRAGANA = Array.from({ length: 0x30_96 - 0x30_41 + 1 }, (_, at) =>
  String.fromCharCode(0x30_41 + at),
);

/**
 * Maps each kana or pair of kana to Hepburn romaji. Calling wanakana once for each kana is 30 times
 * faster than calling it for each name.
 */
const MORAE: ReadonlyMap<string, string> = new Map([
  ...HIRAGANA.flatMap((kana) => ['', 'ゃ', 'ゅ', 'ょ'].map((small) => kana + small)).map(
    (kana) => [kana, toRomaji(kana)] as const,
  ),
  ...FOREIGN_PAIRS.split(' ').map((pair) => {
    const [, kana = '', romaji = ''] = /^(\W+)(\w+)$/.exec(pair) ?? [];
    return [kana, romaji] as const;
  }),
  ['っ', ''],
  ['ー', ''],
]);

const KANA_NAME = /^(?=.*[\u3041-\u3096])[\u3041-\u3096ー0-9a-z☆★♀♂%+×]+$/;
const LATIN_NAME = /^(?=.*[a-z])[a-z0-9☆★♀♂%+×]+$/;

/** Unifies spellings in this order: Hepburn to Kunrei, then sounds that listeners confuse. */
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

/**
 * Returns a Latin key as Japanese hear it: without long vowels and doubled consonants, and with one
 * spelling for Hepburn and Kunrei, n and m, l and r, v and b. Empty if it is not plain Latin.
 */
export function soundOfLatin(key: string): string {
  if (!LATIN_NAME.test(key)) return '';
  return SPELLINGS.reduce((text, [pattern, spelling]) => text.replace(pattern, spelling), key);
}

/** Matches complete texts only: within a longer text, `iii` may be the numeral III. */
const ONE_LETTER_REPEATED = /^([a-z])\1+$/;

/**
 * Returns the sound of a query. It is empty for one repeated letter: doubled letters sound like a
 * single letter, so `aaaa` would become `a`, which nearly every sound contains.
 */
export function soundOfQuery(key: string): string {
  return ONE_LETTER_REPEATED.test(key) ? '' : soundOfLatin(key);
}

/** Returns the sound of a key in kana and Latin letters, or '' if it has kanji or no kana. */
export function soundOfKana(key: string): string {
  if (!KANA_NAME.test(key)) return '';
  let romaji = '';
  for (let at = 0; at < key.length; at++) {
    const pair = at + 1 < key.length ? MORAE.get(key.slice(at, at + 2)) : undefined;
    romaji += pair ?? MORAE.get(key.charAt(at)) ?? key.charAt(at);
    if (pair !== undefined) at++;
  }
  return soundOfLatin(romaji);
}
