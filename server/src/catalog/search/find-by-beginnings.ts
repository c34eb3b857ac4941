import type { Finding } from './finding.ts';
import { addCardsOfSpellings } from './find-by-name.ts';
import { prefixRange } from './spelling-table.ts';
import { OWN } from './spelling.ts';
import { WORD_STARTS_MAX } from './name-key.ts';
import { TIER } from './tier.ts';

/** A short form has the beginnings of two words at least, mostly of two characters each. */
const KEY_MIN = 3;
/** Longer texts are no short forms; 31 is the most that fits the bits of a number. */
const KEY_MAX = 20;
/** How many names that begin like the key are looked at: about 1 ms. */
const SPELLINGS_MAX = 10_000;
/** A kanji stands for a word by itself, a kana or letter does not. */
const HAN = /\p{Script=Han}/u;
const BEGINNING_MIN = 2;

/**
 * Cards whose name has words that begin as the key says, the first word first: ブラマジガール for
 * ブラック・マジシャン・ガール, 青眼白龍 for 青眼の白龍. That is how Japanese shortens names.
 */
export function findByBeginnings(finding: Finding, key: string): void {
  if (key.length < KEY_MIN || key.length > KEY_MAX || finding.isFull()) return;
  const { spellings } = finding.tables;
  const first = HAN.test(key.charAt(0)) ? key.slice(0, 1) : key.slice(0, BEGINNING_MIN);
  const [from, to] = prefixRange(spellings, first);
  const matching: number[] = [];
  for (let at = from; at < Math.min(to, from + SPELLINGS_MAX); at++) {
    const spelling = spellings.alphabetical[at] ?? 0;
    const wordStarts = spellings.wordStarts[spelling] ?? 0;
    const isName = ((spellings.kinds[spelling] ?? 0) & OWN) !== 0;
    // One word has one beginning: that is a prefix.
    if (!isName || (wordStarts & (wordStarts - 1)) === 0) continue;
    if (isOfBeginnings(key, spellings.texts[spelling] ?? '', wordStarts)) matching.push(spelling);
  }
  addCardsOfSpellings(
    finding,
    matching.toSorted((a, b) => a - b),
    OWN,
    TIER.beginnings,
  );
}

/** True when the key is put together from beginnings of words of the text, one after the other, without a gap. */
export function isOfBeginnings(key: string, text: string, wordStarts: number): boolean {
  // Bit n: the words so far may make up the first n characters of the key.
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
