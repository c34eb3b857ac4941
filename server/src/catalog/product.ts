import { Type } from 'typebox';
import { orNull, withResponseSchema } from '../base/field.ts';
import { objectField, type Values } from '../base/object-fields.ts';
import { storedField } from '../database/columns.ts';
import { code, GAME_FIELDS, id, imageUrl, language, name } from './entry-fields.ts';

/** The fields of a sealed product (BOX, pack, deck), in the order of BoostProduct in spec 2.3. */
export const PRODUCT_FIELDS = {
  id,
  name: storedField('name text', name),
  productKind: storedField(
    'product_kind text',
    withResponseSchema(
      Type.String({
        description: '`box`, `pack`, `deck` or another kind. New kinds may be added.',
      }),
      code,
    ),
  ),
  janCode: storedField('jan_code text', orNull(code)),
  languageCode: storedField('language_code text', language),
  imageUrl: storedField('image_url text', orNull(imageUrl)),
  game: objectField(GAME_FIELDS),
};

export type BoostProduct = Values<typeof PRODUCT_FIELDS>;
