import type { CatalogEntry } from '../entry.ts';

/** The forms of catalog files: our own, and those of the public card databases. */
export const formNames = [
  'cardport',
  'scryfall',
  'pokemon-tcg-data',
  'tcgdex',
  'ygoprodeck',
] as const;

/** The name of a form, as the command takes it. */
export type FormName = (typeof formNames)[number];

/** Why an element is passed over: a closed list for each form, so that a report stays short. */
export type PassedOverReason =
  | 'digital only'
  | 'art series'
  | 'another language'
  | 'a set, not a card'
  | 'no printing known';

/** What an element of a file is: catalog entries, something that is no card of a shop, or bad. */
export type FormReading =
  | { readonly kind: 'entries'; readonly entries: readonly CatalogEntry[] }
  | { readonly kind: 'passed_over'; readonly reason: PassedOverReason }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads one element of a file in a form. It gives the same entries whatever was read before. */
export type ReadElement = (element: unknown) => FormReading;
