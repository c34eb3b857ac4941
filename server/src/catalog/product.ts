import { Type } from 'typebox';
import { orNull, shownAs } from '../base/field.ts';
import { objectField, type Values } from '../base/object-fields.ts';
import { kept } from '../database/columns.ts';
import { code, GAME_FIELDS, id, imageUrl, language, name } from './entry-fields.ts';

/** A sealed product (BOX, pack, deck): BoostProduct of specification 2.3, in its order. */
export const PRODUCT_FIELDS = {
  id,
  name: kept('name text', name),
  productKind: kept(
    'product_kind text',
    shownAs(
      Type.String({
        description: '`box`, `pack`, `deck` or another kind. New kinds may be added.',
      }),
      code,
    ),
  ),
  janCode: kept('jan_code text', orNull(code)),
  languageCode: kept('language_code text', language),
  imageUrl: kept('image_url text', orNull(imageUrl)),
  game: objectField(GAME_FIELDS),
};

export type BoostProduct = Values<typeof PRODUCT_FIELDS>;
