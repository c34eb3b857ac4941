import { KANJI_VARIANTS } from './kanji-variants.ts';

/** Replaces ヴ and its combinations with what most people type. Longer spellings come first. */
const VU: readonly (readonly [string, string])[] = [
  ['ゔぁ', 'ば'],
  ['ゔぃ', 'び'],
  ['ゔぇ', 'べ'],
  ['ゔぉ', 'ぼ'],
  ['ゔ', 'ぶ'],
];

/** Maps small kana to large kana, and kana to those with the same sound since the 1946 reform. */
const KANA: ReadonlyMap<string, string> = new Map(
  ['ぁあ', 'ぃい', 'ぅう', 'ぇえ', 'ぉお', 'っつ', 'ゃや', 'ゅゆ', 'ょよ', 'ゎわ', 'ゕか', 'ゖけ']
    .concat(['ぢじ', 'づず', 'ゐい', 'ゑえ'])
    .map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
);

/** The long vowel mark, which people often omit or double. */
const LONG_VOWEL = 'ー';

const LATIN_ONLY = /^[^\u3041-\uffff]*$/;

/**
 * Removes differences that Japanese writers are unsure of: ー, small kana, ヴァ or バ, variants of
 * kanji. Different names may share a loose key, so a match by it ranks below a match by key.
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
