import { WORD_STARTS_MAX } from './name-key.ts';

/** Where a text has a key; lower is better. */
export const WORD_PLACE = { word: 0, start: 1, inside: 2 } as const;

export type WordPlace = (typeof WORD_PLACE)[keyof typeof WORD_PLACE];

/**
 * Returns the best place of the key in the text, or null if the text does not contain it. Word
 * starts are stored for the first 32 positions only.
 */
export function wordPlaceOf(key: string, text: string, wordStarts: number): WordPlace | null {
  let at = text.indexOf(key);
  if (at < 0) return null;
  let place: WordPlace = WORD_PLACE.inside;
  for (; at >= 0 && at < WORD_STARTS_MAX; at = text.indexOf(key, at + 1)) {
    if (((wordStarts >>> at) & 1) === 0) continue;
    const end = at + key.length;
    if (end === text.length) return WORD_PLACE.word;
    if (end < WORD_STARTS_MAX && ((wordStarts >>> end) & 1) === 1) return WORD_PLACE.word;
    place = WORD_PLACE.start;
  }
  return place;
}
