import type { HitCollector } from './hit-collector.ts';
import { cardOf, equalRange, prefixRange } from './spelling-table.ts';
import { membersOf } from './grouped.ts';
import { scanTexts } from './scan-texts.ts';
import { WORD_PLACE, type WordPlace, wordPlaceOf } from './word-place.ts';

/** A range of up to this many texts is sorted completely, which takes about 0.1 ms. */
const SORTED_WHOLE_MAX = 2_048;
/**
 * In a longer range, this many of the shortest texts come first. They nearly always fill a page.
 */
const SHORTEST_FIRST = 256;

export function findExact(collector: HitCollector, key: string, kinds: number, tier: number): void {
  const { spellings } = collector.tables;
  const [from, to] = equalRange(spellings, key);
  addCardsOfSpellings(collector, spellings.alphabetical.subarray(from, to), kinds, tier);
}

export function findPrefix(
  collector: HitCollector,
  key: string,
  kinds: number,
  tier: number,
): void {
  if (collector.isFull()) return;
  const { spellings } = collector.tables;
  const [from, to] = prefixRange(spellings, key);
  if (to - from > SORTED_WHOLE_MAX) {
    const first = shortestOf(spellings.alphabetical.subarray(from, to), spellings.kinds, kinds);
    addCardsOfSpellings(collector, first, kinds, tier);
    if (collector.isFull() || first.length < SHORTEST_FIRST) return;
  }
  addCardsOfSpellings(collector, spellings.alphabetical.subarray(from, to).toSorted(), kinds, tier);
}

/** Returns the smallest spelling numbers of the wanted kinds. They are ascending by length. */
function shortestOf(stretch: Uint32Array, kindsOf: Uint8Array, wanted: number): Uint32Array {
  const smallest = new Uint32Array(SHORTEST_FIRST);
  let size = 0;
  let largestAt = 0;
  for (const spelling of stretch) {
    if (((kindsOf[spelling] ?? 0) & wanted) === 0) continue;
    if (size < SHORTEST_FIRST) {
      smallest[size] = spelling;
      if (spelling > (smallest[largestAt] ?? 0)) largestAt = size;
      size++;
    } else if (spelling < (smallest[largestAt] ?? 0)) {
      smallest[largestAt] = spelling;
      for (let at = 0; at < size; at++) {
        if ((smallest[at] ?? 0) > (smallest[largestAt] ?? 0)) largestAt = at;
      }
    }
  }
  return smallest.subarray(0, size).toSorted();
}

export function addCardsOfSpellings(
  collector: HitCollector,
  ascending: Iterable<number>,
  kinds: number,
  tier: number,
): void {
  const { spellings } = collector.tables;
  for (const spelling of ascending) {
    if (collector.isFull()) return;
    if (((spellings.kinds[spelling] ?? 0) & kinds) !== 0) {
      addCards(collector, spelling, kinds, tier);
    }
  }
}

function addCards(collector: HitCollector, spelling: number, kinds: number, tier: number): void {
  const { spellings } = collector.tables;
  for (const entry of membersOf(spellings.cards, spelling)) {
    if (collector.isFull()) return;
    if ((entry & kinds) !== 0) collector.addBySpelling(cardOf(entry), tier, spelling);
  }
}

/** Adds the cards of which a text of these kinds has the key as a whole word. */
export function findWord(collector: HitCollector, key: string, kinds: number, tier: number): void {
  const matches = collectSubstringMatches(collector, key, [
    { kinds, place: WORD_PLACE.word, tier },
  ]);
  addSubstringMatches(collector, matches, tier);
}

/** Matches the key inside a text of these kinds, at this place or a better one. */
export interface SubstringTier {
  readonly kinds: number;
  readonly place: WordPlace;
  readonly tier: number;
}

/** Returns each tier's matches, sorted and at most `limit` long, from a single index scan. */
export function collectSubstringMatches(
  collector: HitCollector,
  key: string,
  tiers: readonly SubstringTier[],
): Map<number, SubstringMatch[]> {
  const { spellings } = collector.tables;
  const wanted = tiers.reduce((kinds, each) => kinds | each.kinds, 0);
  const byTier = new Map(tiers.map(({ tier }) => [tier, new Array<SubstringMatch>()]));
  scanTexts(collector.tables, [key], wanted, (spelling) => {
    const text = spellings.texts[spelling] ?? '';
    const place = wordPlaceOf(key, text, spellings.wordStarts[spelling] ?? 0) ?? WORD_PLACE.inside;
    for (const entry of membersOf(spellings.cards, spelling)) {
      const matchingTier = tiers.find((each) => (entry & each.kinds) !== 0 && place <= each.place);
      const list = matchingTier === undefined ? undefined : byTier.get(matchingTier.tier);
      if (list === undefined || list.length >= collector.limit) continue;
      if (collector.accepts(cardOf(entry))) list.push({ card: cardOf(entry), spelling });
    }
    return countOf(byTier, tiers[0]?.tier) < collector.limit
      ? countAll(byTier) >= collector.limit
      : null;
  });
  return byTier;
}

export interface SubstringMatch {
  readonly card: number;
  readonly spelling: number;
}

export function addSubstringMatches(
  collector: HitCollector,
  byTier: ReadonlyMap<number, readonly SubstringMatch[]>,
  tier: number,
): void {
  for (const { card, spelling } of byTier.get(tier) ?? []) {
    collector.addBySpelling(card, tier, spelling);
  }
}

function countOf(
  byTier: ReadonlyMap<number, readonly SubstringMatch[]>,
  tier: number | undefined,
): number {
  return tier === undefined ? 0 : (byTier.get(tier)?.length ?? 0);
}

function countAll(byTier: ReadonlyMap<number, readonly SubstringMatch[]>): number {
  let count = 0;
  for (const list of byTier.values()) count += list.length;
  return count;
}
