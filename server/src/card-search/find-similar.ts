import type { Search } from './search.ts';
import {
  editDistance,
  editDistanceToStart,
  editDistanceToWords,
  mayBeMisspelled,
  PAIRS_PER_EDIT,
  SIMILAR_MAX,
} from './edit-distance.ts';
import { gramsOf, type SharingRange } from './gram-index.ts';
import { addCardsMatchingTerms } from './find-terms.ts';
import type { Query, Term } from './query.ts';
import { SCORE } from './score.ts';
import { nameSpelling, otherSpellings } from './spelling.ts';

/** The minimum length for two edits, which would turn a shorter word into another word. */
const TWO_EDITS_LENGTH_MIN = 8;
/** These limits allow about 5 ms for whole names and 2 ms for parts of names. */
const WHOLE = { postingsMax: 1_500_000, textsMax: 10_000 };
const PART = { postingsMax: 200_000, textsMax: 1_000 };
const COMPARE_COST = 60;
/** Scores, indexed by the number of edits. */
const SCORES = [SCORE.similarByOne, SCORE.similarByOne, SCORE.similarByTwo];
const START_SCORES = [SCORE.similarStartByOne, SCORE.similarStartByOne, SCORE.similarStartByTwo];
const WORD_SCORES = [SCORE.similarWordByOne, SCORE.similarWordByOne, SCORE.similarWordByTwo];
const SIMILAR_MIN = 4;

/** Finds names that differ from the query, or from some of its words, by a few letters. */
export function addSimilarMatches(search: Search, { whole, readings }: Query): void {
  addBySimilarName(search, whole);
  readings.some((terms) => addCardsMatchingTerms(search, terms, 'typing'));
}

/** Compares the query with whole names first, then with the beginnings of names and words. */
function addBySimilarName(search: Search, whole: Term): void {
  const { names } = search.tables;
  for (const { key, kinds } of [nameSpelling(whole), ...otherSpellings(whole)]) {
    if (key.length < SIMILAR_MIN || key.length > SIMILAR_MAX) continue;
    const edits = key.length < TWO_EDITS_LENGTH_MIN ? 1 : 2;
    const scoreOf = (distance: number, scores: readonly number[]): number =>
      distance > edits ? 0 : (scores[distance] ?? 0);
    const scorePart = (name: string, starts: number): number =>
      Math.max(
        scoreOf(editDistanceToStart(key, name, 0, edits), START_SCORES),
        scoreOf(editDistanceToWords(key, name, starts & ~1, edits), WORD_SCORES),
      );
    const compare = (range: SharingRange, isPart: boolean): void => {
      for (const text of names.grams.mostSharing(gramsOf(key), range, search.budget)) {
        search.budget.left -= COMPARE_COST;
        if (search.budget.left < 0) return;
        const name = names.texts[text] ?? '';
        const score = isPart
          ? scorePart(name, names.wordStarts[text] ?? 0)
          : scoreOf(editDistance(key, name, edits), SCORES);
        if (score > 0) names.visitOwners(text, kinds, (card) => search.add(card, score, name));
      }
    };
    const from = names.firstLongerThan(key.length - edits - 1);
    const to = names.firstLongerThan(key.length + edits);
    compare({ ...WHOLE, from, to, missing: PAIRS_PER_EDIT * edits }, false);
    const missing = (PAIRS_PER_EDIT - 1) * edits + 1;
    if (mayBeMisspelled(key)) compare({ ...PART, from, to: names.texts.length, missing }, true);
  }
}
