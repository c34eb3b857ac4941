import { type TObject, type TSchema, Type } from 'typebox';
import { responseSchemas } from '../base/object-fields.ts';
import { oneOfKinds, stringEnum, orNull, refTo } from '../base/schema.ts';
import { BOOST_CARD_FIELDS, CARD_FIELDS } from './card.ts';
import { GRADE_FIELDS, SERVICE_KINDS } from './grade.ts';
import { PRODUCT_FIELDS } from './product.ts';

// The schemas of both APIs (spec 2.2, 2.3), exported under their names in the OpenAPI documents.

export const Card = Type.Object(responseSchemas(CARD_FIELDS), {
  description: 'A card of the catalog.',
});
export const BoostCard = Type.Object(responseSchemas(BOOST_CARD_FIELDS));
export const BoostProduct = Type.Object(responseSchemas(PRODUCT_FIELDS), {
  description: 'A sealed product: a BOX, pack or deck.',
});
export const Grade = Type.Object({
  ...responseSchemas(GRADE_FIELDS),
  serviceKind: stringEnum(
    SERVICE_KINDS,
    'An external grading service (`third_party`) or the shop’s own condition rank (`internal`).',
  ),
});

/** Target shape A of spec 2.3. A null `grade` means any grade. */
export const BoostedCard = ofCard('BoostCard');
/**
 * A unit shows the complete card, because variant and finish distinguish a foil from a plain card
 * (decision 0001). A null `grade` means not graded yet.
 */
export const StockedCard = ofCard('Card');
/** Target shape B of spec 2.3. */
export const Product = Type.Object({
  kind: Type.Literal('product'),
  product: refTo('BoostProduct'),
});

export const BoostTargetSchema = oneOfKinds(
  { card: 'BoostedCard', product: 'Product' },
  'What the shop buys.',
);
export const UnitItemSchema = oneOfKinds(
  { card: 'StockedCard', product: 'Product' },
  'What it is.',
);

function ofCard(component: string): TObject<Record<string, TSchema>> {
  return Type.Object({
    kind: Type.Literal('card'),
    card: refTo(component),
    grade: orNull(refTo('Grade')),
  });
}
