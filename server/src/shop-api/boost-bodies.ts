import { Type } from 'typebox';
import { type Field, integerField, orNull, read, textField, uuidField } from '../base/field.ts';
import { REMAINING_MAX } from '../boosts/raise-boost.ts';
import { AMOUNT_MINOR_MAX, currencyField } from '../shops/amount-field.ts';
import { instantField } from './instant-field.ts';
import { itemField } from './item-field.ts';

// What a shop's system may say of a buy boost (decision 0070), in the manner of bodies.ts.

/** Pieces of one purchase: more than any till buys at once, so a code scanned into the wrong field is noticed. */
const PURCHASE_PIECES_MAX = 1_000_000;
/** Specification 2.3: a line for landing pages and posts. */
const NOTE_CHARACTERS_MAX = 200;

const noteText = textField(NOTE_CHARACTERS_MAX, 'A line for landing pages and posts.');

/** Up to 200 code points: an empty or blank one is none. */
const note: Field<string | null> = {
  schema: Type.Union([
    Type.String({
      maxLength: NOTE_CHARACTERS_MAX,
      description: 'A line for landing pages and posts. An empty or blank one is none (null).',
    }),
    Type.Null(),
  ]),
  read: (name, value) =>
    value === null || isBlank(value) ? read(null) : noteText.read(name, value),
};

/** Spaces of any width. Other blank characters are control characters, and refused as such. */
function isBlank(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= NOTE_CHARACTERS_MAX && /^\p{Zs}*$/u.test(value)
  );
}

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
    integerField(0, REMAINING_MAX, 'How many more are bought; null: no limit. Changed when given.'),
  ),
  startsAt: orNull(instantField),
  endsAt: orNull(instantField),
  note,
};

/** `POST /boosts/{id}/purchases`. */
export const purchaseFields = {
  id: uuidField("The till's own id of the purchase: the same one again is no second purchase."),
  quantity: integerField(1, PURCHASE_PIECES_MAX, 'How many pieces were bought.'),
};
