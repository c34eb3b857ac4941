import type { Finding } from './finding.ts';
import { cardOf, equalRange, prefixRange } from './form-table.ts';
import { membersOf } from './grouped.ts';
import { scanTexts } from './scan-texts.ts';

/** A stretch of the alphabet up to this long is sorted as a whole; that takes about 0.1 ms. */
const SORTED_WHOLE_MAX = 2_048;
/** How many of the shortest texts of a longer stretch are looked at first; they nearly always fill a page. */
const SHORTEST_FIRST = 256;

/** Cards that have exactly this text by one of these kinds. */
export function findExact(finding: Finding, key: string, kinds: number, tier: number): void {
  const { forms } = finding.tables;
  const [from, to] = equalRange(forms, key);
  addCardsOfForms(finding, forms.alphabetical.subarray(from, to), kinds, tier);
}

/** Cards that have a text which starts with the key, shorter texts first. */
export function findPrefix(finding: Finding, key: string, kinds: number, tier: number): void {
  if (finding.isFull()) return;
  const { forms } = finding.tables;
  const [from, to] = prefixRange(forms, key);
  if (to - from > SORTED_WHOLE_MAX) {
    const first = shortestOf(forms.alphabetical.subarray(from, to), forms.kinds, kinds);
    addCardsOfForms(finding, first, kinds, tier);
    if (finding.isFull() || first.length < SHORTEST_FIRST) return;
  }
  addCardsOfForms(finding, forms.alphabetical.subarray(from, to).toSorted(), kinds, tier);
}

/** The smallest numbers of the wanted kinds, ascending: texts are numbered by length. */
function shortestOf(stretch: Uint32Array, kindsOf: Uint8Array, wanted: number): Uint32Array {
  const smallest = new Uint32Array(SHORTEST_FIRST);
  let size = 0;
  let largestAt = 0;
  for (const form of stretch) {
    if (((kindsOf[form] ?? 0) & wanted) === 0) continue;
    if (size < SHORTEST_FIRST) {
      smallest[size] = form;
      if (form > (smallest[largestAt] ?? 0)) largestAt = size;
      size++;
    } else if (form < (smallest[largestAt] ?? 0)) {
      smallest[largestAt] = form;
      for (let at = 0; at < size; at++) {
        if ((smallest[at] ?? 0) > (smallest[largestAt] ?? 0)) largestAt = at;
      }
    }
  }
  return smallest.subarray(0, size).toSorted();
}

/** Adds the cards that have these texts, which come in their order. */
export function addCardsOfForms(
  finding: Finding,
  ascending: Iterable<number>,
  kinds: number,
  tier: number,
): void {
  const { forms } = finding.tables;
  for (const form of ascending) {
    if (finding.isFull()) return;
    if (((forms.kinds[form] ?? 0) & kinds) !== 0) addCards(finding, form, kinds, tier);
  }
}

function addCards(finding: Finding, form: number, kinds: number, tier: number): void {
  const { forms } = finding.tables;
  for (const entry of membersOf(forms.cards, form)) {
    if (finding.isFull()) return;
    if ((entry & kinds) !== 0) finding.addByForm(cardOf(entry), tier, form);
  }
}

/** A tier of the cards that hold the key inside a text: for which kinds, and whether a word must start there. */
export interface InsideTier {
  readonly kinds: number;
  readonly isWordStart: boolean;
  readonly tier: number;
}

/**
 * The cards that hold the key inside a text, by tier: each list in order and at most `limit` long, ready to be added
 * when its turn comes. One walk serves all tiers.
 */
export function collectInside(
  finding: Finding,
  key: string,
  tiers: readonly InsideTier[],
): Map<number, Inside[]> {
  const { forms } = finding.tables;
  const wanted = tiers.reduce((kinds, each) => kinds | each.kinds, 0);
  const byTier = new Map(tiers.map(({ tier }) => [tier, new Array<Inside>()]));
  scanTexts(finding.tables, [key], wanted, (form) => {
    const isWordStart = startsWordIn(forms.texts[form] ?? '', forms.wordStarts[form] ?? 0, key);
    for (const entry of membersOf(forms.cards, form)) {
      const place = tiers.find(
        (each) => (entry & each.kinds) !== 0 && (isWordStart || !each.isWordStart),
      );
      const list = place === undefined ? undefined : byTier.get(place.tier);
      if (list === undefined || list.length >= finding.limit) continue;
      if (finding.accepts(cardOf(entry))) list.push({ card: cardOf(entry), form });
    }
    return countOf(byTier, tiers[0]?.tier) < finding.limit ? countAll(byTier) : null;
  });
  return byTier;
}

/** A card that holds the key inside one of its texts. */
export interface Inside {
  readonly card: number;
  readonly form: number;
}

/** Adds what `collectInside` found for a tier. */
export function addInside(
  finding: Finding,
  byTier: ReadonlyMap<number, readonly Inside[]>,
  tier: number,
): void {
  for (const { card, form } of byTier.get(tier) ?? []) finding.addByForm(card, tier, form);
}

function countOf(byTier: ReadonlyMap<number, readonly Inside[]>, tier: number | undefined): number {
  return tier === undefined ? 0 : (byTier.get(tier)?.length ?? 0);
}

function countAll(byTier: ReadonlyMap<number, readonly Inside[]>): number {
  let count = 0;
  for (const list of byTier.values()) count += list.length;
  return count;
}

/** True when a word of the text starts where the key is found: the first places of it are looked at. */
function startsWordIn(text: string, wordStarts: number, key: string): boolean {
  for (let at = text.indexOf(key); at >= 0 && at < 32; at = text.indexOf(key, at + 1)) {
    if (((wordStarts >>> at) & 1) === 1) return true;
  }
  return false;
}
