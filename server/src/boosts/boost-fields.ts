import { Type } from 'typebox';
import { type Field, integerField, orNull, accept, textField, uuidField } from '../base/field.ts';
import { instantField } from '../base/instant-field.ts';
import { itemField } from '../catalog/item-field.ts';
import { stored } from '../database/columns.ts';
import { amountField, currencyField } from '../shops/amount-field.ts';

/**
 * Decision 0070: the specification sets no maximum; a billion fits a signed 32-bit integer, which
 * some JSON clients use.
 */
export const REMAINING_MAX = 1_000_000_000;
/** More than a point of sale buys at once, so a code scanned into the wrong field is rejected. */
const PURCHASE_PIECES_MAX = 1_000_000;
/** Spec 2.3: one line for landing pages and posts. In code points. */
const NOTE_CHARACTERS_MAX = 200;

const noteText = textField(NOTE_CHARACTERS_MAX, 'A line for landing pages and posts.');

/** An empty or blank note is null. */
const note: Field<string | null> = {
  schema: Type.Union([
    Type.String({
      maxLength: NOTE_CHARACTERS_MAX,
      description: 'A line for landing pages and posts. An empty or blank note is stored as null.',
    }),
    Type.Null(),
  ]),
  responseSchema: Type.Unsafe({ type: ['string', 'null'], maxLength: NOTE_CHARACTERS_MAX }),
  defaultValue: null,
  parse: (name, value) =>
    value === null || isBlank(value) ? accept(null) : noteText.parse(name, value),
};

/**
 * Space separators only. Other blank characters are control characters, which `textField` rejects.
 */
function isBlank(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= NOTE_CHARACTERS_MAX && /^\p{Zs}*$/u.test(value)
  );
}

/** `status` follows in the order of spec 2.3. */
export const OFFER_FIELDS = {
  target: itemField('A grade. Null or omitted means any grade.'),
  priceMinor: stored('price_minor bigint', amountField('The price per piece.')),
  currency: stored('currency text', currencyField),
  remainingQuantity: stored(
    'remaining_quantity bigint',
    orNull(integerField(0, REMAINING_MAX, 'How many more the shop will buy. Null means no limit.')),
  ),
};

export const TERM_FIELDS = {
  startsAt: stored(
    'starts_at timestamptz',
    orNull(instantField('The boost opens at this instant.')),
  ),
  endsAt: stored('ends_at timestamptz', orNull(instantField('The boost closes at this instant.'))),
  note: stored('note text', note),
};

/** Fields that a shop may write (spec 2.3, decision 0070). */
export const BOOST_FIELDS = { ...OFFER_FIELDS, ...TERM_FIELDS };

export const PURCHASE_FIELDS = {
  id: uuidField(
    'The id of the purchase in your own system. Repeating it does not record a second purchase.',
  ),
  quantity: integerField(1, PURCHASE_PIECES_MAX, 'The number of pieces bought.'),
};
