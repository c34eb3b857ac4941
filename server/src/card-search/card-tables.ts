import type { CardIds } from './card-ids.ts';
import type { SpellingTable } from './spelling-table.ts';
import type { GramTable } from './gram-table.ts';
import type { GroupedValues } from './grouped.ts';
import type { LabelTable } from './label-table.ts';
import type { NumberTable } from './number-table.ts';

/**
 * Cards are numbered by set code, number in natural order, then id: all nodes share this order,
 * independent of how their index was built.
 */
export interface CardTables {
  readonly size: number;
  readonly ids: CardIds;
  readonly spellings: SpellingTable;
  readonly grams: GramTable;
  /** Spelling << `SPELLING_KIND_BITS` | kinds. The card's name comes first. */
  readonly spellingsOfCard: GroupedValues;
  readonly numbers: NumberTable;
  readonly numberOfCard: Uint32Array;
  /** The printed total (after the slash), as runs. Index 0 means none. */
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
