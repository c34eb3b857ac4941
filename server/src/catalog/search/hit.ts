import type { CardTables } from './card-tables.ts';
import type { Found } from './finding.ts';
import { compareByLength, compareTexts } from './spelling-table.ts';
import { compareNumbers } from './number-table.ts';
import { TIER } from './tier.ts';

/** Where a hit stands: by tier (lower is better), then the shorter text that it was found by, then set code and number. */
export interface Rank {
  readonly tier: number;
  readonly text: string;
  /** The bits of `NameKey.wordStarts`. */
  readonly wordStarts: number;
  readonly setCode: string;
  /** The card number in the two forms of `CardNumber`. */
  readonly runs: string;
  readonly joined: string;
}

/** A card that was found. Plain values only, so that it may travel between threads. */
export interface Hit {
  readonly id: string;
  /** Orders hits of several indexes over each other by `compareHits`. */
  readonly rank: Rank;
}

/** Orders hits of several indexes over each other: negative when `a` comes first. */
export function compareHits(a: Hit, b: Hit): number {
  const [x, y] = [a.rank, b.rank];
  return (
    x.tier - y.tier ||
    compareByLength(x.text, y.text) ||
    x.wordStarts - y.wordStarts ||
    compareTexts(x.setCode, y.setCode) ||
    compareNumbers(x, y) ||
    compareTexts(a.id, b.id)
  );
}

/**
 * Whether similar names are wanted beside the hits of all indexes: when there are none, or when all of them only sound
 * like what was typed. A slip in an English name may well be how a Japanese one sounds (Hipopotas).
 */
export function wantsSimilar(hits: readonly Hit[]): boolean {
  return hits.every(({ rank }) => rank.tier >= TIER.prefixSound && rank.tier <= TIER.insideSound);
}

/** The hit that a found card is. */
export function hitOf(tables: CardTables, { card, tier, text, wordStarts }: Found): Hit {
  const number = tables.numberOfCard[card] ?? 0;
  return {
    id: tables.ids.read(card),
    rank: {
      tier,
      text,
      wordStarts,
      setCode: tables.sets.codes[tables.setOfCard[card] ?? 0] ?? '',
      runs: tables.numbers.runs[number] ?? '',
      joined: tables.numbers.joined[number] ?? '',
    },
  };
}
