import type { HitCollector } from './hit-collector.ts';
import { addCardsOfSpellings } from './find-by-name.ts';
import { prefixRange } from './spelling-table.ts';
import { NAME_KINDS } from './spelling.ts';
import { WORD_STARTS_MAX } from './name-key.ts';
import { TIER } from './tier.ts';

/** The minimum length. An abbreviation has two words or more, mostly of two characters each. */
const KEY_MIN = 3;
/** Longer texts are not abbreviations. The bit mask in `isAbbreviationOf` allows at most 31. */
const KEY_MAX = 20;
/** Limits how many names with the same beginning are checked, which takes about 1 ms. */
const SPELLINGS_MAX = 10_000;
/** A single kanji can stand for a word; a single kana or letter cannot. */
const HAN = /\p{Script=Han}/u;
const BEGINNING_MIN = 2;

/**
 * Finds cards by the beginnings of the words of a name, joined in order, as Japanese abbreviates
 * names: ブラマジガール for ブラック・マジシャン・ガール, 青眼白龍 for 青眼の白龍.
 */
export function findByAbbreviation(collector: HitCollector, key: string): void {
  if (key.length < KEY_MIN || key.length > KEY_MAX || collector.isFull()) return;
  const { spellings } = collector.tables;
  const first = HAN.test(key.charAt(0)) ? key.slice(0, 1) : key.slice(0, BEGINNING_MIN);
  const [from, to] = prefixRange(spellings, first);
  const matching: number[] = [];
  for (let at = from; at < Math.min(to, from + SPELLINGS_MAX); at++) {
    const spelling = spellings.alphabetical[at] ?? 0;
    const wordStarts = spellings.wordStarts[spelling] ?? 0;
    const isName = ((spellings.kinds[spelling] ?? 0) & NAME_KINDS) !== 0;
    // For a name of one word, this would only repeat the prefix search.
    if (!isName || (wordStarts & (wordStarts - 1)) === 0) continue;
    if (isAbbreviationOf(key, spellings.texts[spelling] ?? '', wordStarts)) matching.push(spelling);
  }
  addCardsOfSpellings(
    collector,
    matching.toSorted((a, b) => a - b),
    NAME_KINDS,
    TIER.abbreviation,
  );
}

export function isAbbreviationOf(key: string, text: string, wordStarts: number): boolean {
  // Bit n is set if beginnings of the words so far form the first n characters of the key.
  let reached = 1;
  for (let word = 0; word < text.length && reached !== 0;) {
    const next = nextStart(wordStarts, word, text.length);
    const least = HAN.test(text.charAt(word)) ? 1 : Math.min(BEGINNING_MIN, next - word);
    let reachedNext = 0;
    for (let from = 0; from < key.length; from++) {
      if (((reached >>> from) & 1) === 0) continue;
      const most = Math.min(next - word, key.length - from);
      for (let length = 1; length <= most; length++) {
        if (key.charCodeAt(from + length - 1) !== text.charCodeAt(word + length - 1)) break;
        if (length < least) continue;
        if (from + length === key.length && from > 0) return true;
        reachedNext |= 1 << (from + length);
      }
    }
    reached = reachedNext;
    word = next;
  }
  return false;
}

function nextStart(wordStarts: number, after: number, end: number): number {
  for (let at = after + 1; at < Math.min(end, WORD_STARTS_MAX); at++) {
    if (((wordStarts >>> at) & 1) === 1) return at;
  }
  return end;
}
