import { editDistance } from './edit-distance.ts';
import type { Finding } from './finding.ts';
import { cardOf, type SpellingTable } from './spelling-table.ts';
import { firstNot, membersOf } from './grouped.ts';
import { gramsOf } from './gram-table.ts';
import { textsSharing } from './texts-sharing.ts';
import { TIER } from './tier.ts';

/**
 * Two slips are allowed from this length on, one below it: two of seven letters would make another
 * word.
 */
const TWO_SLIPS_MIN = 8;
/** In three letters, one slip leaves too little to identify a name. */
const SIMILAR_MIN = 4;
/** Longer queries are rare, and the cost is quadratic in the length. */
export const SIMILAR_MAX = 64;
/** A slip changes at most three pairs of letters (a transposition). */
export const PAIRS_PER_SLIP = 3;
/** Maximum number of postings to count, rarest pairs first: about 4 ms. */
const COUNTED_MAX = 1_500_000;
/**
 * Maximum number of texts to compare letter by letter, those with the most common pairs first:
 * about 3 ms.
 */
const COMPARED_MAX = 10_000;

/** A text to compare names with, and the kinds of text to compare. */
export interface SimilarTo {
  readonly key: string;
  readonly kinds: number;
}

export function slipsIn(key: string): number {
  return key.length < TWO_SLIPS_MIN ? 1 : 2;
}

/**
 * Cards with a text within one slip, or two, of one of the keys: fewer slips first, then shorter
 * texts.
 */
export function findSimilarNames(finding: Finding, keys: readonly SimilarTo[]): void {
  const { spellings } = finding.tables;
  const byDistance = new Map([1, 2].map((distance) => [distance, new Map<number, number>()]));
  for (const { key, kinds } of keys) {
    if (key.length < SIMILAR_MIN || key.length > SIMILAR_MAX) continue;
    const slips = slipsIn(key);
    for (const spelling of candidatesOf(finding, key, slips)) {
      if (((spellings.kinds[spelling] ?? 0) & kinds) === 0) continue;
      const distance = editDistance(key, spellings.texts[spelling] ?? '', slips);
      if (distance > slips) continue;
      const similar = byDistance.get(distance);
      similar?.set(spelling, (similar.get(spelling) ?? 0) | kinds);
    }
  }
  for (const [distance, similar] of byDistance) {
    addSimilar(finding, similar, distance === 1 ? TIER.similarByOne : TIER.similarByTwo);
  }
}

/** Adds the cards with these texts by these kinds, shorter texts first. */
export function addSimilar(
  finding: Finding,
  similar: ReadonlyMap<number, number>,
  tier: number,
): void {
  const { spellings } = finding.tables;
  for (const [spelling, kinds] of [...similar].toSorted(([a], [b]) => a - b)) {
    for (const entry of membersOf(spellings.cards, spelling)) {
      if (finding.isFull()) return;
      if ((entry & kinds) !== 0) finding.addBySpelling(cardOf(entry), tier, spelling);
    }
  }
}

/** The texts of about the same length that share enough pairs with the key, most first. */
function candidatesOf({ tables }: Finding, key: string, slips: number): Uint32Array {
  return textsSharing(tables.grams, {
    pairs: gramsOf(key),
    from: firstLongerThan(tables.spellings, key.length - slips - 1),
    to: firstLongerThan(tables.spellings, key.length + slips),
    missing: PAIRS_PER_SLIP * slips,
    countedMax: COUNTED_MAX,
    textsMax: COMPARED_MAX,
  });
}

/** The number of the first text longer than `length` units. */
export function firstLongerThan({ texts }: SpellingTable, length: number): number {
  return firstNot(texts.length, (at) => (texts[at] ?? '').length <= length);
}
