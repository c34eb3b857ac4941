import type { Card } from '../catalog/card.ts';
import type { Grade } from '../catalog/grade.ts';
import type { BoostProduct } from '../catalog/product.ts';
import type { ShownPhoto } from './unit-photo.ts';

/** What a unit is, as its record shows it: a card with its grade (null: not graded yet), or a product. */
export type StockItem =
  | { readonly kind: 'card'; readonly card: Card; readonly grade: Grade | null }
  | { readonly kind: 'product'; readonly product: BoostProduct };

/** What a unit's record shows of the catalog and of its photos, front before back. */
export interface ShownInRecord {
  readonly item: StockItem;
  readonly photos: readonly ShownPhoto[];
}

/**
 * Reads a unit's stored record, which this room has written (`openUnitRecord`) and which ends before the value of
 * `costMinor`. So a list needs no catalog: what members see is what apps were sent.
 */
export function readRecord(doc: string): ShownInRecord {
  const record: unknown = JSON.parse(`${doc}null}}`);
  // As `renderUnitHead` writes it.
  return (record as { readonly data: ShownInRecord }).data;
}

/** An item's name in a language (`ja`, `en`): its own where it is printed in it or has no other. */
export function itemName(item: StockItem, language: string): string {
  return item.kind === 'product' ? item.product.name : cardName(item.card, language);
}

/** A card's name in a language: its own where it is printed in that language, or has no name in it. */
export function cardName(
  card: Pick<Card, 'name' | 'languageCode' | 'localizedNames'>,
  language: string,
): string {
  if (card.languageCode === language) return card.name;
  return card.localizedNames[language] ?? card.name;
}
