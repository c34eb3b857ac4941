import { editDistance } from './edit-distance.ts';
import type { Finding } from './finding.ts';
import { cardOf, type SpellingTable } from './spelling-table.ts';
import { firstNot, membersOf } from './grouped.ts';
import { gramsOf, postingsOf } from './gram-table.ts';
import { TIER } from './tier.ts';

/** From this length on two slips are forgiven; below it one: two of seven letters would make another word. */
const TWO_SLIPS_MIN = 8;
/** One slip in three letters leaves nothing to know a name by. */
const SIMILAR_MIN = 4;
/** Longer texts are compared by hardly anyone, and cost the square of their length. */
const SIMILAR_MAX = 64;
/** A slip touches two pairs of letters, two letters that change places three. */
const PAIRS_PER_SLIP = 3;
/** How many postings are counted at most, the rarest pairs first: about 4 ms. */
const COUNTED_MAX = 1_500_000;
/** How many texts are compared letter by letter at most, those with the most pairs in common first: about 3 ms. */
const COMPARED_MAX = 10_000;

/** A text that names are compared with, and the kinds that they must be of. */
export interface SimilarTo {
  readonly key: string;
  readonly kinds: number;
}

/** Cards that have a text within one slip, or two, of one of the keys: fewer slips first, then shorter texts. */
export function findSimilarNames(finding: Finding, keys: readonly SimilarTo[]): void {
  const { spellings } = finding.tables;
  const byDistance = new Map([1, 2].map((distance) => [distance, new Map<number, number>()]));
  for (const { key, kinds } of keys) {
    if (key.length < SIMILAR_MIN || key.length > SIMILAR_MAX) continue;
    const slips = key.length < TWO_SLIPS_MIN ? 1 : 2;
    for (const spelling of candidatesOf(finding, key, slips)) {
      if (((spellings.kinds[spelling] ?? 0) & kinds) === 0) continue;
      const distance = editDistance(key, spellings.texts[spelling] ?? '', slips);
      if (distance > slips) continue;
      const similar = byDistance.get(distance);
      similar?.set(spelling, (similar.get(spelling) ?? 0) | kinds);
    }
  }
  for (const [distance, similar] of byDistance) {
    const tier = distance === 1 ? TIER.similarByOne : TIER.similarByTwo;
    for (const [spelling, kinds] of [...similar].toSorted(([a], [b]) => a - b)) {
      for (const entry of membersOf(spellings.cards, spelling)) {
        if (finding.isFull()) return;
        if ((entry & kinds) !== 0) finding.addBySpelling(cardOf(entry), tier, spelling);
      }
    }
  }
}

/** The texts of about the same length that share enough pairs with the key, those that share most first. */
function candidatesOf({ tables }: Finding, key: string, slips: number): number[] {
  const { grams, spellings } = tables;
  const from = firstLongerThan(spellings, key.length - slips - 1);
  const to = firstLongerThan(spellings, key.length + slips);
  const shared = new Uint8Array(to - from);
  const pairs = gramsOf(key);
  const lists = pairs
    .map((gram) => grams.slots.find(gram))
    .filter((slot) => slot >= 0)
    .map((slot) => within(postingsOf(grams, slot), from, to))
    .toSorted((a, b) => a.length - b.length);
  let counted = 0;
  for (const list of lists) {
    counted += list.length;
    if (counted > COUNTED_MAX) break;
    for (const spelling of list) shared[spelling - from] = (shared[spelling - from] ?? 0) + 1;
  }
  const least = Math.max(1, pairs.length - PAIRS_PER_SLIP * slips);
  return mostShared(shared, least, pairs.length).map((place) => place + from);
}

function mostShared(shared: Uint8Array, least: number, most: number): number[] {
  const byCount = Array.from({ length: most + 1 }, () => new Array<number>());
  for (let place = 0; place < shared.length; place++) {
    const count = shared[place] ?? 0;
    if (count >= least) byCount[count]?.push(place);
  }
  return byCount.toReversed().flat().slice(0, COMPARED_MAX);
}

function within(postings: Uint32Array, from: number, to: number): Uint32Array {
  return postings.subarray(
    firstNot(postings.length, (at) => (postings[at] ?? 0) < from),
    firstNot(postings.length, (at) => (postings[at] ?? 0) < to),
  );
}

function firstLongerThan({ texts }: SpellingTable, length: number): number {
  return firstNot(texts.length, (at) => (texts[at] ?? '').length <= length);
}
