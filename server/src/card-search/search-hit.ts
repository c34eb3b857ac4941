import type { CardTables } from './card-tables.ts';
import type { Found } from './hit-collector.ts';
import { compareByLength, compareTexts } from './spelling-table.ts';
import { compareNumbers } from './number-table.ts';
import { TIER } from './tier.ts';

/** Ranks by tier (lower is better), higher score, shorter matching text, set code and number. */
export interface Rank {
  readonly tier: number;
  readonly score: number;
  readonly text: string;
  readonly wordStarts: number;
  readonly setCode: string;
  readonly runs: string;
  readonly joined: string;
}

/** A found card. It has only plain values, so that it can be sent between threads. */
export interface Hit {
  readonly id: string;
  readonly rank: Rank;
}

export function compareHits(a: Hit, b: Hit): number {
  const [x, y] = [a.rank, b.rank];
  return (
    x.tier - y.tier ||
    y.score - x.score ||
    compareByLength(x.text, y.text) ||
    x.wordStarts - y.wordStarts ||
    compareTexts(x.setCode, y.setCode) ||
    compareNumbers(x, y) ||
    compareTexts(a.id, b.id)
  );
}

/**
 * Returns whether the hits of all indexes justify a search for similar names: there are none, or
 * only hits by sound. A mistyped English name may happen to sound like a Japanese name (Hipopotas).
 */
export function needsSimilar(hits: readonly Hit[]): boolean {
  return hits.every(
    ({ rank }) => rank.tier >= TIER.prefixPhonetic && rank.tier <= TIER.substringPhonetic,
  );
}

export function hitOf(tables: CardTables, { card, tier, score, text, wordStarts }: Found): Hit {
  const number = tables.numberOfCard[card] ?? 0;
  return {
    id: tables.ids.read(card),
    rank: {
      tier,
      score,
      text,
      wordStarts,
      setCode: tables.sets.codes[tables.setOfCard[card] ?? 0] ?? '',
      runs: tables.numbers.runs[number] ?? '',
      joined: tables.numbers.joined[number] ?? '',
    },
  };
}
