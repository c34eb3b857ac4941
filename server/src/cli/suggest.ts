import { editDistance } from '../card-search/edit-distance.ts';

/** Longer words may have more typing errors, but not so many that they are another word. */
const LETTERS_PER_ERROR = 3;

/** `: did you mean …?` for the nearest of the words; empty if none is near. */
export function suggest(typed: string, words: readonly string[], prefix = ''): string {
  const max = Math.max(1, Math.floor(typed.length / LETTERS_PER_ERROR));
  const nearest = words
    .map((word) => ({ word, errors: editDistance(typed, word, max) }))
    .filter(({ errors }) => errors <= max)
    .toSorted((a, b) => a.errors - b.errors)[0];
  return nearest === undefined ? '' : `: did you mean ${prefix}${nearest.word}?`;
}
