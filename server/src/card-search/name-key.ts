import { readFileSync } from 'node:fs';
import { foldWidthAndCase, toHiragana } from './fold.ts';

export const WORD_STARTS_MAX = 32;

/** Apostrophes are dropped without ending a word (Lim-Dûl's, Professor Oak's). */
const APOSTROPHES = /['’‘ʼ`´]/g;
/** Symbols that distinguish card names. All others are dropped like punctuation. */
const SYMBOLS = '☆★♀♂%+×∞◇◆◎○●△▲▽▼□■♪♡♥♦♣♠';
/** Combining marks and ー belong to the character before them. */
const MARKS = String.raw`\p{M}ー`;
const HAN = String.raw`\p{Script=Han}々〆`;
const HIRAGANA = String.raw`\p{Script=Hiragana}`;
const KATAKANA = String.raw`\p{Script=Katakana}`;
const HANGUL = String.raw`\p{Script=Hangul}`;
const EAST_ASIAN = `${HAN}${HIRAGANA}${KATAKANA}${HANGUL}ー`;
const LETTERS = String.raw`[[\p{L}\p{N}]--[${EAST_ASIAN}]]`;

function runOf(characters: string): string {
  return `[${characters}][${characters}${MARKS}]*`;
}

/** A new script starts a new word (リザードンex), but hiragana after kanji or katakana does not. */
const WORD = new RegExp(
  `(?:${runOf(HAN)}|${runOf(KATAKANA)})[${HIRAGANA}${MARKS}]*|` +
    `${[HIRAGANA, HANGUL, SYMBOLS, LETTERS].map(runOf).join('|')}|[${MARKS}]+`,
  'gv',
);
const SPACED_WORD = new RegExp(`[${EAST_ASIAN}${LETTERS}${SYMBOLS}${MARKS}]+`, 'gv');
const PART = new RegExp(`[${EAST_ASIAN}・]+|[^${EAST_ASIAN}・]+`, 'gv');
const LATIN = /^[\u0021-\u024f]*$/;

/**
 * Returns the name without spaces and punctuation, unless it has no other characters (“?”). Bit n
 * of `wordStarts` is set if a word starts at unit n.
 */
export function nameKeyOf(text: string): { readonly key: string; readonly wordStarts: number } {
  const folded = foldWidthAndCase(text).replace(APOSTROPHES, '');
  let key = '';
  let wordStarts = 0;
  for (const word of folded.match(WORD) ?? []) {
    if (key.length < WORD_STARTS_MAX) wordStarts |= 1 << key.length;
    key += word;
  }
  if (key === '') return { key: foldWidthAndCase(text).replaceAll(/\s/g, ''), wordStarts: 1 };
  return { key: toHiragana(key), wordStarts: wordStarts >>> 0 };
}

export function isWordStart(wordStarts: number, at: number): boolean {
  return at < WORD_STARTS_MAX && ((wordStarts >>> at) & 1) === 1;
}

/** Splits the key of a name into words. */
export function wordsIn(key: string, wordStarts: number): string[] {
  const words: string[] = [];
  for (let at = 1, from = 0; at <= key.length; at++) {
    if (!isWordStart(wordStarts, at) && at < key.length) continue;
    words.push(key.slice(from, at));
    from = at;
  }
  return words;
}

export function wordsOf(text: string): string[] {
  const folded = foldWidthAndCase(text).replace(APOSTROPHES, '');
  return (folded.match(SPACED_WORD) ?? []).map(toHiragana);
}

/** Separates East Asian text from other text, because people write ナミOP01-016 without a space. */
export function scriptPartsOf(text: string): string[] {
  return foldWidthAndCase(text).match(PART) ?? [];
}

export function isLatin(key: string): boolean {
  return LATIN.test(key);
}

const VU = /ゔ([ぁぃぅぇぉ]?)/g;
const KANJI_VARIANTS = readFileSync(new URL('kanji-variants.txt', import.meta.url), 'utf8');
/** Groups of kana that are compared as equal. */
const KANA_VARIANTS =
  'あぁ いぃ うぅ えぇ おぉ つっ やゃ ゆゅ よょ わゎ かゕ けゖ じぢ ずづ いゐ えゑ';
const LOOSE: ReadonlyMap<string, string> = new Map([
  ['ー', ''],
  ...`${KANA_VARIANTS} ${KANJI_VARIANTS}`.split(/\s/).flatMap((group) => {
    const [today = '', ...others] = group;
    return others.map((other) => [other, today] as const);
  }),
]);

/** Unifies spellings that people confuse: ー, small kana, ヴァ and バ, variants of kanji. */
export function looseKeyOf(key: string): string {
  if (isLatin(key)) return key;
  const plain = key.replace(VU, (_, vowel: string) =>
    'ばびぶべぼ'.charAt('ぁぃぅぇぉ'.indexOf(vowel === '' ? 'ぅ' : vowel)),
  );
  let loose = '';
  for (const character of plain) loose += LOOSE.get(character) ?? character;
  return loose;
}
