import { KANJI_VARIANTS } from './kanji-variants.ts';

/** ヴ and its family as most people type them. Longer spellings first. */
const VU: readonly (readonly [string, string])[] = [
  ['ゔぁ', 'ば'],
  ['ゔぃ', 'び'],
  ['ゔぇ', 'べ'],
  ['ゔぉ', 'ぼ'],
  ['ゔ', 'ぶ'],
];

/** Small kana as large ones, and kana that sound like another since 1946. */
const KANA: ReadonlyMap<string, string> = new Map(
  ['ぁあ', 'ぃい', 'ぅう', 'ぇえ', 'ぉお', 'っつ', 'ゃや', 'ゅゆ', 'ょよ', 'ゎわ', 'ゕか', 'ゖけ']
    .concat(['ぢじ', 'づず', 'ゐい', 'ゑえ'])
    .map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
);

/** What is left out: the long-vowel mark, which people forget and double. */
const LONG_VOWEL = 'ー';

/** No kana and no kanji: nothing to do. */
const LATIN_ONLY = /^[^\u3041-\uffff]*$/;

/**
 * A key without the differences that Japanese writers are not sure of: ー, small kana, ヴァ or バ, old and new or
 * Chinese forms of kanji. Two names may share one loose key, so it only finds what the key itself does not.
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
