import type { Card } from './card.ts';
import type { Grade } from './grade.ts';
import type { BoostProduct } from './product.ts';

/**
 * What an import writes, whatever format it came from: one whole entry. An importer of another format only has to make
 * these.
 */
export type CatalogEntry =
  | { readonly kind: 'card'; readonly card: Card; readonly isActive: boolean }
  | { readonly kind: 'product'; readonly product: BoostProduct; readonly isActive: boolean }
  | { readonly kind: 'grade'; readonly grade: Grade };

/** The entry's id. Ids of cards, products and grades are apart from each other. */
export function idOfEntry(entry: CatalogEntry): string {
  switch (entry.kind) {
    case 'card':
      return entry.card.id;
    case 'product':
      return entry.product.id;
    case 'grade':
      return entry.grade.id;
  }
}
