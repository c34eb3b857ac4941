import { editDistanceToStart } from './edit-distance.ts';
import {
  addSimilar,
  firstLongerThan,
  SIMILAR_MAX,
  type SimilarTo,
  slipsIn,
} from './find-similar.ts';
import type { Finding } from './finding.ts';
import { gramsOf } from './gram-table.ts';
import { WORD_STARTS_MAX } from './name-key.ts';
import { textsSharing } from './texts-sharing.ts';
import { TIER } from './tier.ts';

/**
 * Four Latin letters with a slip match the start of too many names. Digits do not count: numbers
 * allow no slips.
 */
const LATIN_MIN = 5;
/** A kana carries as much information as two letters. */
const OTHER_MIN = 4;
/** A slip changes two pairs of letters. One slip may be a transposition, which changes three. */
const PAIRS_PER_SLIP = 2;
const PAIRS_MORE = 1;
/** Maximum number of postings to count, rarest pairs first: about 1 ms. */
const COUNTED_MAX = 200_000;
/**
 * Maximum number of texts to compare at each word start, those with the most common pairs first:
 * about 1 ms.
 */
const COMPARED_MAX = 1_000;

const LATIN = /^[\u0021-\u024f]*$/;
const DIGITS = /\d/g;

/** True when a text is long enough to identify the beginning of a name despite a slip. */
export function bearsSlip(key: string): boolean {
  const letters = key.replaceAll(DIGITS, '');
  if (key.length > SIMILAR_MAX) return false;
  return letters.length >= (LATIN.test(letters) ? LATIN_MIN : OTHER_MIN);
}

/**
 * Cards with a text or a word that begins with one of the keys, but for one slip or two: fewer
 * slips first, beginnings of names before words, then shorter texts.
 */
export function findSimilarStarts(finding: Finding, keys: readonly SimilarTo[]): void {
  if (finding.isFull()) return;
  const { spellings } = finding.tables;
  const byTier = new Map(STARTS.map((tier) => [tier, new Map<number, number>()]));
  for (const { key, kinds } of keys) {
    if (!bearsSlip(key)) continue;
    const slips = slipsIn(key);
    for (const spelling of candidatesOf(finding, key, slips)) {
      if (((spellings.kinds[spelling] ?? 0) & kinds) === 0) continue;
      const text = spellings.texts[spelling] ?? '';
      const tier = tierOf(key, text, spellings.wordStarts[spelling] ?? 0, slips);
      const similar = tier === null ? undefined : byTier.get(tier);
      similar?.set(spelling, (similar.get(spelling) ?? 0) | kinds);
    }
  }
  for (const [tier, similar] of byTier) addSimilar(finding, similar, tier);
}

const STARTS = [
  TIER.similarStartByOne,
  TIER.similarWordByOne,
  TIER.similarStartByTwo,
  TIER.similarWordByTwo,
] as const;

function candidatesOf({ tables }: Finding, key: string, slips: number): Uint32Array {
  return textsSharing(tables.grams, {
    pairs: gramsOf(key),
    from: firstLongerThan(tables.spellings, key.length - slips - 1),
    to: tables.spellings.texts.length,
    missing: PAIRS_PER_SLIP * slips + PAIRS_MORE,
    countedMax: COUNTED_MAX,
    textsMax: COMPARED_MAX,
  });
}

function tierOf(
  key: string,
  text: string,
  wordStarts: number,
  slips: number,
): (typeof STARTS)[number] | null {
  const atStart = editDistanceToStart(key, text, 0, slips);
  if (atStart <= 1) return TIER.similarStartByOne;
  const inside = slipsAtWords(key, text, wordStarts & ~1, slips);
  if (inside <= 1) return TIER.similarWordByOne;
  if (atStart <= slips) return TIER.similarStartByTwo;
  return inside <= slips ? TIER.similarWordByTwo : null;
}

/**
 * The number of slips between a key and the nearest word start of a text; `max` + 1 for more than
 * `max`.
 */
export function slipsAtWords(key: string, text: string, wordStarts: number, max: number): number {
  let least = max + 1;
  for (let at = 0; at < Math.min(text.length, WORD_STARTS_MAX) && least > 1; at++) {
    if (((wordStarts >>> at) & 1) === 0) continue;
    least = Math.min(least, editDistanceToStart(key, text, at, max));
  }
  return least;
}
