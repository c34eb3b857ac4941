import type { Card } from './card.ts';
import type { ExternalId } from './external-id.ts';
import type { Grade } from './grade.ts';
import type { BoostProduct } from './product.ts';

export type FullEntry =
  | {
      readonly kind: 'card';
      readonly card: Card;
      /** If null, an existing entry keeps its value and a new entry is active. */
      readonly isActive: boolean | null;
      readonly externalIds?: readonly ExternalId[];
    }
  | { readonly kind: 'product'; readonly product: BoostProduct; readonly isActive: boolean | null }
  | { readonly kind: 'grade'; readonly grade: Grade };

/** Activates or deactivates an existing card or product. */
export interface ActivationChange {
  readonly kind: 'activation';
  readonly id: string;
  readonly isActive: boolean;
}

export type CatalogEntry = FullEntry | ActivationChange;

/** Cards, products and grades have separate id spaces. */
export function idOfEntry(entry: FullEntry): string {
  switch (entry.kind) {
    case 'card':
      return entry.card.id;
    case 'product':
      return entry.product.id;
    case 'grade':
      return entry.grade.id;
  }
}
