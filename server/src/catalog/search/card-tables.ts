import type { CardIds } from './card-ids.ts';
import type { FormTable } from './form-table.ts';
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
  readonly forms: FormTable;
  readonly grams: GramTable;
  /** The forms of a card: form << FORM_BITS | kinds. Its own name is the first. */
  readonly formsOfCard: Grouped;
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

/** A form that no card has: the name of a card whose name is blank. */
export const NO_FORM = 0xff_ff_ff_ff;

/** The number of a card's own name among the forms; NO_FORM when it is blank. */
export function primaryFormOf({ formsOfCard }: CardTables, card: number): number {
  const at = formsOfCard.offsets[card] ?? 0;
  const entry = at < (formsOfCard.offsets[card + 1] ?? 0) ? formsOfCard.values[at] : undefined;
  return entry === undefined || (entry & 1) === 0 ? NO_FORM : entry >>> 4;
}
