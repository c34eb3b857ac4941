import { editDistance } from './edit-distance.ts';
import type { HitCollector } from './hit-collector.ts';
import { cardOf, type SpellingTable } from './spelling-table.ts';
import { partitionPoint, membersOf } from './grouped.ts';
import { gramsOf } from './gram-table.ts';
import { findTextsSharingBigrams } from './shared-bigrams.ts';
import { TIER } from './tier.ts';

/**
 * Keys of this length or more allow two edits, and shorter keys one edit: two edits turn a word of
 * seven letters into another word.
 */
const TWO_EDITS_LENGTH_MIN = 8;
/** Shorter keys allow no edits: in three letters, an edit leaves too little to identify a name. */
const SIMILAR_MIN = 4;
/** The cost of a comparison is quadratic in the length, and longer queries are rare. */
export const SIMILAR_MAX = 64;
/** An edit changes at most three bigrams, in the case of a transposition. */
export const BIGRAMS_PER_EDIT = 3;
/** Limits how many postings are counted, rarest bigrams first, to about 4 ms. */
const COUNTED_MAX = 1_500_000;
/** Limits the texts compared letter by letter, best candidates first, to about 3 ms. */
const COMPARED_MAX = 10_000;

export interface SimilarityKey {
  readonly key: string;
  readonly kinds: number;
}

export function maxEditsFor(key: string): number {
  return key.length < TWO_EDITS_LENGTH_MIN ? 1 : 2;
}

/**
 * Finds cards with a text within one or two edits of one of the keys: fewer edits first, then
 * shorter texts.
 */
export function findSimilarNames(collector: HitCollector, keys: readonly SimilarityKey[]): void {
  const { spellings } = collector.tables;
  const byDistance = new Map([1, 2].map((distance) => [distance, new Map<number, number>()]));
  for (const { key, kinds } of keys) {
    if (key.length < SIMILAR_MIN || key.length > SIMILAR_MAX) continue;
    const edits = maxEditsFor(key);
    for (const spelling of candidatesOf(collector, key, edits)) {
      if (((spellings.kinds[spelling] ?? 0) & kinds) === 0) continue;
      const distance = editDistance(key, spellings.texts[spelling] ?? '', edits);
      if (distance > edits) continue;
      const similar = byDistance.get(distance);
      similar?.set(spelling, (similar.get(spelling) ?? 0) | kinds);
    }
  }
  for (const [distance, similar] of byDistance) {
    addSimilar(collector, similar, distance === 1 ? TIER.similarByOne : TIER.similarByTwo);
  }
}

export function addSimilar(
  collector: HitCollector,
  similar: ReadonlyMap<number, number>,
  tier: number,
): void {
  const { spellings } = collector.tables;
  for (const [spelling, kinds] of [...similar].toSorted(([a], [b]) => a - b)) {
    for (const entry of membersOf(spellings.cards, spelling)) {
      if (collector.isFull()) return;
      if ((entry & kinds) !== 0) collector.addBySpelling(cardOf(entry), tier, spelling);
    }
  }
}

/** Returns texts of similar length that share enough bigrams with the key, best first. */
function candidatesOf({ tables }: HitCollector, key: string, edits: number): Uint32Array {
  return findTextsSharingBigrams(tables.grams, {
    bigrams: gramsOf(key),
    from: firstLongerThan(tables.spellings, key.length - edits - 1),
    to: firstLongerThan(tables.spellings, key.length + edits),
    missing: BIGRAMS_PER_EDIT * edits,
    countedMax: COUNTED_MAX,
    textsMax: COMPARED_MAX,
  });
}

export function firstLongerThan({ texts }: SpellingTable, length: number): number {
  return partitionPoint(texts.length, (at) => (texts[at] ?? '').length <= length);
}
