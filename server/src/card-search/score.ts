import { isLatin, isWordStart, WORD_STARTS_MAX } from './name-key.ts';

export type MatchPosition = 'exact' | 'word' | 'prefix' | 'start' | 'inside';

/** Scores by kind of match. They depend only on the card and the query. */
export const SCORE = {
  numberAsTyped: 110,
  number: 109,
  setAndNumber: 108,
  numberOfRegion: 107,
  primary: { exact: 100, word: 97, prefix: 96, start: 92, inside: 80 },
  localized: { exact: 99, word: 95, prefix: 95, start: 91, inside: 79 },
  sound: { exact: 98, word: 70, prefix: 70, start: 69, inside: 68 },
  loose: { exact: 94, word: 73, prefix: 73, start: 72, inside: 71 },
  /** For cards that match each of several words. The sum of the words' `FIT` adds less than 1. */
  terms: 90,
  numberStart: 78,
  numberUnfinished: 77,
  abbreviation: 75,
  termsLoose: 65,
  setCode: 62,
  setName: 61,
  numberEnd: 60,
  similarByOne: 50,
  similarByTwo: 49,
  similarStartByOne: 48,
  similarWordByOne: 47,
  similarStartByTwo: 46,
  similarWordByTwo: 45,
  termsSimilar: 40,
} as const;

/** How well a card fits one of several words. Cards that match all words are sorted by the sum. */
export const FIT = {
  numberAsTyped: 12,
  number: 11,
  numberOfRegion: 11,
  primary: { exact: 10, word: 10, prefix: 8, start: 8, inside: 2 },
  localized: { exact: 7, word: 7, prefix: 6, start: 6, inside: 1 },
  code: 5,
  label: 4,
  numberEnd: 4,
  numberStart: 0,
  numberUnfinished: 0,
  /** A match by loose key, by sound, or with a typing error. */
  similar: 0.1,
} as const;

/** Shorter Latin words start too many names: “L” would fit every Luffy and Lugia. */
const LATIN_START_MIN = 3;
/** These keys score higher as a whole word. Other scripts do not separate words. */
export const LATIN_WORD = /^[a-z]{4,}$/;

/** Returns where the text contains the key, or null if it does not. */
export function matchPositionOf(key: string, text: string, starts: number): MatchPosition | null {
  if (key === text) return 'exact';
  const first = text.indexOf(key);
  if (first < 0) return null;
  let position: MatchPosition = first === 0 ? 'prefix' : 'inside';
  for (let at = first; at >= 0 && at < WORD_STARTS_MAX; at = text.indexOf(key, at + 1)) {
    if (!isWordStart(starts, at)) continue;
    const end = at + key.length;
    if (end === text.length || isWordStart(starts, end)) return 'word';
    if (position === 'inside') position = 'start';
  }
  return position;
}

export type NameKind = 'primary' | 'localized' | 'loose' | 'sound';

export function scoreOfName(kind: NameKind, key: string, text: string, at: MatchPosition): number {
  const scores = SCORE[kind];
  if (at !== 'word' || LATIN_WORD.test(key)) return scores[at];
  return scores[text.startsWith(key) ? 'prefix' : 'start'];
}

/** Returns the `FIT` of a word that a name of this kind contains at this position. */
export function fitOfName(kind: NameKind, key: string, at: MatchPosition): number {
  if (kind === 'sound' || kind === 'loose') return FIT.similar;
  const isShort = key.length < LATIN_START_MIN && isLatin(key);
  return FIT[kind][isShort && (at === 'prefix' || at === 'start') ? 'inside' : at];
}
