import type { CatalogEntry } from '../entry.ts';

/** Cardport's own, and those of the public card databases. */
export const FORMAT_NAMES = [
  'cardport',
  'scryfall',
  'pokemon-tcg-data',
  'tcgdex',
  'ygoprodeck',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

/** Each format has a closed list, so that reports stay short. */
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

/** The result does not depend on the elements read before. */
export type ReadElement = (element: unknown) => ElementResult;
