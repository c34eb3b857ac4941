import { Type } from 'typebox';
import { orNull, shownAs } from '../base/field.ts';
import { objectField, type Values } from '../base/object-fields.ts';
import { code, GAME_FIELDS, id, imageUrl, language, name } from './entry-fields.ts';

/** A sealed product (BOX, pack, deck) of the catalog: BoostProduct of specification 2.3, in its order. */
export const PRODUCT_FIELDS = {
  id,
  name,
  productKind: shownAs(
    Type.String({ description: 'An open set: `box`, `pack`, `deck` and others.' }),
    code,
  ),
  janCode: orNull(code),
  languageCode: language,
  imageUrl: orNull(imageUrl),
  game: objectField(GAME_FIELDS),
};

export type BoostProduct = Values<typeof PRODUCT_FIELDS>;
