import type { CardIds } from './card-ids.ts';
import type { SpellingTable } from './spelling-table.ts';
import type { GramTable } from './gram-table.ts';
import type { Grouped } from './grouped.ts';
import type { LabelTable } from './label-table.ts';
import type { NumberTable } from './number-table.ts';

/**
 * Everything that an index knows. Cards are numbered by set code, number in natural order, then id: an order that every
 * node shares, whatever the history of its index.
 */
export interface CardTables {
  readonly size: number;
  readonly ids: CardIds;
  readonly spellings: SpellingTable;
  readonly grams: GramTable;
  /** The spellings of a card: spelling << SPELLING_BITS | kinds. Its own name is the first. */
  readonly spellingsOfCard: Grouped;
  readonly numbers: NumberTable;
  readonly numberOfCard: Uint32Array;
  /** What is printed after the slash, as runs; 0 is none. */
  readonly totals: readonly string[];
  readonly totalOfCard: Uint32Array;
  readonly sets: LabelTable;
  readonly setOfCard: Uint32Array;
  readonly cardsOfSet: Grouped;
  readonly rarities: LabelTable;
  readonly rarityOfCard: Uint32Array;
  readonly cardsOfRarity: Grouped;
}

/** A spelling that no card has: the name of a card whose name is blank. */
export const NO_SPELLING = 0xff_ff_ff_ff;

/** The number of a card's own name among the spellings; NO_SPELLING when it is blank. */
export function primarySpellingOf({ spellingsOfCard }: CardTables, card: number): number {
  const at = spellingsOfCard.offsets[card] ?? 0;
  const entry =
    at < (spellingsOfCard.offsets[card + 1] ?? 0) ? spellingsOfCard.values[at] : undefined;
  return entry === undefined || (entry & 1) === 0 ? NO_SPELLING : entry >>> 4;
}
