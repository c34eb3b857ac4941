import { editDistanceToStart } from './edit-distance.ts';
import {
  addSimilar,
  firstLongerThan,
  SIMILAR_MAX,
  type SimilarityKey,
  maxEditsFor,
} from './find-similar.ts';
import type { HitCollector } from './hit-collector.ts';
import { gramsOf } from './gram-table.ts';
import { WORD_STARTS_MAX } from './name-key.ts';
import { findTextsSharingBigrams } from './shared-bigrams.ts';
import { TIER } from './tier.ts';

/**
 * The minimum length of a Latin key, without digits: four letters with an edit match the start of
 * too many names. Digits do not count, because numbers allow no edits.
 */
const LATIN_MIN = 5;
/** The minimum length of other keys. A kana carries as much information as two Latin letters. */
const OTHER_MIN = 4;
/** An edit changes two bigrams, a transposition three. One of the edits may be a transposition. */
const BIGRAMS_PER_EDIT = 2;
const PAIRS_MORE = 1;
/** Limits how many postings are counted, rarest bigrams first, to about 1 ms. */
const COUNTED_MAX = 200_000;
/** Limits the texts compared at each word start, best candidates first, to about 1 ms. */
const COMPARED_MAX = 1_000;

const LATIN = /^[\u0021-\u024f]*$/;
const DIGITS = /\d/g;

export function allowsMisspelling(key: string): boolean {
  const letters = key.replaceAll(DIGITS, '');
  if (key.length > SIMILAR_MAX) return false;
  return letters.length >= (LATIN.test(letters) ? LATIN_MIN : OTHER_MIN);
}

/**
 * Finds cards with a text or word whose beginning is within one or two edits of one of the keys:
 * fewer edits first, beginnings of names before words, then shorter texts.
 */
export function findSimilarPrefixes(collector: HitCollector, keys: readonly SimilarityKey[]): void {
  if (collector.isFull()) return;
  const { spellings } = collector.tables;
  const byTier = new Map(STARTS.map((tier) => [tier, new Map<number, number>()]));
  for (const { key, kinds } of keys) {
    if (!allowsMisspelling(key)) continue;
    const edits = maxEditsFor(key);
    for (const spelling of candidatesOf(collector, key, edits)) {
      if (((spellings.kinds[spelling] ?? 0) & kinds) === 0) continue;
      const text = spellings.texts[spelling] ?? '';
      const tier = tierOf(key, text, spellings.wordStarts[spelling] ?? 0, edits);
      const similar = tier === null ? undefined : byTier.get(tier);
      similar?.set(spelling, (similar.get(spelling) ?? 0) | kinds);
    }
  }
  for (const [tier, similar] of byTier) addSimilar(collector, similar, tier);
}

const STARTS = [
  TIER.similarStartByOne,
  TIER.similarWordByOne,
  TIER.similarStartByTwo,
  TIER.similarWordByTwo,
] as const;

function candidatesOf({ tables }: HitCollector, key: string, edits: number): Uint32Array {
  return findTextsSharingBigrams(tables.grams, {
    bigrams: gramsOf(key),
    from: firstLongerThan(tables.spellings, key.length - edits - 1),
    to: tables.spellings.texts.length,
    missing: BIGRAMS_PER_EDIT * edits + PAIRS_MORE,
    countedMax: COUNTED_MAX,
    textsMax: COMPARED_MAX,
  });
}

function tierOf(
  key: string,
  text: string,
  wordStarts: number,
  edits: number,
): (typeof STARTS)[number] | null {
  const atStart = editDistanceToStart(key, text, 0, edits);
  if (atStart <= 1) return TIER.similarStartByOne;
  const inside = editDistanceToWords(key, text, wordStarts & ~1, edits);
  if (inside <= 1) return TIER.similarWordByOne;
  if (atStart <= edits) return TIER.similarStartByTwo;
  return inside <= edits ? TIER.similarWordByTwo : null;
}

/** Returns the edit distance to the nearest word start of a text, at most `max` + 1. */
export function editDistanceToWords(
  key: string,
  text: string,
  wordStarts: number,
  max: number,
): number {
  let least = max + 1;
  for (let at = 0; at < Math.min(text.length, WORD_STARTS_MAX) && least > 1; at++) {
    if (((wordStarts >>> at) & 1) === 0) continue;
    least = Math.min(least, editDistanceToStart(key, text, at, max));
  }
  return least;
}
