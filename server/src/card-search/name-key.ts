import { foldWidthAndCase, toHiragana } from '../catalog/fold.ts';
import { SCRIPT, scriptOf } from './script.ts';

/** Word starts are stored as the bits of a 32-bit number. */
export const WORD_STARTS_MAX = 32;

export interface NameKey {
  /** The folded text without spaces and punctuation. Empty only for a blank text. */
  readonly key: string;
  /** Bit n is set when a word starts at unit n of the key (n below `WORD_STARTS_MAX`). */
  readonly wordStarts: number;
}

/** Returns the key of a name. A name of punctuation only (“?”) keeps it, without spaces. */
export function nameKeyOf(text: string): NameKey {
  const folded = foldWidthAndCase(text);
  let key = '';
  let wordStarts = 0;
  let before: number = SCRIPT.none;
  for (const character of folded) {
    const script = scriptOf(character);
    if (script === SCRIPT.joiner) continue;
    if (script === SCRIPT.none) {
      before = SCRIPT.none;
      continue;
    }
    if (startsWord(before, script) && key.length < WORD_STARTS_MAX) wordStarts |= 1 << key.length;
    if (script !== SCRIPT.mark || before === SCRIPT.none) before = script;
    key += character;
  }
  if (key === '') return { key: folded.replaceAll(/\s/g, ''), wordStarts: 1 };
  return { key: toHiragana(key), wordStarts: wordStarts >>> 0 };
}

/**
 * Returns whether a character of `script` starts a word after a character of the script `before`.
 * Japanese is written without spaces: わるいリザードン and リザードンex have two words each. Hiragana after
 * kanji or katakana is an ending or a particle, not a word.
 */
function startsWord(before: number, script: number): boolean {
  if (before === SCRIPT.none) return true;
  if (script === SCRIPT.mark || script === before) return false;
  return !(script === SCRIPT.hiragana && (before === SCRIPT.han || before === SCRIPT.katakana));
}

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of foldWidthAndCase(text)) {
    const script = scriptOf(character);
    if (script === SCRIPT.joiner) continue;
    if (script !== SCRIPT.none) word += character;
    else if (word !== '') {
      words.push(toHiragana(word));
      word = '';
    }
  }
  return word === '' ? words : [...words, toHiragana(word)];
}

/**
 * Splits a text into Japanese, Chinese and Korean parts and other parts, because people write
 * ナミOP01-016 without a space. Letters and digits keep their punctuation.
 */
export function scriptPartsOf(text: string): string[] {
  return foldWidthAndCase(text).match(EAST_ASIAN_PART) ?? [];
}

const EAST_ASIAN_PART =
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Hangul}ー・々]+|[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Hangul}ー・々]+/gu;
