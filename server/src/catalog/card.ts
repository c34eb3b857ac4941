import { orNull } from '../base/field.ts';
import { objectField, type Values } from '../base/object-fields.ts';
import { storedField } from '../database/columns.ts';
import { code, GAME_FIELDS, id, imageUrl, language, localizedNames, name } from './entry-fields.ts';

const RARITY_FIELDS = { code, name };
const BOOST_SET_FIELDS = { id, code, name };
const SET_FIELDS = { ...BOOST_SET_FIELDS, nameEn: orNull(name) };

/** In the order of spec 2.2. Type, JSON schema, columns and parser derive from this table. */
export const CARD_FIELDS = {
  id,
  name: storedField('name text', name),
  localizedNames: storedField('localized_names jsonb', localizedNames),
  cardNumber: storedField('card_number text', orNull(code)),
  setTotalRaw: storedField('set_total_raw text', orNull(code)),
  janCode: storedField('jan_code text', orNull(code)),
  languageCode: storedField('language_code text', language),
  variant: storedField('variant text', orNull(name)),
  finish: storedField('finish text', orNull(code)),
  imageUrl: storedField('image_url text', orNull(imageUrl)),
  rarity: orNull(objectField(RARITY_FIELDS)),
  set: orNull(objectField(SET_FIELDS)),
  game: objectField(GAME_FIELDS),
};

const { janCode: _jan, variant: _variant, finish: _finish, ...SHARED_FIELDS } = CARD_FIELDS;

/** The fields of a BoostCard (spec 2.3). */
export const BOOST_CARD_FIELDS = {
  ...SHARED_FIELDS,
  set: orNull(objectField(BOOST_SET_FIELDS)),
};

export type { LocalizedNames } from './entry-fields.ts';
export type Game = Values<typeof GAME_FIELDS>;
export type Rarity = Values<typeof RARITY_FIELDS>;
export type CardSet = Values<typeof SET_FIELDS>;
export type Card = Values<typeof CARD_FIELDS>;
export type BoostCard = Values<typeof BOOST_CARD_FIELDS>;

export function boostCardOf(card: Card): BoostCard {
  const { janCode: _jan, variant: _variant, finish: _finish, ...shown } = card;
  const { set } = card;
  return { ...shown, set: set === null ? null : { id: set.id, code: set.code, name: set.name } };
}
