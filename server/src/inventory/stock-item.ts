import type { Card } from '../catalog/card.ts';
import type { Grade } from '../catalog/grade.ts';
import type { BoostProduct } from '../catalog/product.ts';
import type { ShownPhoto } from './unit-photo.ts';

/** A product, or a card with its grade, which is null if the card is not graded yet. */
export type StockItem =
  | { readonly kind: 'card'; readonly card: Card; readonly grade: Grade | null }
  | { readonly kind: 'product'; readonly product: BoostProduct };

/** The parts of a unit's record that appear in lists. The front photo comes before the back. */
export interface UnitRecordContent {
  readonly item: StockItem;
  readonly photos: readonly ShownPhoto[];
}

/**
 * Parses what `openUnitRecord` wrote, which ends before the value of `costMinor`. Lists read these
 * records, so they do not query the catalog, and members see exactly what apps were sent.
 */
export function parseUnitRecord(doc: string): UnitRecordContent {
  const record: unknown = JSON.parse(`${doc}null}}`);
  // The record has the shape that `renderUnitStart` writes.
  return (record as { readonly data: UnitRecordContent }).data;
}
