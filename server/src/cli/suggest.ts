import { editDistance } from '../card-search/edit-distance.ts';

/** One typing error is allowed per this many letters. */
const LETTERS_PER_ERROR = 3;

/** Returns `: did you mean …?` with the nearest of the words, or an empty text if none is near. */
export function suggestNearest(typed: string, words: readonly string[], prefix = ''): string {
  const max = Math.max(1, Math.floor(typed.length / LETTERS_PER_ERROR));
  const nearest = words
    .map((word) => ({ word, errors: editDistance(typed, word, max) }))
    .filter(({ errors }) => errors <= max)
    .toSorted((a, b) => a.errors - b.errors)[0];
  return nearest === undefined ? '' : `: did you mean ${prefix}${nearest.word}?`;
}
