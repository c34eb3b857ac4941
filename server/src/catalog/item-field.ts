import { Type } from 'typebox';
import {
  type Field,
  type ParseResult,
  choiceField,
  isObject,
  objectSchema,
  orNull,
  accept,
  parseMembers,
  refuse,
  uuidField,
} from '../base/field.ts';

export type ItemChange =
  | {
      readonly kind: 'card';
      readonly cardId: string;
      readonly gradeId?: string | null | undefined;
    }
  | { readonly kind: 'product'; readonly productId: string };

/** An item's columns. Exactly one of `cardId` and `productId` is set. */
export interface ItemRow {
  readonly cardId: string | null;
  readonly gradeId: string | null;
  readonly productId: string | null;
}

export const ITEM_COLUMNS = {
  cardId: 'card_id uuid',
  gradeId: 'grade_id uuid',
  productId: 'product_id uuid',
} as const;

export function itemRowOf(item: ItemChange): ItemRow {
  return item.kind === 'card'
    ? { cardId: item.cardId, gradeId: item.gradeId ?? null, productId: null }
    : { cardId: null, gradeId: null, productId: item.productId };
}

const productFields = {
  kind: choiceField(['product'], 'A BOX, pack or deck.'),
  productId: uuidField('A product of the catalog.'),
};

/** A write replaces the complete item. `gradeText` describes `gradeId` in the API document. */
export function itemField(gradeText: string): Field<ItemChange> {
  const cardFields = {
    kind: choiceField(['card'], 'A card.'),
    cardId: uuidField('A card of the catalog.'),
    gradeId: orNull(uuidField(gradeText)),
  };
  const readCard = (path: string, value: unknown): ParseResult<ItemChange> => {
    const reading = parseMembers(cardFields, value, 'refuse', path);
    if (!reading.ok) return reading;
    const { cardId, gradeId } = reading.value;
    if (cardId === undefined) return refuse(`${path} must contain cardId.`);
    return accept({ kind: 'card', cardId, gradeId: gradeId ?? null });
  };
  return {
    schema: Type.Unsafe({
      oneOf: [
        objectSchema(cardFields, ['kind', 'cardId']),
        objectSchema(productFields, ['kind', 'productId']),
      ],
    }),
    parse: (path, value) => {
      const kind = isObject(value) ? value['kind'] : undefined;
      if (kind === 'card') return readCard(path, value);
      if (kind === 'product') return readProduct(path, value);
      return refuse(
        `${path} must be {"kind": "card", "cardId", "gradeId"} or {"kind": "product", "productId"}.`,
      );
    },
  };
}

function readProduct(path: string, value: unknown): ParseResult<ItemChange> {
  const reading = parseMembers(productFields, value, 'refuse', path);
  if (!reading.ok) return reading;
  const { productId } = reading.value;
  return productId === undefined
    ? refuse(`${path} must contain productId.`)
    : accept({ kind: 'product', productId });
}
