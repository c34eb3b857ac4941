import type { CatalogEntry } from '../entry.ts';

/** The format of Cardport and the formats of the public card databases. */
export const FORMAT_NAMES = [
  'cardport',
  'scryfall',
  'pokemon-tcg-data',
  'tcgdex',
  'ygoprodeck',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

/** Why an element is skipped. The list is closed, so that reports stay short. */
export type PassedOverReason =
  | 'digital only'
  | 'art series'
  | 'another language'
  | 'a set, not a card'
  | 'no known printing';

export type ElementResult =
  | { readonly kind: 'entries'; readonly entries: readonly CatalogEntry[] }
  | { readonly kind: 'passed_over'; readonly reason: PassedOverReason }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads one element. The result must not depend on the elements read before. */
export type ReadElement = (element: unknown) => ElementResult;
