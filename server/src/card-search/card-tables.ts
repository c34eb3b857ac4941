import type { CardIds } from './card-ids.ts';
import type { SpellingTable } from './spelling-table.ts';
import type { GramTable } from './gram-table.ts';
import type { GroupedValues } from './grouped.ts';
import type { LabelTable } from './label-table.ts';
import type { NumberTable } from './number-table.ts';

/**
 * The tables of an index. Cards are numbered by set code, number in natural order, then id. All
 * nodes share this order, regardless of how their index was built.
 */
export interface CardTables {
  readonly size: number;
  readonly ids: CardIds;
  readonly spellings: SpellingTable;
  readonly grams: GramTable;
  /** Each card's spellings: number << `SPELLING_KIND_BITS` | kinds. The card's name is first. */
  readonly spellingsOfCard: GroupedValues;
  readonly numbers: NumberTable;
  readonly numberOfCard: Uint32Array;
  /** The totals printed after the slash, as runs. Index 0 means no total. */
  readonly totals: readonly string[];
  readonly totalOfCard: Uint32Array;
  readonly sets: LabelTable;
  readonly setOfCard: Uint32Array;
  readonly cardsOfSet: GroupedValues;
  readonly rarities: LabelTable;
  readonly rarityOfCard: Uint32Array;
  readonly cardsOfRarity: GroupedValues;
}

export const NO_SPELLING = 0xff_ff_ff_ff;

export function primarySpellingOf({ spellingsOfCard }: CardTables, card: number): number {
  const at = spellingsOfCard.offsets[card] ?? 0;
  const entry =
    at < (spellingsOfCard.offsets[card + 1] ?? 0) ? spellingsOfCard.values[at] : undefined;
  return entry === undefined || (entry & 1) === 0 ? NO_SPELLING : entry >>> 4;
}
