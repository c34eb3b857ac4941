import type { Card } from './card.ts';
import type { Grade } from './grade.ts';
import type { BoostProduct } from './product.ts';

/** One whole entry of the catalog, whatever format it came from. An importer of another format only has to make these. */
export type WholeEntry =
  | {
      readonly kind: 'card';
      readonly card: Card;
      /** Null where the source does not say: a known entry stays as it is switched, a new one is active. */
      readonly isActive: boolean | null;
    }
  | { readonly kind: 'product'; readonly product: BoostProduct; readonly isActive: boolean | null }
  | { readonly kind: 'grade'; readonly grade: Grade };

/** Switches a known card or product on or off, and leaves everything else as it is. */
export interface EntrySwitch {
  readonly kind: 'switch';
  readonly id: string;
  readonly isActive: boolean;
}

/** What an import writes. */
export type CatalogEntry = WholeEntry | EntrySwitch;

/** The entry's id. Ids of cards, products and grades are apart from each other. */
export function idOfEntry(entry: WholeEntry): string {
  switch (entry.kind) {
    case 'card':
      return entry.card.id;
    case 'product':
      return entry.product.id;
    case 'grade':
      return entry.grade.id;
  }
}
