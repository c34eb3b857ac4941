import { integerField, orNull, textField, uuidField } from '../base/field.ts';
import { AMOUNT_MINOR_MAX, currencyField } from './amount-field.ts';
import { instantField } from './instant-field.ts';
import { itemField } from './item-field.ts';

// What a shop's system may say of a buy boost (decision 0070), in the manner of bodies.ts.

/** Pieces of one card or product: more than any shop buys, and exact whatever is added up. */
const PIECES_MAX = 1_000_000;
/** Specification 2.3: a line for landing pages and posts. */
const NOTE_CHARACTERS_MAX = 200;

/** `PUT /boosts/{id}`. */
export const boostFields = {
  target: itemField('A grade; null or left out: any grade.'),
  priceMinor: integerField(
    0,
    AMOUNT_MINOR_MAX,
    "The price of each piece, in the currency's minor unit (whole yen for JPY).",
  ),
  currency: currencyField,
  remainingQuantity: orNull(
    integerField(0, PIECES_MAX, 'How many more are bought; null: no limit. Changed when given.'),
  ),
  startsAt: orNull(instantField),
  endsAt: orNull(instantField),
  note: orNull(textField(NOTE_CHARACTERS_MAX, 'A line for landing pages and posts.')),
};

/** `POST /boosts/{id}/purchases`. */
export const purchaseFields = {
  id: uuidField("The till's own id of the purchase: the same one again is no second purchase."),
  quantity: integerField(1, PIECES_MAX, 'How many pieces were bought.'),
};
