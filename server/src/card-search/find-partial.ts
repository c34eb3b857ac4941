import { fold } from '../catalog/fold.ts';

/** Limits the searches for one text: each word that may be kept costs one. */
const WORDS_MAX = 8;
/** Limits the searches for similar names, which cost most. */
const SIMILAR_MAX = 2;

const DIGITS = /^\d+$/;
const DASHED_TOTAL = /(?<=\d)-(?=\d)/g;

/** Searches for a text, and for similar names if `withSimilar` is true and nothing else is found. */
export type FindText = (text: string, withSimilar: boolean) => readonly string[];

/**
 * Finds cards for a text that no card matches: first with a dash read as the slash before a total
 * (`025-165`), then with fewer words. Keeps each word that
 * leaves cards to show, and drops the others. Longer words come first, because they are nearly
 * always a name, while short ones describe the card. Digits alone are never all that is kept: every
 * set has such a number, and `PSA 44` is a certificate.
 */
export function findPartial(text: string, find: FindText): readonly string[] {
  const folded = fold(text).trim();
  const withTotal = folded.replaceAll(DASHED_TOTAL, '/');
  const numbered = withTotal === folded ? [] : find(withTotal, false);
  if (numbered.length > 0) return numbered;
  const words = [...new Set(folded.split(/\s+/))].slice(0, WORDS_MAX);
  if (words.length < 2) return [];
  let kept: string[] = [];
  let found: readonly string[] = [];
  let similarLeft = SIMILAR_MAX;
  const weightOf = (word: string): number => (DIGITS.test(word) ? 0 : word.length);
  for (const word of words.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    if (kept.length === 0 && DIGITS.test(word)) break;
    const tried = words.filter((each) => each === word || kept.includes(each));
    const withSimilar = kept.length === 0 && similarLeft-- > 0;
    const next = find(tried.join(' '), withSimilar);
    if (next.length === 0) continue;
    kept = tried;
    found = next;
  }
  return found;
}
