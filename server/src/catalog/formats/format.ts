import type { CatalogEntry } from '../entry.ts';

export const FORMAT_NAMES = [
  'cardport',
  'scryfall',
  'pokemon-tcg-data',
  'tcgdex',
  'ygoprodeck',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

/** Why an element is skipped. The list is closed, so that reports stay short. */
export type SkipReason =
  | 'digital only'
  | 'art series'
  | 'another language'
  | 'a set, not a card'
  | 'no known printing';

export type ElementResult =
  | { readonly kind: 'entries'; readonly entries: readonly CatalogEntry[] }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads one element. The result must not depend on earlier elements. */
export type ReadElement = (element: unknown) => ElementResult;
