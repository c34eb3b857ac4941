import { KANJI_VARIANTS } from './kanji-variants.ts';

/** ヴ and its combinations as most people type them. Longer spellings first. */
const VU: readonly (readonly [string, string])[] = [
  ['ゔぁ', 'ば'],
  ['ゔぃ', 'び'],
  ['ゔぇ', 'べ'],
  ['ゔぉ', 'ぼ'],
  ['ゔ', 'ぶ'],
];

/** Small kana to large ones, and kana to those with the same sound since the reform of 1946. */
const KANA: ReadonlyMap<string, string> = new Map(
  ['ぁあ', 'ぃい', 'ぅう', 'ぇえ', 'ぉお', 'っつ', 'ゃや', 'ゅゆ', 'ょよ', 'ゎわ', 'ゕか', 'ゖけ']
    .concat(['ぢじ', 'づず', 'ゐい', 'ゑえ'])
    .map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
);

/** People omit or double it. */
const LONG_VOWEL = 'ー';

const LATIN_ONLY = /^[^\u3041-\uffff]*$/;

/**
 * Removes the differences that Japanese writers are unsure of: ー, small kana, ヴァ or バ, old, new or
 * Chinese forms of kanji. Different names may share a loose key, so it ranks below the key.
 */
export function looseKeyOf(key: string): string {
  if (LATIN_ONLY.test(key)) return key;
  const plain = key.includes('ゔ')
    ? VU.reduce((text, [from, to]) => text.replaceAll(from, to), key)
    : key;
  let loose = '';
  for (const character of plain) {
    if (character === LONG_VOWEL) continue;
    loose += KANA.get(character) ?? KANJI_VARIANTS.get(character) ?? character;
  }
  return loose;
}
